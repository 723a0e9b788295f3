"""How many works there are is told without counting them, and is never wrong."""

import asyncio
import random
from collections import Counter

import pytest

from orihon.db.pool import Connection, Pool
from orihon.library import catalogue

pytestmark = pytest.mark.anyio

STATUSES = ("ongoing", "completed", "hiatus", "cancelled", None)


async def told(db: Connection) -> dict[str | None, int]:
    by_status = {status: await catalogue.total(db, status) for status in STATUSES if status}  # type: ignore[arg-type]
    return by_status | {None: await catalogue.total(db, None)}


async def counted(db: Connection) -> dict[str | None, int]:
    found = Counter({r[0]: r[1] for r in await db.fetch("SELECT status, count(*) FROM works GROUP BY status")})
    return {status: found[status] for status in STATUSES if status} | {None: found.total()}


async def test_the_tally_follows_every_change_of_works(pool: Pool) -> None:
    dice = random.Random(3)
    async with pool.acquire() as db:
        for _ in range(40):
            match dice.randrange(4):
                case 0 | 1:
                    rows = [(f"W{dice.random()}", dice.choice(STATUSES)) for _ in range(dice.randrange(5))]
                    await db.executemany("INSERT INTO works (title, status) VALUES ($1, $2)", rows)
                case 2:
                    await db.execute(
                        "UPDATE works SET status = $1 WHERE id IN (SELECT id FROM works ORDER BY title LIMIT 3)",
                        dice.choice(STATUSES),
                    )
                case _:
                    await db.execute("DELETE FROM works WHERE id IN (SELECT id FROM works ORDER BY title LIMIT 2)")
            assert await told(db) == await counted(db)
        await db.execute("TRUNCATE works CASCADE")
        assert (await told(db))[None] == 0


async def test_works_that_are_rolled_back_are_not_told(pool: Pool) -> None:
    async with pool.acquire() as db:
        transaction = db.transaction()
        await transaction.start()
        await db.execute("INSERT INTO works (title) VALUES ('Gone')")
        await transaction.rollback()
        assert await catalogue.total(db, None) == 0


async def test_transactions_that_add_works_at_once_lose_none(pool: Pool) -> None:
    async def add(number: int) -> None:
        for part in range(10):
            async with pool.acquire() as db, db.transaction():
                await db.execute("INSERT INTO works (title, status) VALUES ($1, 'ongoing')", f"{number}.{part}")

    await asyncio.gather(*map(add, range(8)))
    async with pool.acquire() as db:
        assert await told(db) == await counted(db)
