"""One walk over a feed, in a process of its own: `python -m bench.feed_walk DSN ORIGIN FOLDER trace|time`.

Prints its seconds and the most memory that it held at once, in bytes, beyond what the process had at its start.
"""

import asyncio
import contextlib
import gc
import sys
import time
import tracemalloc
from pathlib import Path

import msgspec
import uvloop

from orihon.config import Settings
from orihon.db.pool import open_pool
from orihon.fetch.client import FetchClient
from orihon.fetch.errors import Gone
from orihon.ingest.download import Intake
from orihon.ingest.feed import feeds
from orihon.ingest.walking import SourceWalker
from orihon.jobs import leases, payloads
from orihon.jobs.handlers import Job
from orihon.storage.local import LocalStorage

ASKED_BEFORE = 200
"""Addresses that the process has asked for before the walk. A worker lives long: what the HTTP library remembers, the
last 128 addresses, is full however short the walk is, and no part of how memory grows with it."""


class Measured(msgspec.Struct):
    """What a walk took."""

    seconds: float
    peak: int


async def walk(dsn: str, origin: str, folder: Path, *, trace: bool) -> Measured:
    """Run the one job that waits, as a worker would."""
    pool = await open_pool(dsn)
    settings = Settings(data=folder, private_origins=(origin,), fetch_rate_ms=0)
    async with pool, FetchClient(settings, pool) as fetcher:
        intake = Intake(
            fetcher=fetcher,
            storage=LocalStorage(folder),
            max_bytes=settings.fetch_max_image_bytes,
            max_file_bytes=settings.fetch_max_file_bytes,
        )
        walker = SourceWalker({"feed": feeds(intake)}, max_failures=10, chunk_seconds=600)
        async with pool.acquire() as db:
            (leased,) = await leases.lease(db, "feeds")
        payload = payloads.decode(payloads.WalkFeed, leased.payload)
        # As the worker does when it starts: else the collector waits for a quarter of all that the imports made.
        gc.freeze()
        if trace:
            tracemalloc.start()
            await ask_around(fetcher, origin)
        started = time.perf_counter()
        await walker(Job(payload=payload, claim=leased.claim, pool=pool))
        seconds = time.perf_counter() - started
        peak = tracemalloc.get_traced_memory()[1] if trace else 0
    return Measured(seconds, peak)


async def ask_around(fetcher: FetchClient, origin: str) -> None:
    """Ask for addresses of the site that are no part of the feed."""
    for number in range(ASKED_BEFORE):
        with contextlib.suppress(Gone):
            await fetcher.get(f"{origin}/nothing/{number}")


if __name__ == "__main__":
    from orihon.runtime import logs

    logs.configure(json=True)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        measured = runner.run(walk(sys.argv[1], sys.argv[2], Path(sys.argv[3]), trace=sys.argv[4] == "trace"))
    sys.stdout.write(msgspec.json.encode(measured).decode())
