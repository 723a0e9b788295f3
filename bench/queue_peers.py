"""The peers as sides of `bench.queueing`, each by its own public means and at its best setting.

Runs in an environment of the peers (see `harness.peers`): `python -m bench.queue_peers SIDE DATABASE COMMAND JOBS`.
"""

import asyncio
import importlib
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from typing import Any

from bench.queue_side import Ran, Side, main


class PgQueuer(Side):
    """pgqueuer on asyncpg. Finished jobs leave its table for a log."""

    clear = "TRUNCATE pgqueuer, pgqueuer_log, pgqueuer_statistics"
    unfinished = "SELECT count(*) FROM pgqueuer"
    finished = "SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'"

    def __init__(self, dsn: str, db: Any, *, batch: int, pool: int) -> None:
        self._dsn = dsn
        self._db = db
        self._batch = batch
        self._pool = pool
        self._queries = importlib.import_module("pgqueuer.queries").Queries(_drivers().AsyncpgDriver(db))

    async def install(self) -> None:
        await self._queries.install()

    async def enqueue(self, at: float) -> None:
        await self._queries.enqueue("noop", json.dumps({"at": at}).encode())

    async def enqueue_many(self, jobs: int) -> None:
        await self._queries.enqueue(["noop"] * jobs, [b'{"at": 0.0}'] * jobs, [0] * jobs)

    @asynccontextmanager
    async def work(self, ran: Ran) -> AsyncIterator[None]:
        asyncpg = importlib.import_module("asyncpg")
        if self._pool:
            connections = await asyncpg.create_pool(self._dsn, min_size=self._pool, max_size=self._pool)
            driver = _drivers().AsyncpgPoolDriver(connections)
        else:
            connections = await asyncpg.connect(self._dsn)
            driver = _drivers().AsyncpgDriver(connections)
        queuer = importlib.import_module("pgqueuer").PgQueuer(driver)

        @queuer.entrypoint("noop")  # type: ignore[untyped-decorator]  # not installed where types are checked
        async def noop(job: Any) -> None:
            ran(json.loads(job.payload)["at"])

        running = asyncio.create_task(queuer.qm.run(batch_size=self._batch))
        try:
            yield
        finally:
            queuer.qm.shutdown.set()
            await asyncio.wait([running], timeout=10)
            connections.terminate()

    async def execute(self, sql: str) -> None:
        await self._db.execute(sql)

    async def count(self, sql: str) -> int:
        return int(await self._db.fetchval(sql))


def _drivers() -> Any:
    return importlib.import_module("pgqueuer.db")


@asynccontextmanager
async def pgqueuer(dsn: str, *, batch: int, pool: int = 0) -> AsyncIterator[Side]:
    """pgqueuer with so many jobs a batch, on one connection or a pool."""
    db = await importlib.import_module("asyncpg").connect(dsn)
    try:
        yield PgQueuer(dsn, db, batch=batch, pool=pool)
    finally:
        await db.close()


class Procrastinate(Side):
    """procrastinate on psycopg's pool."""

    clear = "TRUNCATE procrastinate_jobs, procrastinate_events, procrastinate_periodic_defers CASCADE"
    unfinished = "SELECT count(*) FROM procrastinate_jobs WHERE status IN ('todo', 'doing')"
    finished = "SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'"

    def __init__(self, app: Any, db: Any) -> None:
        self._app = app
        self._db = db
        self._ran: Ran = lambda _: None

        @app.task(name="noop", queue="bench")  # type: ignore[untyped-decorator]  # see above
        async def noop(at: float) -> None:
            self._ran(at)

        self._noop: Any = noop

    async def install(self) -> None:
        await self._app.schema_manager.apply_schema_async()

    async def enqueue(self, at: float) -> None:
        await self._noop.defer_async(at=at)

    async def enqueue_many(self, jobs: int) -> None:
        await self._noop.batch_defer_async(*[{"at": 0.0}] * jobs)

    @asynccontextmanager
    async def work(self, ran: Ran) -> AsyncIterator[None]:
        self._ran = ran
        work = self._app.run_worker_async(queues=["bench"], concurrency=10, install_signal_handlers=False)
        running = asyncio.create_task(work)
        try:
            yield
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running

    async def execute(self, sql: str) -> None:
        await self._db.execute(sql)

    async def count(self, sql: str) -> int:
        return int((await (await self._db.execute(sql)).fetchone())[0])


@asynccontextmanager
async def procrastinate(dsn: str) -> AsyncIterator[Side]:
    """procrastinate, ten jobs side by side."""
    library = importlib.import_module("procrastinate")
    app = library.App(connector=library.PsycopgConnector(conninfo=dsn, min_size=4, max_size=10))
    db = await importlib.import_module("psycopg").AsyncConnection.connect(dsn, autocommit=True)
    async with db, app.open_async():
        yield Procrastinate(app, db)


class Oban(Side):
    """oban on psycopg's pool."""

    clear = "TRUNCATE oban_jobs"
    unfinished = "SELECT count(*) FROM oban_jobs WHERE state IN ('available', 'executing')"
    finished = "SELECT count(*) FROM oban_jobs WHERE state = 'completed'"

    def __init__(self, pool: Any, db: Any) -> None:
        self._pool = pool
        self._db = db
        self._library = importlib.import_module("oban")
        self._client = self._library.Oban(pool=pool)
        self._ran: Ran = lambda _: None
        side = self

        class Noop:
            async def process(self, job: Any) -> None:
                side._ran(job.args["at"])

        self._noop: Any = self._library.worker(queue="bench")(Noop)

    async def install(self) -> None:
        await self._db.execute(importlib.import_module("oban.schema").install_sql())

    async def enqueue(self, at: float) -> None:
        await self._client.enqueue(self._noop.new({"at": at}))

    async def enqueue_many(self, jobs: int) -> None:
        await self._client.enqueue_many([self._noop.new({"at": 0.0}) for _ in range(jobs)])

    @asynccontextmanager
    async def work(self, ran: Ran) -> AsyncIterator[None]:
        self._ran = ran
        async with self._library.Oban(pool=self._pool, queues={"bench": 50}):
            yield

    async def execute(self, sql: str) -> None:
        await self._db.execute(sql)

    async def count(self, sql: str) -> int:
        return int((await (await self._db.execute(sql)).fetchone())[0])


@asynccontextmanager
async def oban(dsn: str) -> AsyncIterator[Side]:
    """oban, fifty jobs side by side."""
    pools = importlib.import_module("psycopg_pool")
    db = await importlib.import_module("psycopg").AsyncConnection.connect(dsn, autocommit=True)
    async with db, pools.AsyncConnectionPool(dsn, min_size=4, max_size=10, open=False) as pool:
        yield Oban(pool, db)


SIDES: dict[str, Callable[[str], AbstractAsyncContextManager[Side]]] = {
    "pgqueuer": partial(pgqueuer, batch=50),
    "pgqueuer_pool": partial(pgqueuer, batch=50, pool=4),
    "pgqueuer_wide": partial(pgqueuer, batch=500),
    "procrastinate": procrastinate,
    "oban": oban,
}

if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    main(lambda name, dsn: SIDES[name](dsn))
