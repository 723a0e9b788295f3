"""A worker process of its own, for tests that run several or kill one: `python -m tests.support.queue_process DSN`.

Each run of a job is written to the table `runs`, when it begins and when it ends: a test can see what overlapped.
"""

import asyncio
import contextlib
import os
import signal
import sys

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

_BEGIN = "INSERT INTO runs (job, generation, worker, key) VALUES ($1, $2, $3, $4)"
_END = "UPDATE runs SET ended = clock_timestamp() WHERE job = $1 AND generation = $2"

TIMING = Timing(window=1.5, beat=0.5, linger=0.0, trouble=0.05, reclaim=0.2, schedule=5.0)


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
