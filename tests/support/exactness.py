"""A library that has come to rest beside the site that it follows."""

from itertools import chain
from pathlib import Path

from orihon.db.pool import Pool
from orihon.ops import exactness, queue_check, store_check
from orihon.storage.local import LocalStorage

_LEFT = "SELECT kind, state, last_error FROM jobs WHERE state <> 'done' AND kind <> 'sweep'"


async def differences(pool: Pool, manifest: bytes, data: Path) -> list[str]:
    """Every way in which the library is not the site, the store not the database, and the queue not at rest."""
    async with pool.acquire() as db:
        origin = exactness.origin_of(await db.fetchval("SELECT url FROM sources LIMIT 1"))
        sources = await exactness.followed(db, origin)
        library = [fault async for fault in exactness.differences(db, exactness.manifest(manifest), sources)]
        queue = [fault async for fault in queue_check.faults(db)]
        queue += [f"job {row['kind']} is {row['state']}: {row['last_error']}" for row in await db.fetch(_LEFT)]
    store = [fault async for fault in store_check.faults(pool, LocalStorage(data))]
    return list(chain(library, store, queue))
