"""The database's clock is set back: nothing waits for the hours that come twice.

The clock itself cannot be moved here; a time noted in the future is the same. `tests/chaos/test_clocks.py` moves it.
"""

import asyncio
from datetime import timedelta
from uuid import UUID

import asyncpg
import pytest
from tests.support.queueing import Plain, Unique, lease_one, put, row, states, working
from tests.support.waiting import eventually

from orihon.db.notify import Bus, Notice
from orihon.db.pool import Pool
from orihon.fetch.pacing import ROW, Held, SharedPace, Slot
from orihon.jobs import leases, schedule, upkeep
from orihon.jobs.handlers import Done, Job
from orihon.runtime import clock, live_status

pytestmark = pytest.mark.anyio

HOUR = timedelta(hours=1)


async def set_back(pool: Pool, by: timedelta = HOUR) -> None:
    """Everything was written by a clock that was ahead of the one now."""
    await pool.execute("UPDATE clock SET seen = clock_timestamp() + $1", by)
    await pool.execute(
        "UPDATE jobs SET created_at = created_at + $1::interval, updated_at = updated_at + $1::interval,"
        " scheduled_at = scheduled_at + $1::interval, leased_until = leased_until + $1::interval",
        by,
    )
    await pool.execute("UPDATE job_schedules SET next_at = next_at + $1::interval", by)
    await pool.execute(
        "UPDATE host_pace SET next_at = next_at + $1::interval, held_until = held_until + $1::interval", by
    )
    await pool.execute(
        "UPDATE live_status SET started_at = started_at + $1::interval, updated_at = updated_at + $1::interval,"
        " expires_at = expires_at + $1::interval",
        by,
    )


async def keep(pool: Pool) -> clock.SetBack | None:
    async with pool.acquire() as db:
        return await clock.keep(db)


async def seconds_until(pool: Pool, job: UUID, column: str) -> float:
    left: float = await pool.fetchval(
        f"SELECT extract(epoch FROM {column} - now())::float8 FROM jobs WHERE id = $1", job
    )
    return left


async def test_a_clock_that_goes_on_changes_nothing(pool: Pool) -> None:
    async with pool.acquire() as db:
        job = await put(db, Plain())
        await db.execute("UPDATE clock SET seen = now() - interval '3 hours'")  # or jumps ahead
    before = await row(pool, job)
    assert await keep(pool) is None
    assert await row(pool, job) == before
    assert await pool.fetchval("SELECT now() - seen < interval '5 seconds' FROM clock")


async def test_a_small_correction_is_followed_without_a_word(pool: Pool) -> None:
    await set_back(pool, timedelta(seconds=clock.STEP_SECONDS - 1))
    assert await keep(pool) is None
    assert await pool.fetchval("SELECT seen <= clock_timestamp() FROM clock")


async def test_what_was_due_is_due_and_what_waits_waits_as_long_as_before(pool: Pool) -> None:
    async with pool.acquire() as db:
        due = [await put(db, Plain(number=number)) for number in range(3)]
        later = await put(db, Plain())
        await db.execute("UPDATE jobs SET scheduled_at = now() + interval '10 minutes' WHERE id = $1", later)
        await set_back(pool)
        assert await leases.lease(db, "test", 10) == [], "or there would be nothing to mend"
        back = await clock.keep(db)
        assert back is not None
        assert back.jobs == 4
        assert back.seconds == pytest.approx(3600, abs=5)
        assert [leased.claim.id for leased in await leases.lease(db, "test", 10)] == due
    assert await seconds_until(pool, later, "scheduled_at") == pytest.approx(600, abs=5)


async def test_a_second_look_finds_nothing(pool: Pool) -> None:
    async with pool.acquire() as db:
        later = await put(db, Plain())
        await db.execute("UPDATE jobs SET scheduled_at = now() + interval '3 hours' WHERE id = $1", later)
    await set_back(pool)
    assert await keep(pool) is not None
    assert await keep(pool) is None
    assert await seconds_until(pool, later, "scheduled_at") == pytest.approx(3 * 3600, abs=5)


async def test_two_workers_move_it_once(pool: Pool) -> None:
    async with pool.acquire() as db:
        later = await put(db, Plain())
        await db.execute("UPDATE jobs SET scheduled_at = now() + interval '3 hours' WHERE id = $1", later)
    await set_back(pool)
    found = await asyncio.gather(*(keep(pool) for _ in range(8)))
    assert sum(back is not None for back in found) == 1
    assert await seconds_until(pool, later, "scheduled_at") == pytest.approx(3 * 3600, abs=5)


async def test_the_lease_of_a_vanished_worker_lapses_in_its_time(pool: Pool) -> None:
    async with pool.acquire() as db:
        dead = await put(db, Plain())
        await leases.lease(db, "test", 1, window=60)
        await set_back(pool)
        assert await clock.keep(db) is not None
        assert await seconds_until(pool, dead, "leased_until") == pytest.approx(60, abs=5)
        await db.execute("UPDATE jobs SET leased_until = now() - interval '1 second' WHERE id = $1", dead)
        assert await upkeep.reclaim_lapsed(db) == 1
        # The attempt is given back and with it the time for which it was due, which is not in the future now.
        assert (await lease_one(db)).claim.id == dead


async def test_a_lease_that_was_renewed_since_keeps_its_length(pool: Pool) -> None:
    async with pool.acquire() as db:
        job = await put(db, Plain())
        leased = await lease_one(db)
        await set_back(pool)
        assert await leases.renew(db, [leased.claim], 60) == {job}
        assert await clock.keep(db) is not None
        assert await seconds_until(pool, job, "leased_until") == pytest.approx(60, abs=5)
        assert await leases.done(db, leased.claim) is None


async def test_schedules_keep_their_rhythm(pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "now", Unique(name="now"), 600, at_once=True)
        await schedule.ensure(db, "soon", Unique(name="soon"), 600)
        await set_back(pool)
        assert await schedule.fire_due(db) == []
        assert await clock.keep(db) is not None
        assert await schedule.fire_due(db) == ["now"]
        left = await db.fetchval("SELECT extract(epoch FROM next_at - now()) FROM job_schedules WHERE name = 'soon'")
        assert float(left) == pytest.approx(600, abs=5)


async def test_a_host_is_paced_and_left_alone_as_long_as_before(pool: Pool) -> None:
    pace = SharedPace(pool)
    await pace.claim("paced", 10.0, 20)
    await pace.hold("held", 120, "it asked")
    await set_back(pool)
    assert await keep(pool) is not None
    paced, held = await pace.claim("paced", 10.0, 20), await pace.claim("held", 10.0, 20)
    assert isinstance(paced, Slot)
    assert paced.wait == pytest.approx(10, abs=5)
    assert isinstance(held, Held)
    assert held.seconds == pytest.approx(120, abs=5)


async def test_nobody_sleeps_for_a_slot_that_the_pace_cannot_have_meant(pool: Pool) -> None:
    """Whoever asks between the step and the look sleeps already when the row is mended."""
    pace = SharedPace(pool)
    await pace.claim("host", 1.0, 20)
    await set_back(pool)
    waits = [await pace.claim("host", 1.0, 20) for _ in range(2)]
    assert [slot.wait for slot in waits if isinstance(slot, Slot)] == pytest.approx([0, 1], abs=0.5)


async def test_a_long_row_is_no_clock_that_was_set_back(pool: Pool) -> None:
    pace = SharedPace(pool)
    waits = [await pace.claim("host", 5.0, 20) for _ in range(ROW)]
    assert [slot.wait for slot in waits if isinstance(slot, Slot)] == pytest.approx(range(0, 5 * ROW, 5), abs=4)


async def test_a_row_of_wide_gaps_is_kept_when_the_gap_has_shrunk(pool: Pool) -> None:
    """A host that is well again (`fetch.easing`): who came later does not overtake who waits."""
    pace = SharedPace(pool)
    await pace.claim("host", 0.02, 20)
    await pool.execute("UPDATE host_pace SET next_at = clock_timestamp() + interval '60 seconds'")
    slot = await pace.claim("host", 0.02, 20)
    assert isinstance(slot, Slot)
    assert slot.wait == pytest.approx(60, abs=5)


async def test_what_goes_on_is_shown_as_long_as_its_process_lives(pool: Pool) -> None:
    entry = "INSERT INTO live_status (key, owner, kind, value, expires_at) VALUES ($1, uuidv7(), 'walk', '{}', $2)"
    now = await pool.fetchval("SELECT now()")
    await pool.execute(entry, "gone", now - timedelta(seconds=1))
    await pool.execute(entry, "alive", now + timedelta(seconds=60))
    await set_back(pool)
    assert len(await live_status.read(pool)) == 2
    assert await keep(pool) is not None
    assert [live.key for live in await live_status.read(pool)] == ["alive"]


async def test_a_row_that_somebody_holds_is_moved_by_the_next_look(pool: Pool) -> None:
    async with pool.acquire() as db:
        job = await put(db, Plain())
    await set_back(pool)
    async with pool.acquire() as other, other.transaction():
        await other.execute("SELECT FROM jobs WHERE id = $1 FOR UPDATE", job)
        with pytest.raises(asyncpg.LockNotAvailableError):
            await keep(pool)
        assert await seconds_until(pool, job, "scheduled_at") > 3000, "all or nothing"
    assert await keep(pool) is not None
    assert await seconds_until(pool, job, "scheduled_at") <= 0


async def test_a_worker_goes_on_within_its_next_look(dsn: str, pool: Pool) -> None:
    async def nothing(_job: Job[Plain]) -> Done:
        return Done()

    async with pool.acquire() as db:
        for number in range(5):
            await put(db, Plain(number=number))
    await set_back(pool)
    async with Bus(dsn) as bus, working(dsn, pool, [(Plain, nothing)], bus=bus):
        await eventually(lambda: _all_done(pool), seconds=10)


async def _all_done(pool: Pool) -> bool:
    return await states(pool) == {"done": 5}


async def test_other_workers_are_woken(dsn: str, pool: Pool) -> None:
    woken = asyncio.Event()

    def hear(notice: Notice) -> None:
        if notice.payload == "test":
            woken.set()

    async with Bus(dsn) as bus:
        await bus.ready()
        async with pool.acquire() as db:
            await put(db, Plain())
        await set_back(pool)
        bus.listen("jobs", hear)
        assert await keep(pool) is not None
        async with asyncio.timeout(5):
            await woken.wait()
