"""Several real worker processes on one queue: disjoint work, keys that hold, kills (DESIGN section 3, ruling 22)."""

import signal
from collections.abc import AsyncIterator

import pytest
from tests.support.queue_process import OVERLAPS, TABLE, processes
from tests.support.queueing import Keyed, Plain, all_done, emptied, put, row, shared_database, states
from tests.support.waiting import eventually

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool
from orihon.jobs import leases, queue
from orihon.jobs.leases import Lost

pytestmark = pytest.mark.anyio


@pytest.fixture
async def dsn(server: EmbeddedPostgres) -> AsyncIterator[str]:
    async with shared_database(server) as dsn:
        yield dsn


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[Pool]:
    async with emptied(dsn) as opened:
        await opened.execute(TABLE)
        yield opened


async def test_processes_share_the_work_and_no_job_runs_twice(dsn: str, pool: Pool) -> None:
    """BQ-8, invariant 1."""
    async with processes(dsn, 3, prefetch=5), pool.acquire() as db:
        for _ in range(4):
            await queue.enqueue_many(db, [Plain(number=1) for _ in range(100)])
        await eventually(lambda: all_done(pool, 400))
    assert await pool.fetchval("SELECT count(*) FROM runs") == 400
    assert await pool.fetchval("SELECT count(DISTINCT job) FROM runs") == 400
    assert await pool.fetchval("SELECT count(DISTINCT worker) FROM runs") == 3


async def test_a_key_holds_across_processes(dsn: str, pool: Pool) -> None:
    """pgqueuer #761: two jobs of a key never overlap, over hundreds of rounds with six leasers."""
    async with pool.acquire() as db:
        for platform in "abc":
            await queue.enqueue_many(db, [Keyed(platform=platform, number=1) for _ in range(100)])
    async with processes(dsn, 3):
        await eventually(lambda: all_done(pool, 300))
    assert await pool.fetchval("SELECT count(*) FROM runs WHERE ended IS NULL") == 0
    assert await pool.fetchval(OVERLAPS) == 0


async def test_a_killed_process_loses_no_job(dsn: str, pool: Pool) -> None:
    """oban and procrastinate lost the jobs of killed workers; here another one takes them, refunded."""
    async with pool.acquire() as db:
        stuck = await put(db, Plain(number=2))
        await queue.enqueue_many(db, [Plain(number=0) for _ in range(20)])
    async with processes(dsn, 2, prefetch=2) as workers:
        await eventually(lambda: pool.fetchval("SELECT count(*) = 1 FROM runs WHERE job = $1", stuck))
        holder = await pool.fetchval("SELECT worker FROM runs WHERE job = $1", stuck)
        next(one for one in workers if one.pid == holder).kill()
        await eventually(lambda: all_done(pool, 21))
    job = await row(pool, stuck)
    assert (job["reclaims"], job["attempts"], job["lease_generation"]) == (1, 1, 3)


async def test_a_process_that_was_frozen_while_another_took_over_changes_nothing(dsn: str, pool: Pool) -> None:
    """oban #1141: the zombie wakes up, finds its lease gone, and its job stays as the successor left it."""
    async with pool.acquire() as db:
        job_id = await put(db, Plain(number=2))
    async with processes(dsn, 1) as (zombie,):
        await eventually(lambda: pool.fetchval("SELECT count(*) = 1 FROM runs"))
        zombie.send_signal(signal.SIGSTOP)
        async with processes(dsn, 1):
            await eventually(lambda: all_done(pool, 1))
        before = await row(pool, job_id)
        zombie.send_signal(signal.SIGCONT)
        async with pool.acquire() as db:
            marker = await put(db, Plain(number=0))
        # The zombie works again, so it has found its lease lost.
        await eventually(lambda: pool.fetchval("SELECT count(*) = 1 FROM runs WHERE job = $1", marker))
    after = await row(pool, job_id)
    assert after == before
    assert after["state"] == "done"
    async with pool.acquire() as db:
        first = leases.Claim(id=job_id, generation=1, lane="test", kind="plain", attempts=1, max_attempts=5)
        assert await leases.done(db, first) == Lost()


async def test_a_terminated_process_gives_its_jobs_back_at_once(dsn: str, pool: Pool) -> None:
    """Invariant 5: what another process can take at once, with no attempt spent."""
    async with pool.acquire() as db:
        for _ in range(4):
            await put(db, Plain(number=2))
    async with processes(dsn, 1, prefetch=2) as (worker,):
        await eventually(lambda: pool.fetchval("SELECT count(*) = 2 FROM runs"))
        await eventually(lambda: pool.fetchval("SELECT count(*) = 4 FROM jobs WHERE state = 'running'"))
        worker.send_signal(signal.SIGTERM)
        assert await worker.wait() == 0
        assert await states(pool) == {"pending": 4}
        assert await pool.fetchval("SELECT max(attempts) FROM jobs") == 0
