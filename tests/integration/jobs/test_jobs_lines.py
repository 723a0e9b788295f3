"""Fairness: jobs of one lane take turns, source by source (docs/architecture.md)."""

import asyncio
from collections import Counter
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.queueing import Lined, Plain, lapse, lease_one, put, states, working

from orihon.db.pool import Connection, Pool, connect
from orihon.jobs import leases, queue, upkeep, waiting
from orihon.jobs.handlers import Done, Job
from orihon.jobs.lane import Lane
from orihon.jobs.leases import Leased
from orihon.jobs.payloads import decode

pytestmark = pytest.mark.anyio


def of(leased: Leased) -> Lined:
    return decode(Lined, leased.payload)


def jobs(source: str, count: int) -> list[Lined]:
    return [Lined(source=source, number=number) for number in range(count)]


async def next_of(db: Connection) -> Lined:
    """Run the next job."""
    leased = await lease_one(db)
    await leases.done(db, leased.claim)
    return of(leased)


async def test_a_newcomer_has_its_turn_beside_a_long_line_and_both_keep_their_order(pool: Pool) -> None:
    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("long", 5000))
        for _ in range(3):
            await next_of(db)
        await queue.enqueue_many(db, jobs("new", 10))
        ran = [await next_of(db) for _ in range(30)]
    assert [job.number for job in ran if job.source == "new"] == list(range(10))
    assert [job.number for job in ran if job.source == "long"] == list(range(3, 23))
    assert [job.source for job in ran[:20]].count("new") == 10


async def test_a_line_with_fewer_running_jobs_goes_first(pool: Pool) -> None:
    """A slow site holds its share of the places, not all that come free."""
    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("slow", 20))
        await lease_one(db)
        await lease_one(db)
        await queue.enqueue_many(db, jobs("quick", 20))
        for _ in range(2):
            assert of(await lease_one(db)).source == "quick"
        assert {of(await lease_one(db)).source, of(await lease_one(db)).source} == {"slow", "quick"}


async def test_more_lines_than_places_all_have_their_turn(pool: Pool) -> None:
    async with pool.acquire() as db:
        for number in range(10):
            await queue.enqueue_many(db, jobs(f"s{number}", 5))
        ran = [(await next_of(db)).source for _ in range(30)]
    assert all(set(ran[start : start + 10]) == {f"s{n}" for n in range(10)} for start in (0, 10, 20))


async def test_what_a_person_waits_for_goes_before_all_lines_even_in_a_full_one(pool: Pool) -> None:
    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("a", 5))
        await queue.enqueue_many(db, jobs("b", 5))
        await lease_one(db)
        urgent = await put(db, Lined(source="a", number=99), priority=-10)
        (leased,) = await leases.lease(db, "test", 1, full=["a"])
        assert leased.claim.id == urgent
        (leased,) = await leases.lease(db, "test", 1, full=["a"])
        assert of(leased).source == "b"
        assert await leases.lease(db, "test", 1, full=["a", "b"]) == []


async def test_priority_orders_a_line_but_does_not_keep_others_waiting(pool: Pool) -> None:
    """A hundred thousand covers of one site go before its chapters, not before those of another."""
    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("a", 3), priority=20)
        await queue.enqueue_many(db, [Lined(source="a", number=100 + n) for n in range(50)], priority=10)
        await queue.enqueue_many(db, jobs("b", 3), priority=20)
        ran = [await next_of(db) for _ in range(6)]
    assert Counter(job.source for job in ran) == {"a": 3, "b": 3}
    assert [job.number for job in ran if job.source == "a"] == [100, 101, 102]


async def test_jobs_without_a_line_go_before_the_lines(pool: Pool) -> None:
    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("a", 2))
        plain = await put(db, Plain(), priority=30)
        assert (await lease_one(db)).claim.id == plain
        assert len(await leases.lease(db, "test", 5)) == 1, "a line gives one job at a time"


@pytest.mark.parametrize("ending", ["continue", "release", "reclaim", "requeue"])
async def test_a_job_that_comes_back_stands_in_its_line_again(pool: Pool, ending: str) -> None:
    async with pool.acquire() as db:
        first = await put(db, Lined(source="a"))
        leased = await lease_one(db)
        match ending:
            case "continue":
                await leases.continue_(db, leased.claim, Lined(source="a", number=1))
            case "release":
                await leases.release(db, leased.claim)
            case "reclaim":
                await lapse(db, first)
                await upkeep.reclaim_lapsed(db)
            case _:
                await leases.fail(db, leased.claim, "no", final=True)
                await upkeep.requeue(db)
        await queue.enqueue_many(db, jobs("b", 2))
        assert of(await lease_one(db)).source == "b", "it has had its turn"
        again = await lease_one(db)
        assert (again.claim.id, again.line) == (first, "a")


async def test_a_lost_table_of_turns_loses_nothing_else(pool: Pool) -> None:
    """What is left of an unlogged table after the server was killed."""
    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("a", 4))
        await queue.enqueue_many(db, jobs("b", 4))
        await next_of(db)
        await db.execute("TRUNCATE job_turns")
        ran = [await next_of(db) for _ in range(7)]
    assert Counter(job.source for job in ran) == {"a": 3, "b": 4}


async def test_turns_of_empty_lines_are_forgotten(pool: Pool) -> None:
    async with pool.acquire() as db:
        await queue.enqueue_many(db, [*jobs("a", 1), *jobs("b", 2)])
        await next_of(db)
        await next_of(db)
        await upkeep.reap_turns(db)
        assert [record["line"] for record in await db.fetch("SELECT line FROM job_turns")] == ["b"]


async def test_an_idle_worker_knows_when_a_line_is_due(pool: Pool) -> None:
    async with pool.acquire() as db:
        await put(db, Lined(source="a"))
        await leases.release(db, (await lease_one(db)).claim, after=50)
        due = await waiting.announce(db, "test", UUID(int=1), 60)
    assert due is not None
    assert 40 < due <= 50


async def test_one_line_never_holds_all_places_of_a_worker(pool: Pool, shared: str) -> None:
    """Three bodies of an hour are on their way from one site; another's chapter still comes at once."""
    forever, quick = asyncio.Event(), asyncio.Event()
    most, all_begun = asyncio.Event(), asyncio.Event()
    begun: Counter[str] = Counter()

    async def handler(job: Job[Lined]) -> Done:
        begun[job.payload.source] += 1
        if begun["slow"] >= 3:
            most.set()
        if begun["slow"] == 20:
            all_begun.set()
        if job.payload.source == "slow":
            await forever.wait()
        elif begun["quick"] == 5:
            quick.set()
        return Done()

    async with pool.acquire() as db:
        await queue.enqueue_many(db, jobs("slow", 20))
    async with working(shared, pool, [(Lined, handler)], lanes=[Lane(name="test", concurrency=4)]):
        async with asyncio.timeout(20):
            await most.wait()
            async with pool.acquire() as db:
                await queue.enqueue_many(db, jobs("quick", 5))
            await quick.wait()
            assert begun["slow"] == 3
            # A place that comes free is taken at once, though the worker had gone to sleep with one kept.
            forever.set()
            await all_begun.wait()


async def test_parallel_leasers_share_the_lines_and_lose_nothing(pool: Pool) -> None:
    async with pool.acquire() as db:
        for source in ("a", "b", "c"):
            await queue.enqueue_many(db, jobs(source, 60))
    seen: list[tuple[str, int]] = []

    async def leaser() -> None:
        async with pool.acquire() as db:
            idle = 0
            while idle < 3:
                leased = await leases.lease(db, "test", 2)
                idle = 0 if leased else idle + 1
                for one in leased:
                    seen.append((of(one).source, of(one).number))
                    await leases.done(db, one.claim)

    async with asyncio.timeout(60):
        await asyncio.gather(*(leaser() for _ in range(4)))
    assert len(seen) == len(set(seen)) == 180
    assert await states(pool) == {"done": 180}
    first = Counter(source for source, _ in seen[:90])
    assert min(first.values()) >= 15


@given(
    lengths=st.lists(st.integers(1, 12), min_size=2, max_size=5),
    places=st.integers(1, 4),
    endings=st.lists(st.integers(0, 3), max_size=60),
)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
async def test_while_a_line_waits_no_other_gets_far_ahead(
    shared: str, lengths: list[int], places: int, endings: list[int]
) -> None:
    """Whatever is running: a line that waits and has fewer running jobs than another is served before it."""
    db = await connect(shared)
    try:
        await db.execute("TRUNCATE jobs, job_turns")
        left = Counter({f"s{n}": length for n, length in enumerate(lengths)})
        for source, length in left.items():
            await queue.enqueue_many(db, jobs(source, length))
        running: list[Leased] = []
        next_number: Counter[str] = Counter()
        for ending in [*endings, *[0] * (sum(lengths) + places)]:
            while len(running) < places and (leased := await leases.lease(db, "test", 1)):
                (one,) = leased
                job = of(one)
                busy = Counter(held.line for held in running)
                assert busy[job.source] == min(busy[source] for source in left if left[source])
                assert job.number == next_number[job.source]
                next_number[job.source] += 1
                left[job.source] -= 1
                running.append(one)
            if running:
                await leases.done(db, running.pop(ending % len(running)).claim)
        assert sum(left.values()) == 0
    finally:
        await db.close()
