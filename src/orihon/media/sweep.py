"""Removing what nothing names: rows first, bytes later, and never the young (DESIGN section 5)."""

import asyncio
import time
from collections.abc import Callable
from itertools import islice
from uuid import UUID

import asyncpg
import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection, Pool
from orihon.media.errors import SweepRefused
from orihon.media.store import LOCK, is_storage_key
from orihon.storage.local import Kept, LocalStorage

GRACE_SECONDS = 24 * 3600.0
"""What arrived later than this is left alone: the row that will name it may still be on its way."""

FEW = 100
"""So many unnamed files are removed without a question."""

_WINDOW = 2000
_AT_ONCE = 100
_MOST = 100_000


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """What a sweep removed. `bytes` counts the files of the store."""

    media: int
    files: int
    bytes: int
    leftovers: int


class _Removed(msgspec.Struct):
    files: int = 0
    bytes: int = 0


# Windows over the primary key, so that a library of millions is read once, whatever there is to forget in it.
_LAST = "SELECT id FROM media WHERE id > $1 ORDER BY id OFFSET $2 LIMIT 1"

# A row that somebody works on is skipped, not waited for: it is wanted. One that arrived again since the snapshot is
# looked at anew by its lock, with its new kept_at.
_FORGET = """
    WITH unshown AS (
        SELECT m.id FROM media m
         WHERE m.id > $1 AND ($2::uuid IS NULL OR m.id <= $2) AND m.kept_at < now() - make_interval(secs => $3)
           AND NOT EXISTS (SELECT FROM pages p WHERE p.media_id = m.id)
           AND NOT EXISTS (SELECT FROM attachments a WHERE a.media_id = m.id)
           AND NOT EXISTS (SELECT FROM covers c WHERE c.media_id = m.id)
           AND NOT EXISTS (SELECT FROM works w WHERE w.cover_media_id = m.id)
           FOR UPDATE SKIP LOCKED
    )
    DELETE FROM media USING unshown WHERE media.id = unshown.id
    RETURNING media.size, ARRAY(SELECT l.storage_key FROM media_locations l WHERE l.media_id = media.id) AS keys
"""

_ALONE = "SELECT pg_advisory_xact_lock($1)"

# Served by the unique index on storage_key.
_UNNAMED = """
    SELECT key FROM unnest($1::text[]) AS k (key)
     WHERE NOT EXISTS (SELECT FROM media_locations l WHERE l.storage_key = k.key)
"""


async def sweep(
    pool: Pool,
    storage: LocalStorage,
    *,
    grace: float = GRACE_SECONDS,
    force: bool = False,
    clock: Callable[[], float] = time.time,
) -> Swept:
    """Remove media that nothing shows or offers, files that no row names, and leftovers of broken downloads.

    Nothing is removed from the store when the database cannot answer.

    Raises:
        SweepRefused: most files are named by no row, which looks like a wrong database; `force` removes them.
    """
    limit = clock() - grace
    removed = _Removed()
    leftovers = await asyncio.to_thread(storage.clear_staging, grace, now=clock())
    media = await _forget_media(pool, storage, grace, limit, removed)
    await _remove(pool, storage, await _unnamed(pool, storage, limit, force=force), limit, removed)
    return Swept(media=media, files=removed.files, bytes=removed.bytes, leftovers=leftovers)


async def _forget_media(pool: Pool, storage: LocalStorage, grace: float, limit: float, removed: _Removed) -> int:
    """Remove rows, and then the files that they alone named."""
    total, after, last = 0, UUID(int=0), None
    while True:
        async with pool.acquire() as db:
            last = await db.fetchval(_LAST, after, _WINDOW - 1)
            gone = await _forget(db, after, last, grace)
        named = [Kept(key, record["size"], limit) for record in gone for key in record["keys"]]
        await _remove(pool, storage, named, limit, removed)
        total += len(gone)
        if last is None:
            return total
        after = last


async def _forget(db: Connection, after: UUID, last: UUID | None, grace: float) -> list[asyncpg.Record]:
    try:
        async with db.transaction():
            gone = await db.fetch(_FORGET, after, last, grace)
            if gone:
                await notify(db, "media")
            return gone
    except asyncpg.ForeignKeyViolationError:
        # A page took one of them at this moment; the next sweep looks again.
        return []


async def _unnamed(pool: Pool, storage: LocalStorage, limit: float, *, force: bool) -> list[Kept]:
    """Old files that no row names: what a crash left between the bytes and their row. A few, by nature."""
    found: list[Kept] = []
    total = unnamed = 0
    walk = storage.kept()
    while files := await asyncio.to_thread(lambda: list(islice(walk, _WINDOW))):
        total += len(files)
        old = {file.key: file for file in files if file.written < limit and is_storage_key(file.key)}
        lost = [record["key"] for record in await pool.fetch(_UNNAMED, [*old])]
        unnamed += len(lost)
        found += [old[key] for key in lost[: _MOST - len(found)]]
    if unnamed > FEW and unnamed * 2 > total and not force:
        raise SweepRefused(unnamed, total)
    return found


async def _remove(pool: Pool, storage: LocalStorage, files: list[Kept], limit: float, removed: _Removed) -> None:
    """Remove those of some files that still no row names and that did not arrive again."""
    for start in range(0, len(files), _AT_ONCE):
        some = {file.key: file for file in files[start : start + _AT_ONCE]}
        async with pool.acquire() as db, db.transaction():
            await db.execute(_ALONE, LOCK)
            unnamed = [record["key"] for record in await db.fetch(_UNNAMED, [*some])]
            for key in await asyncio.to_thread(_remove_old, storage, unnamed, limit):
                removed.files += 1
                removed.bytes += some[key].size


def _remove_old(storage: LocalStorage, keys: list[str], limit: float) -> list[str]:
    return [key for key in keys if _is_old(storage, key, limit) and storage.remove(key)]


def _is_old(storage: LocalStorage, key: str, limit: float) -> bool:
    try:
        return storage.path(key).stat().st_mtime < limit
    except FileNotFoundError:
        return False
