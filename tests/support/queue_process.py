"""A worker process of its own, for tests that run several or kill one: `python -m tests.support.queue_process DSN`.

Each run of a job is written to the table `runs`, when it begins and when it ends: a test can see what overlapped.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.support.queueing import Keyed, Plain, Unique

from orihon.db.notify import Bus
from orihon.db.pool import Pool, open_pool
from orihon.jobs.handlers import Done, Job, Result, registry
from orihon.jobs.lane import Lane, Timing
from orihon.jobs.worker import Worker

TABLE = """
    CREATE TABLE runs (
        job uuid NOT NULL, generation bigint NOT NULL, worker integer NOT NULL, key text,
        began timestamptz NOT NULL DEFAULT clock_timestamp(), ended timestamptz
    )
"""

OVERLAPS = """
    SELECT count(*) FROM runs a JOIN runs b
        ON a.key = b.key AND (a.job, a.generation) < (b.job, b.generation)
       AND tstzrange(a.began, coalesce(a.ended, a.began)) && tstzrange(b.began, coalesce(b.ended, b.began))
"""
"""Pairs of runs of one key that were under way together."""

ROOT = Path(__file__).parents[2]

_BEGIN = "INSERT INTO runs (job, generation, worker, key) VALUES ($1, $2, $3, $4)"
_END = "UPDATE runs SET ended = clock_timestamp() WHERE job = $1 AND generation = $2"

TIMING = Timing(window=1.5, beat=0.5, linger=0.0, trouble=0.05, reclaim=0.2, schedule=5.0)


@contextlib.asynccontextmanager
async def processes(dsn: str, count: int, *, prefetch: int = 0) -> AsyncIterator[list[asyncio.subprocess.Process]]:
    """Worker processes, ended gracefully after the block."""
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.support.queue_process", dsn, str(prefetch),
            cwd=ROOT, stdout=asyncio.subprocess.PIPE,
        )
        for _ in range(count)
    ]  # fmt: skip
    try:
        for one in started:
            assert one.stdout is not None
            assert await one.stdout.readline() == b"ready\n"
        yield started
    finally:
        for one in started:
            if one.returncode is None:
                one.send_signal(signal.SIGTERM)
        for one in started:
            await one.wait()


async def _run(job: Job[Plain] | Job[Keyed] | Job[Unique]) -> Result:
    """`number` says how the job behaves: 0 at once, 1 holds on for a moment, 2 until killed."""
    key = job.payload.concurrency_key()
    await job.pool.execute(_BEGIN, job.claim.id, job.claim.generation, os.getpid(), key)
    match getattr(job.payload, "number", 0):
        case 1:
            await asyncio.sleep(0.002)
        case 2 if job.claim.generation == 1:
            await asyncio.Event().wait()
    await job.pool.execute(_END, job.claim.id, job.claim.generation)
    return Done()


async def _work(dsn: str, prefetch: int) -> None:
    pool: Pool = await open_pool(dsn, size=4)
    kinds = [Plain, Keyed, Unique]
    async with Bus(dsn) as bus:
        worker = Worker(
            dsn=dsn,
            pool=pool,
            bus=bus,
            lanes=[Lane(name="test", concurrency=2, prefetch=prefetch)],
            handlers=registry([(kind, _run) for kind in kinds], kinds=kinds),
            timing=TIMING,
        )
        running = asyncio.create_task(worker.run())
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
        print("ready", flush=True)
        with contextlib.suppress(asyncio.CancelledError):
            await running
    await pool.close()


if __name__ == "__main__":
    asyncio.run(_work(sys.argv[1], int(sys.argv[2])))
