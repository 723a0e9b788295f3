"""Connections that are given back are as good as new, without a round trip for it."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

import orihon
from orihon.db.pool import Pool, open_pool

pytestmark = pytest.mark.anyio

SOURCE = Path(orihon.__file__).parent

# What a session keeps beyond a transaction, and the modules that may say it, since they open sessions of their own, or
# say it in all that the pool has.
KEPT = re.compile(
    r"pg_(try_)?advisory_lock(_shared)?\(|add_listener\(|set_config\([^)]*,\s*false|\bDISCARD\b"
    r"|[\"'](\s*)(LISTEN|SET(?! LOCAL)|PREPARE|LOAD|DECLARE) |CREATE (LOCAL |GLOBAL )?TEMP|WITH HOLD",
)
OWN_SESSIONS = {"db/migrate.py", "db/notify.py", "db/pool.py"}


def test_no_code_leaves_anything_in_a_session_of_the_pool() -> None:
    """The pool does not clean sessions up, so that nobody may litter."""
    litter = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if KEPT.search(path.read_text(encoding="utf-8"))
    }
    assert litter == OWN_SESSIONS


@contextmanager
def quiet() -> Iterator[None]:
    """asyncpg tells the event loop of a transaction that is left open."""
    loop = asyncio.get_running_loop()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda *_: None)
    try:
        yield
    finally:
        loop.set_exception_handler(before)


@pytest.fixture
async def single(dsn: str) -> Any:
    pool = await open_pool(dsn, size=1)
    yield pool
    pool.terminate()


async def test_giving_back_costs_no_statement(single: Pool) -> None:
    seen: list[str] = []
    async with single.acquire() as db:
        pid = await db.fetchval("SELECT pg_backend_pid()")
        db.add_query_logger(lambda record: seen.append(record.query))
    async with single.acquire() as db:
        assert await db.fetchval("SELECT pg_backend_pid()") == pid
    assert seen == ["SELECT pg_backend_pid()"]


async def test_what_a_transaction_held_is_free_when_it_ends_however_it_ends(single: Pool, dsn: str) -> None:
    """Locks and settings: by commit, by error, by being called off in the middle of a statement, and left open."""

    async def commit(db: Any) -> None:
        async with db.transaction():
            await hold(db)

    async def fail(db: Any) -> None:
        with pytest.raises(asyncpg.DivisionByZeroError):
            async with db.transaction():
                await hold(db)
                await db.execute("SELECT 1 / 0")

    async def called_off(db: Any) -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2), db.transaction():
                await hold(db)
                await db.execute("SELECT pg_sleep(30)")

    async def left_open(db: Any) -> None:
        await db.transaction().start()
        await hold(db)

    async def hold(db: Any) -> None:
        await db.execute("SELECT pg_advisory_xact_lock(7), set_config('work_mem', '1234kB', true)")

    other = await asyncpg.connect(dsn)
    for way in (commit, fail, called_off, left_open):
        with quiet():
            async with single.acquire() as db:
                await way(db)
        async with single.acquire() as db:
            assert not db.is_in_transaction(), way.__name__
            assert await db.fetchval("SELECT current_setting('work_mem')") != "1234kB", way.__name__
        assert await other.fetchval("SELECT pg_try_advisory_lock(7)"), way.__name__
        await other.execute("SELECT pg_advisory_unlock_all()")
    await other.close()


async def test_times_in_json_are_universal_wherever_the_server_stands(dsn: str) -> None:
    """JSON that the database makes goes to readers as it is."""
    admin = await asyncpg.connect(dsn)
    database = await admin.fetchval("SELECT current_database()")
    await admin.execute(f"ALTER DATABASE {database} SET timezone = 'Asia/Tokyo'")
    await admin.close()
    pool = await open_pool(dsn, size=1)
    try:
        told = await pool.fetchval("SELECT row_to_json(t)::text FROM (SELECT timestamptz '2026-01-01 00:00Z' AS at) t")
    finally:
        pool.terminate()
    assert told == '{"at":"2026-01-01T00:00:00+00:00"}'
