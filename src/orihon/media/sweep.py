"""Removing what nothing names: rows first, bytes later, and never the young (DESIGN section 5)."""

import asyncio
import time
from collections.abc import Callable
from pathlib import PurePosixPath

import asyncpg
import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection, Pool
from orihon.storage.local import LocalStorage

GRACE_SECONDS = 24 * 3600.0
"""What arrived later than this is left alone: the row that will name it may still be on its way."""

_BATCH = 500


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep removed. `bytes` counts the files of the store."""

    media: int
    files: int
    bytes: int
    leftovers: int


# Media that arrive again meanwhile have a new kept_at, which this statement sees after waiting for their row.
_FORGET = """
    DELETE FROM media
     WHERE id IN (
           SELECT m.id FROM media m
            WHERE m.kept_at < now() - make_interval(secs => $1)
              AND NOT EXISTS (SELECT FROM pages p WHERE p.media_id = m.id)
              AND NOT EXISTS (SELECT FROM covers c WHERE c.media_id = m.id)
              AND NOT EXISTS (SELECT FROM works w WHERE w.cover_media_id = m.id)
            LIMIT $2)
       AND kept_at < now() - make_interval(secs => $1)
"""

# The same lock as in media.store: a row for these bytes is made either before, and seen here, or after, and then the
# missing file is noticed there.
_LOCK = "SELECT pg_advisory_xact_lock(('x' || $1)::bit(64)::bigint)"

_UNNAMED = "SELECT key FROM unnest($1::text[]) AS k (key) WHERE key NOT IN (SELECT storage_key FROM media_locations)"


async def sweep(
    pool: Pool, storage: LocalStorage, *, grace: float = GRACE_SECONDS, clock: Callable[[], float] = time.time
) -> Swept:
    """Remove media that no page and no cover shows, files that no row names and leftovers of broken downloads.

    Nothing is removed when the database cannot answer.
    """
    media = await _forget_media(pool, grace)
    files = size = 0
    batch: list[tuple[str, int]] = []
    limit = clock() - grace
    for key, facts in await asyncio.to_thread(lambda: list(storage.keys("media"))):
        if facts.st_mtime < limit:
            batch.append((key, facts.st_size))
        if len(batch) == _BATCH:
            removed, freed = await _remove_unnamed(pool, storage, batch, limit)
            files, size, batch = files + removed, size + freed, []
    removed, freed = await _remove_unnamed(pool, storage, batch, limit)
    leftovers = await asyncio.to_thread(storage.clear_staging, grace, now=clock())
    return Swept(media=media, files=files + removed, bytes=size + freed, leftovers=leftovers)


async def _forget_media(pool: Pool, grace: float) -> int:
    total = 0
    while True:
        try:
            async with pool.acquire() as db:
                deleted = int((await db.execute(_FORGET, grace, _BATCH)).split()[-1])
                if deleted:
                    await notify(db, "media")
        except asyncpg.ForeignKeyViolationError:
            # A page took one of them at this moment; the next sweep looks again.
            return total
        total += deleted
        if deleted < _BATCH:
            return total


async def _remove_unnamed(
    pool: Pool, storage: LocalStorage, batch: list[tuple[str, int]], limit: float
) -> tuple[int, int]:
    async with pool.acquire() as db:
        unnamed = {record["key"] for record in await db.fetch(_UNNAMED, [key for key, _ in batch])}
        removed = [size for key, size in batch if key in unnamed and await _remove(db, storage, key, limit)]
    return len(removed), sum(removed)


async def _remove(db: Connection, storage: LocalStorage, key: str, limit: float) -> bool:
    async with db.transaction():
        await db.execute(_LOCK, PurePosixPath(key).stem[:16])
        if await db.fetchval("SELECT true FROM media_locations WHERE storage_key = $1", key):
            return False
        try:
            if storage.path(key).stat().st_mtime >= limit:
                return False
        except FileNotFoundError:
            return False
        return await storage.delete(key)
