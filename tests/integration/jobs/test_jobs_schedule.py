"""Interval schedules (spec crawler-core 3.2 in the form of DESIGN section 6), and who is woken by what."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import uuid4

import pytest
from tests.support.queueing import Elsewhere, Plain, Unique, put, states
from tests.support.waiting import eventually

from orihon.db.pool import Pool, connect
from orihon.jobs import leases, queue, schedule, upkeep, waiting

pytestmark = pytest.mark.anyio


async def _age(pool: Pool, **ago: float) -> None:
    await pool.execute("UPDATE job_schedules SET next_at = now() - $1::interval", timedelta(**ago))


async def _next_in(pool: Pool, name: str) -> float:
    seconds = await pool.fetchval(
        "SELECT extract(epoch FROM next_at - now())::float8 FROM job_schedules WHERE name = $1", name
    )
    assert isinstance(seconds, float)
    return seconds


async def test_a_schedule_fires_after_its_interval_and_then_again(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "walk", Plain(number=3), 600)
    assert await schedule.fire_due(pool) == []
    await _age(pool, seconds=1)
    assert await schedule.fire_due(pool) == ["walk"]
    assert await schedule.fire_due(pool) == []
    assert await _next_in(pool, "walk") == pytest.approx(599, abs=5)
    async with pool.acquire() as db:
        (leased,) = await leases.lease(db, "test")
        assert "3" in leased.payload


async def test_a_new_schedule_may_fire_at_once(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "sweep", Plain(), 600, at_once=True)
    assert await schedule.fire_due(pool) == ["sweep"]


async def test_a_week_of_downtime_is_caught_up_once_and_the_rhythm_stays(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "walk", Plain(), 3600)
    await _age(pool, days=7, minutes=20)
    assert await schedule.fire_due(pool) == ["walk"]
    assert await schedule.fire_due(pool) == []
    assert await states(pool) == {"pending": 1}
    assert await _next_in(pool, "walk") == pytest.approx(40 * 60, abs=5)


async def test_a_slot_whose_last_job_is_not_done_yet_is_skipped(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "walk", Unique(name="a"), 60)
        await put(db, Unique(name="a"))
    await _age(pool, seconds=1)
    assert await schedule.fire_due(pool) == ["walk"]
    assert await states(pool) == {"pending": 1}


async def test_many_processes_fire_a_slot_once(pool: Pool) -> None:
    async with pool.acquire() as db:
        for number in range(20):
            await schedule.ensure(db, f"s{number}", Plain(number=number), 60)
    await _age(pool, seconds=1)
    fired = await asyncio.gather(*(schedule.fire_due(pool) for _ in range(6)))
    assert sorted(name for names in fired for name in names) == sorted(f"s{number}" for number in range(20))
    assert await states(pool) == {"pending": 20}


async def test_ensuring_again_keeps_the_slot_and_takes_the_new_payload(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "walk", Plain(number=1), 600)
        await pool.execute("UPDATE job_schedules SET next_at = now() + interval '100 s'")
        await schedule.ensure(db, "walk", Plain(number=2), 3600)
    assert await _next_in(pool, "walk") == pytest.approx(100, abs=5)
    assert await pool.fetchval("SELECT payload ->> 'number' FROM job_schedules") == "2"


async def test_a_shorter_interval_takes_effect_at_once(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "walk", Plain(), 86_400)
        await schedule.ensure(db, "walk", Plain(), 60)
    assert await _next_in(pool, "walk") == pytest.approx(60, abs=5)


async def test_a_removed_schedule_is_silent(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "walk", Plain(), 60, at_once=True)
        await schedule.remove(db, "walk")
    assert await schedule.fire_due(pool) == []


# --- waking ---


@pytest.fixture
async def heard(shared: str) -> AsyncIterator[list[str]]:
    """Lanes that were named on the `jobs` channel."""
    lanes: list[str] = []
    connection = await connect(shared)
    await connection.add_listener("jobs", lambda *said: lanes.append(str(said[3])))
    try:
        yield lanes
    finally:
        await connection.close()


async def _settled(pool: Pool, heard: list[str]) -> list[str]:
    """What was heard up to now: notices arrive in order, so a mark tells that all before it have."""
    await pool.execute("SELECT pg_notify('jobs', 'mark')")
    await eventually(lambda: "mark" in heard)
    heard.remove("mark")
    return heard


async def test_an_enqueue_wakes_only_who_waits_for_its_lane(pool: Pool, heard: list[str]) -> None:
    """Recall.ai 2025, 18F PR 7870: NOTIFY takes a database-wide lock, so it is sent only when somebody sleeps."""
    worker = uuid4()
    async with pool.acquire() as db:
        await put(db, Plain(number=1))
        assert await _settled(pool, heard) == []
        assert await waiting.announce(db, "test", worker, 60) is None
        await put(db, Elsewhere())
        assert await _settled(pool, heard) == []
        await put(db, Plain(number=2))
        await queue.enqueue_many(db, [Plain(number=3), Elsewhere(), Plain(number=4)])
        assert await _settled(pool, heard) == ["test", "test"]
        heard.clear()
        await waiting.withdraw(db, "test", worker)
        await put(db, Plain(number=5))
        assert await _settled(pool, heard) == []


async def test_a_duplicate_wakes_nobody(pool: Pool, heard: list[str]) -> None:
    async with pool.acquire() as db:
        await put(db, Unique(name="a"))
        await waiting.announce(db, "test", uuid4(), 60)
        await queue.enqueue(db, Unique(name="a"))
        await queue.enqueue_many(db, [Unique(name="a")])
        assert await _settled(pool, heard) == []


async def test_a_worker_that_vanished_while_waiting_is_not_woken_for_ever(pool: Pool, heard: list[str]) -> None:
    async with pool.acquire() as db:
        await waiting.announce(db, "test", uuid4(), 60)
        await db.execute("UPDATE job_waiters SET until = now() - interval '2 hours'")
        await put(db, Plain())
        assert await _settled(pool, heard) == []
        await waiting.forget(db, uuid4())
        assert await db.fetchval("SELECT count(*) FROM job_waiters") == 0


async def test_a_waiting_worker_learns_when_its_next_job_is_due(pool: Pool) -> None:
    """Whatever its priority or key, and however far off the more urgent ones are."""
    worker = uuid4()
    async with pool.acquire() as db:
        for seconds, priority, key in ((7200, -5, None), (300, 3, None), (90, 0, "a"), (3600, 9, None)):
            await db.execute(
                "INSERT INTO jobs (lane, kind, payload, priority, concurrency_key, scheduled_at)"
                " VALUES ('test', 'plain', '{}', $2, $3, now() + make_interval(secs => $1))",
                float(seconds), priority, key,
            )  # fmt: skip
        assert await waiting.announce(db, "test", worker, 60) == pytest.approx(90, abs=2)
        await db.execute("DELETE FROM jobs WHERE concurrency_key IS NOT NULL")
        assert await waiting.announce(db, "test", worker, 60) == pytest.approx(300, abs=2)
        await db.execute("DELETE FROM jobs")
        assert await waiting.announce(db, "test", worker, 60) is None


async def test_rescued_and_revived_jobs_wake_their_lane(pool: Pool, heard: list[str]) -> None:
    async with pool.acquire() as db:
        await put(db, Plain(number=1))
        (leased,) = await leases.lease(db, "test")
        await db.execute("UPDATE jobs SET leased_until = now() - interval '1 minute'")
        await upkeep.reclaim_lapsed(db)
        assert await _settled(pool, heard) == ["test"]
        heard.clear()
        (leased,) = await leases.lease(db, "test")
        await leases.fail(db, leased.claim, "no", final=True)
        await upkeep.requeue(db)
        assert await _settled(pool, heard) == ["test"]
