"""Frozen past their lease and woken again; a key with limit 1 under four leasers: the long forms."""

import asyncio
import signal
from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from tests.support.queue_process import OVERLAPS, TABLE, processes
from tests.support.queueing import Keyed, Plain, all_done, emptied, put, row, shared_database
from tests.support.waiting import eventually

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool
from orihon.jobs import queue

pytestmark = [pytest.mark.anyio, pytest.mark.chaos]

ZOMBIES = 5
EACH = 2
"""Jobs that a process of the tests runs at a time."""

ROUNDS = 5
"""Of `ZOMBIES * EACH` lost leases each: fifty."""


@pytest.fixture
async def dsn(server: EmbeddedPostgres) -> AsyncIterator[str]:
    async with shared_database(server) as dsn:
        yield dsn


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[Pool]:
    async with emptied(dsn) as opened:
        await opened.execute(TABLE)
        yield opened


async def says_that_it_lost(zombie: asyncio.subprocess.Process, times: int) -> None:
    """Read its log until it has said so."""
    assert zombie.stdout is not None
    async with asyncio.timeout(30):
        while times:
            line = await zombie.stdout.readline()
            assert line, "it ended without a word"
            times -= b"lost" in line


async def _begun(pool: Pool, jobs: list[UUID]) -> bool:
    return bool(await pool.fetchval("SELECT count(*) = cardinality($1::uuid[]) FROM runs WHERE job = ANY ($1)", jobs))


async def test_fifty_zombies_change_nothing_and_say_so(dsn: str, pool: Pool) -> None:
    for _ in range(ROUNDS):
        async with pool.acquire() as db:
            jobs = [await put(db, Plain(number=2)) for _ in range(ZOMBIES * EACH)]
        async with processes(dsn, ZOMBIES) as zombies:
            await eventually(lambda jobs=jobs: _begun(pool, jobs), seconds=60)
            for zombie in zombies:
                zombie.send_signal(signal.SIGSTOP)
            total = await pool.fetchval("SELECT count(*) FROM jobs")
            async with processes(dsn, 1):
                await eventually(lambda total=total: all_done(pool, total), seconds=60)
                before = [await row(pool, job) for job in jobs]
                for zombie in zombies:
                    zombie.send_signal(signal.SIGCONT)
                for zombie in zombies:
                    await says_that_it_lost(zombie, EACH)
            assert [await row(pool, job) for job in jobs] == before
            assert {job["state"] for job in before} == {"done"}
        assert await pool.fetchval("SELECT count(*) FROM runs WHERE ended IS NOT NULL AND job = ANY ($1)", jobs) == len(
            jobs
        ), "the rescuer ended each of them, once"


async def test_a_key_holds_for_two_thousand_jobs_and_four_processes(dsn: str, pool: Pool) -> None:
    async with pool.acquire() as db:
        for _ in range(20):
            await queue.enqueue_many(db, [Keyed(platform="one", number=0) for _ in range(100)])
    async with processes(dsn, 4):
        await eventually(lambda: all_done(pool, 2000), seconds=180)
    assert await pool.fetchval("SELECT count(*) FROM runs") == 2000
    assert await pool.fetchval("SELECT count(DISTINCT worker) FROM runs") > 1, "or nobody was tempted"
    assert await pool.fetchval(OVERLAPS) == 0
