"""Our queue as a side of `bench.queueing`: the product's worker, leases, heartbeat, and durability."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from bench.queue_side import Ran, Side, main
from orihon.db import migrate
from orihon.db.notify import Bus
from orihon.db.pool import Connection, connect, open_pool
from orihon.jobs import queue
from orihon.jobs.handlers import Done, Job, registry
from orihon.jobs.payloads import Payload
from orihon.jobs.worker import Lane, Worker

LANE = Lane(name="bench", concurrency=1, prefetch=500)


class Noop(Payload, frozen=True, kw_only=True, tag="noop"):
    """Does nothing."""

    lane = "bench"
    at: float


class Ours(Side):
    """One connection that puts jobs in, and a worker with its pool and bus."""

    clear = "TRUNCATE jobs"
    unfinished = "SELECT count(*) FROM jobs WHERE state IN ('pending', 'running')"
    finished = "SELECT count(*) FROM jobs WHERE state = 'done'"

    def __init__(self, dsn: str, db: Connection) -> None:
        self._dsn = dsn
        self._db = db

    async def install(self) -> None:
        await migrate.upgrade_in_child(self._dsn)

    async def enqueue(self, at: float) -> None:
        await queue.enqueue(self._db, Noop(at=at))

    async def enqueue_many(self, jobs: int) -> None:
        await queue.enqueue_many(self._db, [Noop(at=0.0)] * jobs)

    @asynccontextmanager
    async def work(self, ran: Ran) -> AsyncIterator[None]:
        async def noop(job: Job[Noop]) -> Done:
            ran(job.payload.at)
            return Done()

        handlers = registry([(Noop, noop)], kinds=[Noop])
        pool = await open_pool(self._dsn)
        async with Bus(self._dsn) as bus:
            worker = Worker(dsn=self._dsn, pool=pool, lanes=[LANE], handlers=handlers, bus=bus)
            running = asyncio.create_task(worker.run())
            try:
                yield
            finally:
                running.cancel()
                with suppress(asyncio.CancelledError):
                    await running
                pool.terminate()

    async def execute(self, sql: str) -> None:
        await self._db.execute(sql)

    async def count(self, sql: str) -> int:
        return int(await self._db.fetchval(sql))


@asynccontextmanager
async def opened(_: str, dsn: str) -> AsyncIterator[Side]:
    """Our queue in a database."""
    db = await connect(dsn)
    try:
        yield Ours(dsn, db)
    finally:
        await db.close()


if __name__ == "__main__":
    main(opened)
