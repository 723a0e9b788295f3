"""The floor of `bench.queueing`: one row into a table with one index, by our driver, as durable as a job.

Nothing that keeps a job in PostgreSQL can put one in with less.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from uuid import uuid4

from bench.queue_side import Ran, Side, main
from orihon.db.pool import Connection, connect

_INSERT = "INSERT INTO bare (id, payload) VALUES ($1, $2) RETURNING id"


class Bare(Side):
    """A table."""

    clear = "TRUNCATE bare"
    unfinished = "SELECT count(*) FROM bare"
    finished = "SELECT 0"

    def __init__(self, db: Connection) -> None:
        self._db = db

    async def install(self) -> None:
        await self._db.execute("CREATE TABLE bare (id uuid PRIMARY KEY, payload jsonb NOT NULL)")

    async def enqueue(self, at: float) -> None:
        await self._db.fetchval(_INSERT, uuid4(), {"kind": "noop", "at": at})

    async def enqueue_many(self, jobs: int) -> None:
        await self._db.executemany(_INSERT, [(uuid4(), {"kind": "noop", "at": 0.0}) for _ in range(jobs)])

    def work(self, ran: Ran) -> AbstractAsyncContextManager[None]:
        raise NotImplementedError("Rows in a table are not work.")

    async def execute(self, sql: str) -> None:
        await self._db.execute(sql)

    async def count(self, sql: str) -> int:
        return int(await self._db.fetchval(sql))


@asynccontextmanager
async def opened(_: str, dsn: str) -> AsyncIterator[Side]:
    """A database with the table."""
    db = await connect(dsn)
    try:
        yield Bare(db)
    finally:
        await db.close()


if __name__ == "__main__":
    main(opened)
