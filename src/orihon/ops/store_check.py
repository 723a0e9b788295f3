"""The store beside the database: what is missing, what has other bytes, what nobody names."""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import islice
from pathlib import Path
from uuid import UUID

import asyncpg

from orihon.db.pool import Pool
from orihon.media.sweep import GRACE_SECONDS
from orihon.storage.local import LocalStorage

_WINDOW = 500

_BLOBS = """
    SELECT m.id, m.size, m.sha256, l.storage_key
      FROM (SELECT id, size, sha256 FROM media WHERE id > $1 ORDER BY id LIMIT $2) m
      LEFT JOIN media_locations l ON l.media_id = m.id
  ORDER BY m.id
"""

# Served by the unique index on storage_key.
_UNNAMED = """
    SELECT key FROM unnest($1::text[]) AS k (key)
     WHERE NOT EXISTS (SELECT FROM media_locations l WHERE l.storage_key = k.key)
"""


async def faults(
    pool: Pool, storage: LocalStorage, *, grace: float = GRACE_SECONDS, clock: Callable[[], float] = time.time
) -> AsyncIterator[str]:
    """Everything that is wrong, in words. Reads and hashes the whole store.

    Files younger than `grace` seconds that no row names are no fault: their row may be on its way.
    """
    async for fault in _broken(pool, storage):
        yield fault
    async for fault in _unnamed(pool, storage, clock() - grace):
        yield fault


async def _broken(pool: Pool, storage: LocalStorage) -> AsyncIterator[str]:
    after = UUID(int=0)
    while blobs := await pool.fetch(_BLOBS, after, _WINDOW):
        for fault in await asyncio.to_thread(_faults, storage, blobs):
            yield fault
        after = blobs[-1]["id"]


def _faults(storage: LocalStorage, blobs: Sequence[asyncpg.Record]) -> list[str]:
    return [fault for blob in blobs if (fault := _fault(storage, blob)) is not None]


def _fault(storage: LocalStorage, blob: asyncpg.Record) -> str | None:
    key, wanted = blob["storage_key"], blob["sha256"].hex()
    if key is None:
        return f"medium {wanted} has no place in the store"
    try:
        found = _sha256(storage.path(key))
    except OSError as error:
        return f"{key} cannot be read: {error.strerror}"
    return None if found == wanted else f"{key} has other bytes than its name says"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


async def _unnamed(pool: Pool, storage: LocalStorage, limit: float) -> AsyncIterator[str]:
    walk = storage.kept()
    while files := await asyncio.to_thread(lambda: list(islice(walk, _WINDOW))):
        old = [file.key for file in files if file.written < limit]
        for record in await pool.fetch(_UNNAMED, old):
            yield f"{record['key']} is named by no row; `orihon sweep` removes it"
