"""What is no job's fault costs it no attempt: a database that went away, a file that a sweep took, a full disk."""

import asyncio
import errno
from typing import Any

import asyncpg
import pytest
from msgspec.structs import replace
from tests.support.queueing import FAST, Plain, put, row, states, working
from tests.support.waiting import eventually

from orihon.db.errors import DatabaseAway
from orihon.db.pool import Pool, open_pool
from orihon.jobs.handlers import Done, Job, Result
from orihon.jobs.lane import Lane
from orihon.storage.errors import StorageFull, Vanished, in_words

pytestmark = pytest.mark.anyio


async def cut(db: Any, *, by: Pool) -> None:
    """End a connection, as a server that is stopped does, and wait until it is gone."""
    pid = db.get_server_pid()
    await by.execute("SELECT pg_terminate_backend($1)", pid)
    await eventually(lambda: _gone(by, pid))


async def _gone(pool: Pool, pid: int) -> bool:
    return not await pool.fetchval("SELECT count(*) FROM pg_stat_activity WHERE pid = $1", pid)


async def between_statements(job: Job[Plain], other: Pool) -> None:
    async with job.pool.acquire() as db:
        await cut(db, by=other)
        await db.fetchval("SELECT 1")


async def in_a_statement(job: Job[Plain], other: Pool) -> None:
    async with job.pool.acquire() as db:
        sleeping = asyncio.ensure_future(db.execute("SELECT pg_sleep(60)"))
        await asyncio.sleep(0)
        await cut(db, by=other)
        await sleeping


async def in_a_transaction(job: Job[Plain], other: Pool) -> None:
    async with job.pool.acquire() as db, db.transaction():
        await db.fetchval("SELECT 1")
        await cut(db, by=other)
        await db.fetchval("SELECT 2")


async def at_the_commit(job: Job[Plain], other: Pool) -> None:
    async with job.pool.acquire() as db, db.transaction():
        await db.fetchval("SELECT 1")
        await cut(db, by=other)


async def among_others(job: Job[Plain], other: Pool) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(in_a_statement(job, other))
        group.create_task(asyncio.sleep(60))


async def behind_another_error(job: Job[Plain], other: Pool) -> None:
    try:
        await in_a_statement(job, other)
    except asyncpg.PostgresError as error:
        raise RuntimeError("something was not kept") from error


async def when_none_can_be_had(_job: Job[Plain], _other: Pool) -> None:
    nowhere = await open_pool("postgresql:///orihon?host=/nowhere")
    try:
        await nowhere.fetchval("SELECT 1")
    finally:
        nowhere.terminate()


async def as_a_sweep_takes_its_file(_job: Job[Plain], _other: Pool) -> None:
    raise Vanished("A file that was just stored is gone again.")


@pytest.mark.parametrize(
    "loses",
    [
        between_statements,
        in_a_statement,
        in_a_transaction,
        at_the_commit,
        among_others,
        behind_another_error,
        when_none_can_be_had,
        as_a_sweep_takes_its_file,
    ],
    ids=lambda loses: loses.__name__,
)
async def test_a_job_that_is_interrupted_is_run_again_at_once(dsn: str, pool: Pool, loses: Any) -> None:
    other = await open_pool(dsn, size=1)
    attempts: list[int] = []

    async def handler(job: Job[Plain]) -> Result:
        attempts.append(job.claim.attempts)
        if len(attempts) == 1:
            await loses(job, other)
        return Done()

    try:
        async with pool.acquire() as db:
            job_id = await put(db, Plain())
        async with working(dsn, pool, [(Plain, handler)]):
            await eventually(lambda: _is(pool, done=1), seconds=10)
    finally:
        other.terminate()
    assert attempts == [1, 1], "run twice, and the first time was refunded"
    assert (await row(pool, job_id))["last_error"] is None


async def test_a_job_that_ends_its_connection_again_and_again_ends_dead(dsn: str, pool: Pool) -> None:
    """DESIGN ruling 4: three times it is not the job's fault; one that brings the server down must not go on."""
    other = await open_pool(dsn, size=1)
    runs = 0

    async def handler(job: Job[Plain]) -> Result:
        nonlocal runs
        runs += 1
        await in_a_statement(job, other)
        return Done()

    async def dead() -> bool:
        await pool.execute("UPDATE jobs SET scheduled_at = now() WHERE state = 'pending'")
        return await _is(pool, dead=1)

    try:
        async with pool.acquire() as db:
            job_id = await put(db, Plain())
        # The hint is what a backoff is: without one the worker would not look for minutes.
        async with working(dsn, pool, [(Plain, handler)], timing=replace(FAST, linger=0.01)) as worker:
            await eventually(lambda: _hinting(worker, dead), seconds=20)
    finally:
        other.terminate()
    found = await row(pool, job_id)
    assert runs == 3 + found["max_attempts"]
    assert "vanished" in found["last_error"]


async def _hinting(worker: Any, holds: Any) -> bool:
    for lane in worker._lanes.values():
        lane.wake()
    return bool(await holds())


async def test_an_ordinary_answer_of_the_database_is_a_failure(dsn: str, pool: Pool) -> None:
    async def handler(job: Job[Plain]) -> Result:
        await job.pool.fetchval("SELECT 1 / 0")
        return Done()

    async with pool.acquire() as db:
        job_id = await put(db, Plain())
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(lambda: _failed(pool, job_id))
    assert (await row(pool, job_id))["attempts"] == 1


async def test_the_network_of_a_handler_is_not_the_database(dsn: str, pool: Pool) -> None:
    async def handler(_job: Job[Plain]) -> Result:
        raise ConnectionResetError("the site hung up")

    async with pool.acquire() as db:
        job_id = await put(db, Plain())
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(lambda: _failed(pool, job_id))
    assert (await row(pool, job_id))["attempts"] == 1


async def _failed(pool: Pool, job_id: Any) -> bool:
    found = await row(pool, job_id)
    return found["state"] == "pending" and found["last_error"] is not None


def store_is_full() -> None:
    with in_words("writing a download"):
        raise OSError(errno.ENOSPC, "No space left on device")


def database_is_full() -> None:
    raise asyncpg.DiskFullError('could not extend file "base/5/16384": No space left on device')


@pytest.mark.parametrize("fills", [store_is_full, database_is_full], ids=lambda fills: fills.__name__)
async def test_while_a_disk_is_full_the_lane_rests_and_no_attempt_is_spent(dsn: str, pool: Pool, fills: Any) -> None:
    full = True
    runs = 0

    async def handler(_job: Job[Plain]) -> Result:
        nonlocal runs
        runs += 1
        if full:
            fills()
        return Done()

    async with pool.acquire() as db:
        jobs = [await put(db, Plain(number=number)) for number in range(20)]
    lanes, timing = [Lane(name="test", concurrency=1)], replace(FAST, full=0.3)
    async with working(dsn, pool, [(Plain, handler)], lanes=lanes, timing=timing):
        await eventually(lambda: runs >= 4)
        found = [await row(pool, job) for job in jobs]
        assert sum(job["last_error"] is None for job in found) >= 15, "it tried one after the other, not all of them"
        assert {job["attempts"] for job in found if job["state"] == "pending"} == {0}
        told = [job["last_error"] for job in found if job["last_error"]]
        assert all("full" in text and "Free some space" in text for text in told)
        full = False
        await eventually(lambda: _is(pool, done=20))


async def test_a_pool_says_in_one_word_that_no_connection_can_be_had() -> None:
    pool = await open_pool("postgresql:///orihon?host=/nowhere")
    with pytest.raises(DatabaseAway, match="cannot be reached"):
        await pool.fetchval("SELECT 1")
    pool.terminate()


async def test_what_a_frozen_process_locked_is_free_after_a_while(dsn: str, pool: Pool) -> None:
    async with pool.acquire() as db:
        job_id = await put(db, Plain())
    frozen = await open_pool(dsn, size=1, most_idle=0.3)
    # Never given back: what the server cuts off meanwhile is in no state for that.
    db = await frozen.acquire()
    await db.transaction().start()
    await db.execute("UPDATE jobs SET priority = 1 WHERE id = $1", job_id)
    async with asyncio.timeout(10):
        await pool.execute("UPDATE jobs SET priority = 2 WHERE id = $1", job_id)
    frozen.terminate()
    assert (await row(pool, job_id))["priority"] == 2


async def _is(pool: Pool, **expected: int) -> bool:
    return await states(pool) == expected


def test_a_full_disk_keeps_its_name() -> None:
    with pytest.raises(StorageFull):
        store_is_full()
