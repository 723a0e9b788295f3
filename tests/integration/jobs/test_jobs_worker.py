"""The worker on a real PostgreSQL (spec crawler-core 3.4-3.7; DESIGN section 6, rulings 5 and 22)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import asyncpg
import msgspec
import pytest
import structlog
from tests.support.queueing import (
    FAST,
    Brief,
    Coalescing,
    Elsewhere,
    Keyed,
    Plain,
    Unique,
    lapse,
    put,
    row,
    states,
    working,
)
from tests.support.waiting import eventually

from orihon.db.notify import Bus
from orihon.db.pool import Pool, connect
from orihon.jobs import leases, queue, schedule
from orihon.jobs.handlers import Done, GiveUp, Job, Postpone, Result, Settled
from orihon.jobs.lane import Lane, Timing
from orihon.jobs.leases import LeaseLost
from orihon.runtime import live_status

pytestmark = pytest.mark.anyio


class Recorder:
    """A handler that notes what it ran, and can hold its job until told."""

    def __init__(self, *, holds: bool = False, answer: Result | BaseException | None = None) -> None:
        self.numbers: list[int] = []
        self.begun = asyncio.Event()
        self.go = asyncio.Event()
        self.ended_by: list[str] = []
        self._answer = answer
        if not holds:
            self.go.set()

    async def __call__(self, job: Job[Plain]) -> Result:
        self.numbers.append(getattr(job.payload, "number", -1))
        self.begun.set()
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.ended_by.append("cancelled")
            raise
        self.ended_by.append("itself")
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer or Done()


async def _put(pool: Pool, *payloads: Plain | Unique | Brief | Keyed | Coalescing | Elsewhere) -> list[object]:
    async with pool.acquire() as db:
        return [await put(db, payload) for payload in payloads]


async def _is(pool: Pool, **expected: int) -> bool:
    return await states(pool) == expected


# --- plain work ---


@pytest.mark.parametrize(
    "lane", [Lane(name="test", concurrency=2), Lane(name="test", prefetch=50)], ids=["wide", "hot"]
)
async def test_a_worker_drains_its_lane(dsn: str, pool: Pool, lane: Lane) -> None:
    """BD-1."""
    async with pool.acquire() as db:
        await queue.enqueue_many(db, [Plain(number=number) for number in range(333)])
    handler = Recorder()
    async with working(dsn, pool, [(Plain, handler)], lanes=[lane]):
        await eventually(lambda: _is(pool, done=333))
    assert sorted(handler.numbers) == list(range(333))


async def test_jobs_of_one_slot_run_in_order(dsn: str, pool: Pool) -> None:
    await _put(pool, *(Plain(number=number) for number in range(20)))
    handler = Recorder()
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", prefetch=5)]):
        await eventually(lambda: _is(pool, done=20))
    assert handler.numbers == list(range(20))


async def test_a_long_lane_never_delays_a_short_one(dsn: str, pool: Pool) -> None:
    slow, quick = Recorder(holds=True), Recorder()
    await _put(pool, *(Plain(number=number) for number in range(5)))
    lanes = [Lane(name="test", concurrency=2), Lane(name="other")]
    async with working(dsn, pool, [(Plain, slow), (Elsewhere, quick)], lanes=lanes):
        await slow.begun.wait()
        await _put(pool, Elsewhere())
        await eventually(lambda: len(quick.numbers) == 1)
        slow.go.set()


async def test_no_more_jobs_run_side_by_side_than_the_lane_allows(dsn: str, pool: Pool) -> None:
    handler = Recorder(holds=True)
    await _put(pool, *(Plain(number=number) for number in range(9)))
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", concurrency=3)]):
        await eventually(lambda: len(handler.numbers) == 3)
        assert await states(pool) == {"running": 3, "pending": 6}
        handler.go.set()
        await eventually(lambda: _is(pool, done=9))


async def test_a_keyed_lane_is_drained_one_at_a_time_per_key(dsn: str, pool: Pool) -> None:
    running: set[str] = set()

    async def handler(job: Job[Keyed]) -> Result:
        assert job.payload.platform not in running
        running.add(job.payload.platform)
        await asyncio.sleep(0)
        running.remove(job.payload.platform)
        return Done()

    await _put(pool, *(Keyed(platform=platform, number=number) for platform in "ab" for number in range(8)))
    async with working(dsn, pool, [(Keyed, handler)], lanes=[Lane(name="test", concurrency=4)]):
        await eventually(lambda: _is(pool, done=16))


# --- how a job can end ---


async def test_an_error_is_recorded_with_its_causes_and_the_job_backs_off(dsn: str, pool: Pool) -> None:
    (job_id,) = await _put(pool, Plain())
    error = ValueError("no pages")
    error.__cause__ = KeyError("img")
    async with working(dsn, pool, [(Plain, Recorder(answer=error))]):
        await eventually(lambda: _is(pool, pending=1))
        await eventually(lambda: pool.fetchval("SELECT last_error FROM jobs"))
    job = await row(pool, job_id)
    assert job["last_error"] == "ValueError: no pages <- KeyError: 'img'"
    assert job["attempts"] == 1
    assert timedelta(seconds=47) < job["scheduled_at"] - job["updated_at"] < timedelta(seconds=73)


@pytest.mark.parametrize("panic", [SystemExit(1), GeneratorExit(), KeyboardInterrupt()], ids=["exit", "close", "break"])
async def test_a_panic_is_contained(dsn: str, pool: Pool, panic: BaseException) -> None:
    """BD-3, invariant 5: it costs the job one attempt, and the worker nothing."""
    await _put(pool, Plain(number=1), Plain(number=2))
    async with working(dsn, pool, [(Plain, Recorder(answer=panic))], lanes=[Lane(name="test")]):
        await eventually(
            lambda: pool.fetchval("SELECT count(*) = 2 FROM jobs WHERE last_error LIKE 'worker panicked%'")
        )
    assert await states(pool) == {"pending": 2}
    assert await pool.fetchval("SELECT array_agg(attempts) FROM jobs") == [1, 1]


async def test_a_handler_that_cancels_itself_fails_and_its_slot_lives_on(dsn: str, pool: Pool) -> None:
    await _put(pool, Plain(number=1), Plain(number=2))
    async with working(dsn, pool, [(Plain, Recorder(answer=asyncio.CancelledError()))], lanes=[Lane(name="test")]):
        await eventually(lambda: pool.fetchval("SELECT count(last_error) = 2 FROM jobs"))
    assert await pool.fetchval("SELECT array_agg(attempts) FROM jobs") == [1, 1]


async def test_a_handler_that_gives_up_is_believed(dsn: str, pool: Pool) -> None:
    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, Recorder(answer=GiveUp("the chapter is gone")))]):
        await eventually(lambda: _is(pool, dead=1))
    assert "the chapter is gone" in await pool.fetchval("SELECT last_error FROM jobs")


async def test_a_run_past_its_time_limit_is_cut_off(dsn: str, pool: Pool) -> None:
    """AN-12."""
    (job_id,) = await _put(pool, Brief())
    handler = Recorder(holds=True)
    async with working(dsn, pool, [(Brief, handler)]):
        await eventually(lambda: pool.fetchval("SELECT last_error FROM jobs"))
    job = await row(pool, job_id)
    assert job["last_error"].startswith("dispatch timed out")
    assert (job["state"], job["attempts"], handler.ended_by) == ("pending", 1, ["cancelled"])


async def test_a_timeout_inside_a_handler_is_an_ordinary_error(dsn: str, pool: Pool) -> None:
    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, Recorder(answer=TimeoutError("the site did not answer")))]):
        await eventually(lambda: pool.fetchval("SELECT last_error FROM jobs"))
    assert await pool.fetchval("SELECT last_error FROM jobs") == "TimeoutError: the site did not answer"


@pytest.mark.parametrize("seconds", [5, 30], ids=["browser unavailable", "session expired"])
async def test_a_postponed_job_keeps_its_attempt_and_waits(dsn: str, pool: Pool, seconds: int) -> None:
    """AN-10, AN-11, BD-2 (the session flag itself belongs to a later issue), invariant 5."""
    (job_id,) = await _put(pool, Plain())
    handler = Recorder(answer=Postpone(seconds, "later"))
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(lambda: pool.fetchval("SELECT last_error FROM jobs"))
    job = await row(pool, job_id)
    assert (job["state"], job["attempts"], job["last_error"]) == ("pending", 0, "later")
    assert job["scheduled_at"] - job["updated_at"] == timedelta(seconds=seconds)
    assert len(handler.numbers) == 1


async def test_a_settled_job_is_left_as_its_handler_left_it(dsn: str, pool: Pool) -> None:
    """A chunk continues itself in the transaction of its checkpoint, until it is done."""

    async def handler(job: Job[Plain]) -> Result:
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            if job.payload.number < 5:
                await leases.continue_(db, job.claim, Plain(number=job.payload.number + 1))
            else:
                await leases.done(db, job.claim)
        return Settled()

    (job_id,) = await _put(pool, Plain(number=1))
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(lambda: _is(pool, done=1))
    job = await row(pool, job_id)
    assert job["lease_generation"] == 5 + 4


async def test_a_request_that_comes_while_the_job_runs_makes_it_run_again(dsn: str, pool: Pool) -> None:
    handler = Recorder(holds=True)
    await _put(pool, Coalescing(name="a"))
    async with working(dsn, pool, [(Coalescing, handler)]):
        await handler.begun.wait()
        async with pool.acquire() as db:
            await queue.enqueue(db, Coalescing(name="a"))
        handler.go.set()
        await eventually(lambda: _is(pool, done=1))
    assert len(handler.numbers) == 2


# --- payloads and kinds ---


async def test_one_poisonous_payload_dies_alone(dsn: str, pool: Pool) -> None:
    """H5, ruling 5."""
    await pool.execute("INSERT INTO jobs (lane, kind, payload) VALUES ('test', 'plain', '{\"number\": \"1\"}')")
    await _put(pool, *(Plain(number=number) for number in range(10)))
    async with working(dsn, pool, [(Plain, Recorder())], lanes=[Lane(name="test", prefetch=50)]):
        await eventually(lambda: _is(pool, done=10, dead=1))
    assert "no plain" in await pool.fetchval("SELECT last_error FROM jobs WHERE state = 'dead'")


async def test_a_kind_that_this_version_does_not_know_is_left_for_another(dsn: str, pool: Pool) -> None:
    """river #1105: during an upgrade an old worker must not bury the new one's jobs."""
    await pool.execute("INSERT INTO jobs (lane, kind, payload) VALUES ('test', 'of_tomorrow', '{}')")
    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, Recorder())]):
        await eventually(lambda: _is(pool, done=1, pending=1))
    job = await pool.fetchrow("SELECT *, scheduled_at > now() AS later FROM jobs WHERE kind = 'of_tomorrow'")
    assert job is not None
    assert (job["attempts"], job["later"]) == (0, True)


# --- leases ---


async def test_a_long_job_keeps_its_lease(dsn: str, pool: Pool) -> None:
    """hexpm PR 1825: rescue by age runs long jobs twice; here a beat keeps them, in the buffer as well."""
    handler = Recorder(holds=True)
    await _put(pool, *(Plain(number=number) for number in range(4)))
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", prefetch=3)]):
        await handler.begun.wait()
        before = await pool.fetchval("SELECT max(leased_until) FROM jobs")
        await eventually(
            lambda: pool.fetchval("SELECT min(leased_until) > $1 FROM jobs", before + timedelta(seconds=FAST.window))
        )
        assert await states(pool) == {"running": 4}
        handler.go.set()
        await eventually(lambda: _is(pool, done=4))
    assert handler.numbers == [0, 1, 2, 3]


async def test_a_stolen_job_is_dropped_and_nothing_of_it_is_written(dsn: str, pool: Pool) -> None:
    """AN-14 and spec 3.6 under ruling 22: a lost lease stops the handler; it does not run on to a late ack."""
    handler = Recorder(holds=True)
    (job_id,) = await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, handler)]):
        await handler.begun.wait()
        await pool.execute(
            "UPDATE jobs SET lease_generation = lease_generation + 1, leased_until = now() + interval '1 hour'"
        )
        stolen = await row(pool, job_id)
        await eventually(lambda: handler.ended_by == ["cancelled"])
    assert await row(pool, job_id) == stolen


async def test_a_job_that_its_handler_has_settled_is_not_taken_for_stolen(dsn: str, pool: Pool) -> None:
    """A beat may come between the end of the handler's transaction and its return; that is no lost lease."""
    handler = Recorder(holds=True)

    async def settling(job: Job[Plain]) -> Result:
        if job.payload.number == 1:
            async with job.pool.acquire() as db:
                await leases.done(db, job.claim)
        await handler(job)
        return Settled() if job.payload.number == 1 else Done()

    _, second = await _put(pool, Plain(number=1), Plain(number=2))
    with structlog.testing.capture_logs() as logs:
        async with working(dsn, pool, [(Plain, settling)], timing=msgspec.structs.replace(FAST, returning=60.0)):
            await eventually(lambda: _is(pool, done=1, running=1))
            # Two beats: the first may have been under way.
            for _ in range(2):
                renewed = await pool.fetchval("SELECT leased_until FROM jobs WHERE id = $1", second)
                await eventually(
                    lambda than=renewed: pool.fetchval("SELECT leased_until > $2 FROM jobs WHERE id = $1", second, than)
                )
            handler.go.set()
            await eventually(lambda: _is(pool, done=2))
    assert handler.ended_by == ["itself", "itself"]
    assert not [entry for entry in logs if entry["log_level"] in ("error", "warning")]


async def test_a_stolen_job_that_was_not_begun_is_not_begun(dsn: str, pool: Pool) -> None:
    handler = Recorder(holds=True)
    first, second = await _put(pool, Plain(number=1), Plain(number=2))
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", prefetch=5)]):
        await handler.begun.wait()
        await eventually(lambda: _is(pool, running=2))
        await pool.execute(
            "UPDATE jobs SET lease_generation = 9, leased_until = now() + interval '1 hour' WHERE id = $1", second
        )
        # Two beats: the first may have been answered before the theft.
        for _ in range(2):
            renewed = await pool.fetchval("SELECT leased_until FROM jobs WHERE id = $1", first)
            await eventually(
                lambda than=renewed: pool.fetchval("SELECT leased_until > $2 FROM jobs WHERE id = $1", first, than)
            )
        handler.go.set()
        await eventually(lambda: _is(pool, done=1, running=1))
    assert handler.numbers == [1]


async def test_a_handler_that_finds_its_claim_lost_leaves_no_trace(dsn: str, pool: Pool) -> None:
    async def handler(job: Job[Plain]) -> Result:
        async with job.pool.acquire() as db:
            await leases.release(db, job.claim, after=3600)
        raise LeaseLost

    (job_id,) = await _put(pool, Plain())
    with structlog.testing.capture_logs() as logs:
        async with working(dsn, pool, [(Plain, handler)]):
            await eventually(lambda: any("lease lost" in entry["event"] for entry in logs))
    job = await row(pool, job_id)
    assert (job["state"], job["attempts"], job["last_error"]) == ("pending", 0, None)


async def test_three_failed_beats_drop_the_job(dsn: str, pool: Pool) -> None:
    """AN-13: the row is left to its lease; another worker may own it already."""
    handler = Recorder(holds=True)
    (job_id,) = await _put(pool, Plain())
    timing = Timing(window=1.5, beat=0.3, linger=0.0, trouble=0.05, reclaim=3600, schedule=3600, drain=5)
    async with working(dsn, pool, [(Plain, handler)], timing=timing):
        await handler.begun.wait()
        await pool.execute("ALTER TABLE jobs RENAME COLUMN leased_until TO moved_away")
        await eventually(lambda: handler.ended_by == ["cancelled"])
        await pool.execute("ALTER TABLE jobs RENAME COLUMN moved_away TO leased_until")
    job = await row(pool, job_id)
    assert (job["state"], job["lease_generation"], job["attempts"], job["last_error"]) == ("running", 1, 1, None)


async def test_two_failed_beats_do_not(dsn: str, pool: Pool) -> None:
    handler = Recorder(holds=True)
    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, handler)]):
        await handler.begun.wait()
        await pool.execute("ALTER TABLE jobs RENAME COLUMN leased_until TO moved_away")
        await asyncio.sleep(FAST.beat)
        await pool.execute("ALTER TABLE jobs RENAME COLUMN moved_away TO leased_until")
        renewed = await pool.fetchval("SELECT leased_until FROM jobs")
        await eventually(lambda: pool.fetchval("SELECT leased_until > $1 FROM jobs", renewed))
        handler.go.set()
        await eventually(lambda: _is(pool, done=1))


async def test_a_handler_that_ignores_its_cancellation_loses_its_lease(dsn: str, pool: Pool) -> None:
    """river #1258: jobs "ran" for 91 days, since their handlers ignored cancellation and nothing let go of them."""
    stop = asyncio.Event()

    async def deaf(job: Job[Brief]) -> Result:
        while not stop.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await stop.wait()
        return Done()

    await _put(pool, Brief())
    async with working(dsn, pool, [(Brief, deaf)], lanes=[Lane(name="test")]):
        await eventually(lambda: pool.fetchval("SELECT reclaims > 0 FROM jobs"))
        stop.set()
        await eventually(lambda: _is(pool, done=1))


async def test_handlers_that_use_up_the_pool_do_not_starve_the_heartbeat(dsn: str, pool: Pool) -> None:
    handler_has = asyncio.Event()
    go = asyncio.Event()

    async def greedy(job: Job[Plain]) -> Result:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(job.pool.get_max_size()):
                await stack.enter_async_context(job.pool.acquire())
            handler_has.set()
            await go.wait()
        return Done()

    await _put(pool, Plain())
    watcher = await connect(dsn)
    async with working(dsn, pool, [(Plain, greedy)]):
        await handler_has.wait()
        before = await watcher.fetchval("SELECT leased_until FROM jobs")
        await eventually(lambda: watcher.fetchval("SELECT leased_until > $1 FROM jobs", before))
        go.set()
        await eventually(lambda: _is(pool, done=1))
    await watcher.close()


async def test_the_heartbeat_keeps_no_connection_while_there_is_nothing_to_renew(dsn: str, pool: Pool) -> None:
    beats = f"""
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND query = $pulse${leases._RENEW}$pulse$
    """
    handler = Recorder(holds=True)
    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(lambda: pool.fetchval(f"SELECT ({beats}) = 1"))
        handler.go.set()
        await eventually(lambda: pool.fetchval(f"SELECT ({beats}) = 0"))
    assert await states(pool) == {"done": 1}


async def test_a_beat_too_slow_for_the_lease_is_refused() -> None:
    """pgqueuer #430: a beat slower than the timeout ran jobs twice."""
    with pytest.raises(ValueError, match="heartbeat"):
        Timing(window=60, beat=30)


async def test_jobs_of_a_vanished_worker_are_taken_back(dsn: str, pool: Pool) -> None:
    """procrastinate #1408: the rescuer is part of every worker, not a job that may itself be stuck."""
    async with pool.acquire() as db:
        job_id = await put(db, Plain())
        await leases.lease(db, "test")
        await lapse(db, job_id)
    async with working(dsn, pool, [(Plain, Recorder())]):
        await eventually(lambda: _is(pool, done=1))
    job = await row(pool, job_id)
    assert (job["reclaims"], job["attempts"]) == (1, 1)


# --- stopping ---


async def test_a_graceful_stop_costs_no_attempt(dsn: str, pool: Pool) -> None:
    """AN-9, BQ-13, invariant 5; pgqueuer #630, #173: what was prefetched goes back as well."""
    handler = Recorder(holds=True)
    await _put(pool, *(Plain(number=number) for number in range(9)))
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", concurrency=2, prefetch=4)]):
        await eventually(lambda: _is(pool, running=6, pending=3))
    assert await states(pool) == {"pending": 9}
    assert await pool.fetchval("SELECT max(attempts) FROM jobs") == 0
    assert handler.ended_by == ["cancelled", "cancelled"]
    assert await pool.fetchval("SELECT count(*) FROM job_waiters") == 0


async def test_a_second_stop_does_not_cut_the_giving_back_short(dsn: str, pool: Pool) -> None:
    """H12: the release after cancellation must itself not be cancelled."""
    cleaning, cleaned = asyncio.Event(), asyncio.Event()

    async def handler(job: Job[Plain]) -> Result:
        try:
            await asyncio.Event().wait()
        finally:
            cleaning.set()
            await cleaned.wait()
        return Done()

    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, handler)]) as worker:
        await eventually(lambda: _is(pool, running=1))
        running = next(task for task in asyncio.all_tasks() if "Worker.run" in repr(task.get_coro()))
        assert worker
        running.cancel()
        await cleaning.wait()
        running.cancel()
        cleaned.set()
        await eventually(lambda: _is(pool, pending=1))
    assert await pool.fetchval("SELECT attempts FROM jobs") == 0


async def test_a_job_that_ends_while_the_worker_stops_is_not_run_again(dsn: str, pool: Pool) -> None:
    handler = Recorder()
    await _put(pool, *(Plain(number=number) for number in range(40)))
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", prefetch=10)]):
        await handler.begun.wait()
    found = await states(pool)
    assert found.get("done", 0) == len(handler.numbers)
    assert found.get("running", 0) == 0


async def test_a_handler_that_does_not_stop_cannot_hold_the_worker(dsn: str, pool: Pool) -> None:
    """procrastinate #1513: a shutdown must not hang."""
    stop = asyncio.Event()

    async def deaf(job: Job[Plain]) -> Result:
        while not stop.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await stop.wait()
        return Done()

    await _put(pool, Plain())
    timing = Timing(window=1.5, beat=0.3, drain=0.2)
    async with asyncio.timeout(10):
        async with working(dsn, pool, [(Plain, deaf)], timing=timing):
            await eventually(lambda: _is(pool, running=1))
        stop.set()


# --- a database that comes and goes ---


@pytest.fixture
async def watcher(dsn: str) -> AsyncIterator[Pool]:
    """A pool of the test's own, whose connections are spared."""
    opened = await asyncpg.create_pool(dsn, min_size=1, max_size=1, server_settings={"application_name": "watcher"})
    try:
        yield opened
    finally:
        opened.terminate()


_CUT = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name <> 'watcher'
"""


async def test_a_connection_lost_in_the_middle_of_a_job_doubles_nothing(dsn: str, pool: Pool, watcher: Pool) -> None:
    """procrastinate #1116: losing the database is normal; the job finishes, once, and the worker works on."""
    handler = Recorder(holds=True)
    (job_id,) = await _put(watcher, Plain(number=1))
    async with Bus(dsn) as bus, working(dsn, pool, [(Plain, handler)], bus=bus):
        await handler.begun.wait()
        await watcher.execute(_CUT)
        handler.go.set()
        await eventually(lambda: _is(watcher, done=1))
        await watcher.execute(_CUT)
        await _put(watcher, Plain(number=2))
        await eventually(lambda: _is(watcher, done=2))
    assert handler.numbers == [1, 2]
    assert (await row(watcher, job_id))["lease_generation"] == 1


async def test_any_number_of_cuts_leaves_every_job_done_once(dsn: str, pool: Pool, watcher: Pool) -> None:
    await _put(watcher, *(Plain(number=number) for number in range(300)))
    handler = Recorder()
    async with Bus(dsn) as bus, working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", prefetch=7)], bus=bus):
        for done in range(50, 300, 50):
            await eventually(lambda done=done: len(set(handler.numbers)) >= done)
            await watcher.execute(_CUT)
        await eventually(lambda: _is(watcher, done=300))
    assert set(handler.numbers) == set(range(300))


async def test_finished_jobs_are_settled_once_the_database_answers_again(dsn: str, pool: Pool) -> None:
    """river #995: a completion that is given up is a job that is run again."""
    handler = Recorder(holds=True)
    await _put(pool, *(Plain(number=number) for number in range(3)))
    timing = Timing(window=60, beat=20, linger=0.0, trouble=0.05, reclaim=3600, schedule=3600)
    async with working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test", concurrency=3)], timing=timing):
        await eventually(lambda: len(handler.numbers) == 3)
        await pool.execute("ALTER TABLE jobs RENAME COLUMN rerun TO moved_away")
        handler.go.set()
        await eventually(lambda: handler.ended_by == ["itself"] * 3)
        await asyncio.sleep(0.2)
        await pool.execute("ALTER TABLE jobs RENAME COLUMN moved_away TO rerun")
        await eventually(lambda: _is(pool, done=3))
    assert sorted(handler.numbers) == [0, 1, 2]


# --- waking up ---

SLOW = Timing(window=60, beat=20, linger=0.0, reclaim=3600, schedule=3600)
"""Nothing happens by itself within a test, except the poll after a second."""


async def test_a_hint_wakes_an_idle_worker_at_once(dsn: str, pool: Pool) -> None:
    handler = Recorder()
    async with Bus(dsn) as bus, working(dsn, pool, [(Plain, handler)], timing=SLOW, bus=bus):
        await bus.ready()
        await eventually(lambda: pool.fetchval("SELECT count(*) = 1 FROM job_waiters WHERE until > now()"))
        async with asyncio.timeout(0.5):
            await _put(pool, Plain())
            await handler.begun.wait()


async def test_a_worker_asks_for_hints_while_it_idles_and_for_none_while_it_is_busy(dsn: str, pool: Pool) -> None:
    """NOTIFY takes a database-wide lock: a backlog must not pay for it, and a trickle must not wait for a poll."""
    waits = "SELECT count(*) = 1 FROM job_waiters WHERE until > now()"
    handler = Recorder(holds=True)
    async with Bus(dsn) as bus, working(dsn, pool, [(Plain, handler)], lanes=[Lane(name="test")], timing=SLOW, bus=bus):
        await bus.ready()
        await eventually(lambda: pool.fetchval(waits))
        await _put(pool, Plain(number=1), Plain(number=2))
        await handler.begun.wait()
        await eventually(lambda: pool.fetchval(f"SELECT NOT ({waits})"))
        handler.go.set()
        await eventually(lambda: _is(pool, done=2))
        await eventually(lambda: pool.fetchval(waits))
        handler.begun.clear()
        async with asyncio.timeout(0.5):
            await _put(pool, Plain(number=3))
            await handler.begun.wait()


async def test_without_hints_polling_finds_the_job(dsn: str, pool: Pool) -> None:
    """Ruling 16: polling is the truth."""
    handler = Recorder()
    async with working(dsn, pool, [(Plain, handler)], timing=SLOW):
        await eventually(lambda: pool.fetchval("SELECT count(*) = 1 FROM job_waiters WHERE until > now()"))
        await _put(pool, Plain())
        async with asyncio.timeout(5):
            await handler.begun.wait()


async def test_a_worker_wakes_for_a_job_that_becomes_due(dsn: str, pool: Pool) -> None:
    handler = Recorder()
    async with Bus(dsn) as bus, working(dsn, pool, [(Plain, handler)], timing=SLOW, bus=bus):
        await bus.ready()
        await eventually(lambda: pool.fetchval("SELECT count(*) = 1 FROM job_waiters WHERE until > now()"))
        due = datetime.now(UTC) + timedelta(seconds=0.3)
        async with pool.acquire() as db:
            await queue.enqueue(db, Plain(), at=due)
        async with asyncio.timeout(0.8):
            await handler.begun.wait()
        assert datetime.now(UTC) >= due


async def test_a_worker_fires_schedules(dsn: str, pool: Pool) -> None:
    async with pool.acquire() as db:
        await schedule.ensure(db, "often", Plain(), 1, at_once=True)
    handler = Recorder()
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(lambda: len(handler.numbers) >= 2)


async def test_a_job_shows_what_it_does_while_it_runs(dsn: str, pool: Pool) -> None:
    shown = asyncio.Event()

    async def handler(job: Job[Plain]) -> Result:
        async with job.status("source:1", kind="walk") as status:
            await status.update(phase="walking", text="A title", done=1, total=3)
            await shown.wait()
        return Done()

    async def is_shown() -> bool:
        return [live.now.text for live in await live_status.read(pool)] == ["A title"]

    await _put(pool, Plain())
    async with working(dsn, pool, [(Plain, handler)]):
        await eventually(is_shown)
        shown.set()
        await eventually(lambda: _is(pool, done=1))
    assert await live_status.read(pool) == []
