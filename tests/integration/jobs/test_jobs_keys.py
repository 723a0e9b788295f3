"""Concurrency keys: at most one job of a key runs, whoever leases (DESIGN section 6; pgqueuer #761, #475)."""

import asyncio
from collections import Counter

import asyncpg
import pytest
from tests.support.queueing import Elsewhere, Keyed, Plain, lapse, lease_one, put, states

from orihon.db.pool import Pool
from orihon.jobs import leases, queue, upkeep

pytestmark = pytest.mark.anyio


class KeyedElsewhere(Elsewhere, frozen=True, kw_only=True, tag="keyed_elsewhere"):
    platform: str

    def concurrency_key(self) -> str:
        return self.platform


async def test_one_job_of_a_key_runs_at_a_time_in_order(pool: Pool) -> None:
    async with pool.acquire() as db:
        await queue.enqueue_many(db, [Keyed(platform="a", number=number) for number in range(3)])
        await queue.enqueue_many(db, [Keyed(platform="b", number=number) for number in range(2)])
        seen = []
        while leased := await leases.lease(db, "test", 10):
            keys = [one.payload for one in leased]
            assert len(keys) == len({key.split('"platform": "')[1][0] for key in keys})
            seen.append(len(leased))
            await leases.done_many(db, [one.claim for one in leased])
    assert seen == [2, 2, 1]


async def test_a_key_holds_in_every_lane(pool: Pool) -> None:
    async with pool.acquire() as db:
        await put(db, Keyed(platform="a"))
        await put(db, KeyedElsewhere(platform="a"))
        first = await lease_one(db)
        assert await leases.lease(db, "other") == []
        await leases.done(db, first.claim)
        await lease_one(db, "other")


async def test_keyed_and_unkeyed_jobs_share_one_order(pool: Pool) -> None:
    async with pool.acquire() as db:
        ids = [
            await put(db, payload)
            for payload in (Plain(number=1), Keyed(platform="a"), Plain(number=2), Keyed(platform="b"))
        ]
        urgent = await put(db, Keyed(platform="c"), priority=-1)
        two = [one.claim.id for one in await leases.lease(db, "test", 2)]
        rest = [one.claim.id for one in await leases.lease(db, "test", 9)]
    assert [*two, *rest] == [urgent, *ids]


async def test_a_lapsed_job_keeps_its_key_until_it_is_reclaimed_and_then_runs_itself(pool: Pool) -> None:
    """pgqueuer #475: a stale job must not hold the slot that it needs itself to be taken up again."""
    async with pool.acquire() as db:
        first = await put(db, Keyed(platform="a", number=1))
        await put(db, Keyed(platform="a", number=2))
        await lease_one(db)
        await lapse(db, first)
        assert await leases.lease(db, "test") == []
        await upkeep.reclaim_lapsed(db)
        assert (await lease_one(db)).claim.id == first


@pytest.mark.parametrize("ending", ["done", "fail", "release", "continue"])
async def test_every_ending_frees_the_key(pool: Pool, ending: str) -> None:
    """solid_queue #546, PR #761: a slot kept apart from the row leaks, or is freed twice; here it is the row."""
    async with pool.acquire() as db:
        await put(db, Keyed(platform="a", number=1))
        second = await put(db, Keyed(platform="a", number=2))
        claim = (await lease_one(db)).claim
        match ending:
            case "done":
                await leases.done(db, claim)
            case "fail":
                await leases.fail(db, claim, "no")
            case "release":
                await leases.release(db, claim, after=60)
            case _:
                await leases.continue_(db, claim, Keyed(platform="a", number=3))
        assert (await lease_one(db)).claim.id == second


async def test_a_job_that_retries_far_in_the_future_does_not_block_its_key(pool: Pool) -> None:
    """procrastinate #1599."""
    async with pool.acquire() as db:
        await put(db, Keyed(platform="a", number=1))
        await leases.release(db, (await lease_one(db)).claim, after=3600)
        second = await put(db, Keyed(platform="a", number=2))
        assert (await lease_one(db)).claim.id == second


async def test_parallel_leasers_never_run_two_of_a_key_at_once(pool: Pool) -> None:
    """pgqueuer #761: counting what runs and then taking one more broke in 198 of 200 rounds."""
    rounds = 100
    async with pool.acquire() as db:
        for platform in ("a", "b"):
            await queue.enqueue_many(db, [Keyed(platform=platform, number=number) for number in range(rounds)])
    running: Counter[str] = Counter()
    ran: Counter[str] = Counter()

    async def leaser() -> None:
        async with pool.acquire() as db:
            while sum(ran.values()) < 2 * rounds:
                leased = await leases.lease(db, "test", 2)
                for one in leased:
                    platform = one.payload.split('"platform": "')[1][0]
                    running[platform] += 1
                    assert running[platform] == 1
                await asyncio.sleep(0)
                for one in leased:
                    platform = one.payload.split('"platform": "')[1][0]
                    # Before the row is freed, since another may have it the moment after.
                    running[platform] -= 1
                    ran[platform] += 1
                    await leases.done(db, one.claim)

    async with asyncio.timeout(60):
        await asyncio.gather(*(leaser() for _ in range(5)))
    assert ran == {"a": rounds, "b": rounds}
    assert await states(pool) == {"done": 2 * rounds}


async def test_a_candidate_seen_before_another_took_the_key_is_refused(pool: Pool) -> None:
    """The very step that a count and a lease in one snapshot get wrong."""
    async with pool.acquire() as slow, pool.acquire() as quick:
        await put(slow, Keyed(platform="a", number=1))
        await put(slow, Keyed(platform="a", number=2))
        first = (await lease_one(quick)).claim
        await leases.release(quick, first)
        seen = await slow.fetch(leases._LEASE, "test", 1, 60.0, [])
        assert len(seen) == 1
        # Meanwhile another job of the key begins.
        await quick.execute("UPDATE jobs SET priority = 9 WHERE id = $1", first.id)
        await lease_one(quick)
        assert await leases._lease_keyed(slow, seen, 60.0) == []


async def test_two_running_jobs_of_a_key_are_impossible_whatever_writes_them(pool: Pool) -> None:
    """Uniqueness by index, not by lock."""
    async with pool.acquire() as db:
        await put(db, Keyed(platform="a", number=1))
        second = await put(db, Keyed(platform="a", number=2))
        await lease_one(db)
        with pytest.raises(asyncpg.UniqueViolationError):
            await db.execute("UPDATE jobs SET state = 'running', leased_until = now() WHERE id = $1", second)
