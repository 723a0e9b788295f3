"""The queue's operations on a real PostgreSQL (spec crawler-core 2; DESIGN section 6, rulings 4, 5, 22)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import asyncpg
import pytest
from tests.support.queueing import (
    Coalescing,
    Elsewhere,
    Plain,
    Unique,
    lapse,
    lease_one,
    put,
    row,
    states,
)

from orihon.db.pool import Connection, Pool
from orihon.jobs import board, leases, queue, upkeep
from orihon.jobs.leases import LeaseLost, Lost
from orihon.jobs.payloads import FetchChapter, decode
from orihon.jobs.queue import AlreadyQueued, Enqueued

pytestmark = pytest.mark.anyio


@pytest.fixture
async def db(pool: Pool) -> AsyncIterator[Connection]:
    async with pool.acquire() as connection:
        yield connection


# --- putting jobs in ---


async def test_a_new_job_waits_with_its_payload(db: Connection) -> None:
    """BQ-1."""
    payload = FetchChapter(source_id=uuid4(), chapter_id=uuid4())
    result = await queue.enqueue(db, payload)
    assert isinstance(result, Enqueued)
    job = await row(db, result.id)
    assert (job["state"], job["attempts"], job["lease_generation"], job["leased_until"]) == ("pending", 0, 0, None)
    assert (job["lane"], job["kind"], job["priority"]) == ("content", "fetch_chapter", FetchChapter.priority)
    (leased,) = await leases.lease(db, "content")
    assert decode(FetchChapter, leased.payload) == payload


@pytest.mark.parametrize("running", [False, True], ids=["waiting", "running"])
async def test_an_equal_job_in_flight_stands_for_a_second(db: Connection, running: bool) -> None:
    """BQ-2, invariant 6."""
    await put(db, Unique(name="a"))
    if running:
        await lease_one(db)
    assert await queue.enqueue(db, Unique(name="a")) == AlreadyQueued()
    assert sum((await states(db)).values()) == 1


@pytest.mark.parametrize("ending", ["done", "dead"])
async def test_a_settled_job_frees_its_key(db: Connection, ending: str) -> None:
    """BQ-3."""
    await put(db, Unique(name="a"))
    leased = await lease_one(db)
    if ending == "done":
        await leases.done(db, leased.claim)
    else:
        await leases.fail(db, leased.claim, "no", final=True)
    assert isinstance(await queue.enqueue(db, Unique(name="a")), Enqueued)
    assert await states(db) == {ending: 1, "pending": 1}


async def test_different_keys_and_different_kinds_do_not_meet(db: Connection) -> None:
    """BQ-4."""
    for payload in (Unique(name="a"), Unique(name="b"), Coalescing(name="a")):
        await put(db, payload)
    assert await states(db) == {"pending": 3}


async def test_a_kind_without_a_key_is_never_one_of_a_kind(db: Connection) -> None:
    """BQ-5, ruling 4 (one index over kind and key): whether a job is unique is said by its kind."""
    for _ in range(3):
        await put(db, Plain())
    assert await states(db) == {"pending": 3}


async def test_a_rolled_back_enqueue_loses_nothing_for_the_one_that_waited_for_it(pool: Pool) -> None:
    """oban #1087, #1093: a unique insert must not be reported as a duplicate of something that never came to be."""
    async with pool.acquire() as first, pool.acquire() as second:
        transaction = first.transaction()
        await transaction.start()
        await put(first, Unique(name="a"))
        waiting = asyncio.create_task(queue.enqueue(second, Unique(name="a")))
        await transaction.rollback()
        assert isinstance(await waiting, Enqueued)


async def test_an_enqueue_belongs_to_the_callers_transaction(pool: Pool) -> None:
    async with pool.acquire() as db, pool.acquire() as other:
        transaction = db.transaction()
        await transaction.start()
        await put(db, Plain())
        assert await leases.lease(other, "test") == []
        await transaction.commit()
        assert len(await leases.lease(other, "test")) == 1


async def test_racing_producers_make_one_job(pool: Pool) -> None:
    """Spec section 14: a read-then-insert race once produced duplicates."""

    async def produce() -> Enqueued | AlreadyQueued:
        async with pool.acquire() as db:
            return await queue.enqueue(db, Unique(name="a"))

    for _ in range(10):
        results = await asyncio.gather(*(produce() for _ in range(8)))
        assert sum(isinstance(result, Enqueued) for result in results) == 1
        async with pool.acquire() as db:
            await leases.done(db, (await lease_one(db)).claim)


async def test_a_batch_says_what_became_of_each(db: Connection) -> None:
    await put(db, Unique(name="b"))
    names = ["a", "b", "c", "a"]
    results = await queue.enqueue_many(db, [Unique(name=name) for name in names])
    assert [type(result) for result in results] == [Enqueued, AlreadyQueued, Enqueued, AlreadyQueued]
    ids = [result.id for result in results if isinstance(result, Enqueued)]
    assert [(await row(db, job_id))["dedupe_key"] for job_id in ids] == ["a", "c"]
    assert await queue.enqueue_many(db, []) == []


async def test_a_mixed_batch_coalesces_only_what_coalesces(db: Connection) -> None:
    for payload in (Unique(name="a"), Coalescing(name="a")):
        await put(db, payload)
    leased = await leases.lease(db, "test", 2)
    await queue.enqueue_many(db, [Unique(name="a"), Coalescing(name="a"), Coalescing(name="b")])
    after = await leases.done_many(db, [one.claim for one in leased])
    assert {one.claim.kind: after[one.claim.id] for one in leased} == {"unique": "done", "coalescing": "pending"}


async def test_overlapping_batches_in_opposite_order_do_not_deadlock(pool: Pool) -> None:
    async def produce(names: list[str]) -> int:
        async with pool.acquire() as db:
            results = await queue.enqueue_many(db, [Unique(name=name) for name in names])
        return sum(isinstance(result, Enqueued) for result in results)

    names = [f"{number:04}" for number in range(300)]
    made = await asyncio.gather(*(produce(names[::step]) for step in (1, -1, 1, -1)))
    assert sum(made) == 300


async def test_a_key_of_any_length_is_taken_and_kept_apart(db: Connection) -> None:
    """A site chooses its keys; an index row holds 2,700 bytes."""
    long = "x" * 5000
    await put(db, Unique(name=long))
    assert await queue.enqueue(db, Unique(name=long)) == AlreadyQueued()
    await put(db, Unique(name=long + "y"))


async def test_a_more_urgent_request_moves_a_waiting_job_up(db: Connection) -> None:
    """A reader who opens a chapter that waits behind ten thousand others must not wait for those."""
    await put(db, Plain(number=1))
    wanted = await put(db, Unique(name="a"), priority=10)
    assert await queue.enqueue(db, Unique(name="a"), priority=-1) == AlreadyQueued()
    assert await queue.enqueue(db, Unique(name="a"), priority=5) == AlreadyQueued()
    assert (await lease_one(db)).claim.id == wanted


# --- leasing ---


async def test_a_lease_marks_the_job_and_counts_the_attempt(db: Connection) -> None:
    """BQ-6."""
    job_id = await put(db, Plain())
    claim = (await lease_one(db)).claim
    job = await row(db, job_id)
    assert (job["state"], job["attempts"], job["leased"]) == ("running", 1, True)
    assert (claim.id, claim.generation, claim.lane, claim.kind) == (job_id, 1, "test", "plain")
    assert (claim.attempts, claim.max_attempts) == (1, 5)


async def test_a_lease_takes_only_its_lane(db: Connection) -> None:
    """BQ-7, AN-3; section 6: lanes take the place of lists of kinds."""
    other = await put(db, Elsewhere())
    await put(db, Plain())
    await put(db, Unique(name="a"))
    assert {one.claim.kind for one in await leases.lease(db, "test", 9)} == {"plain", "unique"}
    assert (await row(db, other))["state"] == "pending"


async def test_parallel_leases_are_disjoint(pool: Pool) -> None:
    """BQ-8, invariant 1."""
    async with pool.acquire() as db:
        await queue.enqueue_many(db, [Plain(number=number) for number in range(200)])

    async def take() -> list[UUID]:
        taken: list[UUID] = []
        async with pool.acquire() as db:
            while leased := await leases.lease(db, "test", 3):
                taken += [one.claim.id for one in leased]
        return taken

    taken = [job_id for share in await asyncio.gather(*(take() for _ in range(6))) for job_id in share]
    assert len(taken) == len(set(taken)) == 200


async def test_a_lease_does_not_wait_for_locked_rows(pool: Pool) -> None:
    async with pool.acquire() as holder, pool.acquire() as other:
        first = await put(holder, Plain(number=1))
        second = await put(holder, Plain(number=2))
        async with holder.transaction():
            await holder.execute("SELECT FROM jobs WHERE id = $1 FOR UPDATE", first)
            async with asyncio.timeout(5):
                assert [one.claim.id for one in await leases.lease(other, "test", 5)] == [second]


async def test_jobs_come_by_priority_then_due_time_then_creation(db: Connection) -> None:
    """AN-1, H10, H14: also for a batch of one transaction, where now() stands still."""
    late = await put(db, Plain(number=9), priority=5)
    results = await queue.enqueue_many(db, [Plain(number=number) for number in range(30)])
    batch = [result.id for result in results if isinstance(result, Enqueued)]
    first = await put(db, Plain(number=-1), priority=-5)
    overdue = await put(db, Plain(number=-2))
    await db.execute("UPDATE jobs SET scheduled_at = now() - interval '1 hour' WHERE id = $1", overdue)
    order = [one.claim.id for one in await leases.lease(db, "test", 50)]
    assert order == [first, overdue, *batch, late]


async def test_a_job_of_the_future_waits_and_does_not_hide_the_others(db: Connection) -> None:
    """AN-2."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    await queue.enqueue(db, Plain(number=1), priority=-9, at=tomorrow)
    due = await put(db, Plain(number=2))
    assert [one.claim.id for one in await leases.lease(db, "test", 5)] == [due]


async def test_a_payload_that_nothing_can_read_does_not_fail_the_batch(db: Connection) -> None:
    """H5, ruling 5: PostgreSQL stores numbers that no program can hold; the lease hands payloads over as they are."""
    for raw in ('{"kind": "plain", "number": 1e400}', "[]", '"\\ud7ff"'):
        await db.execute("INSERT INTO jobs (lane, kind, payload) VALUES ('test', 'plain', $1::text::jsonb)", raw)
    await put(db, Plain(number=7))
    leased = await leases.lease(db, "test", 9)
    assert len(leased) == 4
    assert decode(Plain, leased[3].payload).number == 7
    assert len(await board.listed(db, "running")) == 4


# --- under a claim ---


async def test_done_ends_the_job_and_the_lease(db: Connection) -> None:
    """BQ-10."""
    job_id = await put(db, Plain())
    assert await leases.done(db, (await lease_one(db)).claim) is None
    job = await row(db, job_id)
    assert (job["state"], job["leased_until"]) == ("done", None)


async def test_a_failure_goes_back_with_a_backoff(db: Connection) -> None:
    """BQ-11."""
    job_id = await put(db, Plain())
    assert await leases.fail(db, (await lease_one(db)).claim, "boom", random=lambda: 0.5) is None
    job = await row(db, job_id)
    assert (job["state"], job["last_error"], job["attempts"], job["leased_until"]) == ("pending", "boom", 1, None)
    assert job["scheduled_at"] - job["updated_at"] == timedelta(seconds=60)
    assert await leases.lease(db, "test") == []


async def test_the_last_failure_is_the_end(db: Connection) -> None:
    """BQ-12."""
    job_id = await put(db, Plain())
    await db.execute("UPDATE jobs SET attempts = 4 WHERE id = $1", job_id)
    await leases.fail(db, (await lease_one(db)).claim, "final boom")
    job = await row(db, job_id)
    assert (job["state"], job["last_error"], job["leased_until"]) == ("dead", "final boom", None)


async def test_an_error_text_that_postgresql_refuses_is_recorded_all_the_same(db: Connection) -> None:
    job_id = await put(db, Plain())
    await leases.fail(db, (await lease_one(db)).claim, "bad \x00 byte \ud800 and\nlines")
    assert (await row(db, job_id))["last_error"] == "bad byte and lines"


async def test_a_release_refunds_the_attempt(db: Connection) -> None:
    """BQ-13, AN-4."""
    job_id = await put(db, Plain())
    before = await row(db, job_id)
    assert await leases.release(db, (await lease_one(db)).claim) is None
    job = await row(db, job_id)
    assert (job["state"], job["attempts"], job["leased_until"], job["lease_generation"]) == ("pending", 0, None, 2)
    assert job["scheduled_at"] == before["scheduled_at"]
    assert (await lease_one(db)).claim.generation == 3


async def test_a_release_may_put_the_job_off(db: Connection) -> None:
    """AN-10: a postponed job keeps its attempt and is not offered before its time."""
    job_id = await put(db, Plain())
    await leases.release(db, (await lease_one(db)).claim, after=5, reason="the host asked us to wait")
    job = await row(db, job_id)
    assert (job["attempts"], job["last_error"]) == (0, "the host asked us to wait")
    assert job["scheduled_at"] - job["updated_at"] == timedelta(seconds=5)
    assert await leases.lease(db, "test") == []


async def test_renewing_extends_current_leases_and_names_lost_ones(db: Connection) -> None:
    """AN-5."""
    await queue.enqueue_many(db, [Plain(number=number) for number in range(3)])
    mine, stolen, settled = (one.claim for one in await leases.lease(db, "test", 3))
    await lapse(db, mine.id)
    await leases.release(db, stolen)
    await lease_one(db)
    await leases.done(db, settled)
    assert await leases.renew(db, [mine, stolen, settled], 60) == {mine.id}
    assert (await row(db, mine.id))["leased"]
    assert (await row(db, stolen.id))["lease_generation"] == stolen.generation + 2


async def test_a_lapsed_lease_that_nobody_took_can_still_be_settled(db: Connection) -> None:
    """Spec 2.7: only a new generation fences out, expiry alone does not."""
    await put(db, Plain())
    claim = (await lease_one(db)).claim
    await lapse(db, claim.id)
    assert await leases.done(db, claim) is None


async def test_a_heartbeat_does_not_wait_for_a_transaction_that_holds_its_claim(pool: Pool) -> None:
    """A handler in the middle of its last transaction must not let the other leases of its process lapse."""
    async with pool.acquire() as handler, pool.acquire() as pulse:
        await queue.enqueue_many(handler, [Plain(number=1), Plain(number=2)])
        one, two = (leased.claim for leased in await leases.lease(handler, "test", 2))
        await lapse(handler, two.id)
        async with handler.transaction(), asyncio.timeout(5):
            await leases.hold(handler, one)
            assert await leases.renew(pulse, [one, two]) == {one.id, two.id}
            assert (await row(pulse, two.id))["leased"]


async def test_holding_a_lost_claim_rolls_the_transaction_back(pool: Pool) -> None:
    """Ruling 22: who lost the job writes nothing."""
    async with pool.acquire() as db:
        await put(db, Plain())
        claim = (await lease_one(db)).claim
        await leases.release(db, claim)
        with pytest.raises(LeaseLost):
            async with db.transaction():
                await put(db, Unique(name="written by a zombie"))
                await leases.hold(db, claim)
        assert await states(db) == {"pending": 1}


async def test_while_a_claim_is_held_nobody_takes_the_job(pool: Pool) -> None:
    async with pool.acquire() as handler, pool.acquire() as rescuer:
        await put(handler, Plain())
        claim = (await lease_one(handler)).claim
        await lapse(handler, claim.id)
        async with handler.transaction(), asyncio.timeout(5):
            await leases.hold(handler, claim)
            assert await upkeep.reclaim_lapsed(rescuer) == 0
            await leases.done(handler, claim)
        assert (await row(handler, claim.id))["state"] == "done"


ENDINGS = ["done", "done_many", "fail", "release", "renew", "continue"]


async def _late(db: Connection, ending: str, claim: leases.Claim) -> object:
    match ending:
        case "done":
            return await leases.done(db, claim)
        case "done_many":
            return Lost() if not await leases.done_many(db, [claim]) else None
        case "fail":
            return await leases.fail(db, claim, "late")
        case "release":
            return await leases.release(db, claim)
        case "renew":
            return Lost() if not await leases.renew(db, [claim]) else None
        case _:
            return await leases.continue_(db, claim, Plain(number=-1))


@pytest.mark.parametrize("ending", ENDINGS)
async def test_a_zombie_changes_nothing_of_its_successors_lease(db: Connection, ending: str) -> None:
    """FN-1, FN-2, invariants 2 and 3; oban #1141, river #1302: acks by id alone overwrite the successor."""
    await put(db, Plain())
    zombie = (await lease_one(db)).claim
    await leases.release(db, zombie)
    successor = (await lease_one(db)).claim
    before = await row(db, zombie.id)
    assert await _late(db, ending, zombie) == Lost()
    assert await row(db, zombie.id) == before
    assert (before["state"], before["lease_generation"]) == ("running", 3)
    assert await leases.done(db, successor) is None


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("state", ["pending", "done", "dead"])
async def test_a_job_that_does_not_run_cannot_be_settled(db: Connection, ending: str, state: str) -> None:
    """FN-3, FN-4: with the right generation, too."""
    await put(db, Plain())
    claim = (await lease_one(db)).claim
    if state == "done":
        await leases.done(db, claim)
    else:
        await leases.fail(db, claim, "first", final=state == "dead")
    before = await row(db, claim.id)
    assert before["state"] == state
    assert await _late(db, ending, claim) == Lost()
    assert await row(db, claim.id) == before


@pytest.mark.parametrize("change", ["state = 'running'", "leased_until = now()", "state = 'lost'"])
async def test_a_job_has_a_lease_if_and_only_if_it_runs_by_constraint(db: Connection, change: str) -> None:
    """H13: a job that runs without one would never be reclaimed; nor would one in a state that nobody looks for."""
    job_id = await put(db, Plain())
    with pytest.raises(asyncpg.CheckViolationError):
        await db.execute(f"UPDATE jobs SET {change} WHERE id = $1", job_id)


# --- continue and rerun ---


async def test_a_chunk_continues_as_the_same_job_with_a_clean_record(db: Connection) -> None:
    job_id = await put(db, Unique(name="a"))
    claim = (await lease_one(db)).claim
    assert await leases.continue_(db, claim, Unique(name="b")) is None
    job = await row(db, job_id)
    assert (job["state"], job["attempts"], job["lease_generation"], job["dedupe_key"]) == ("pending", 0, 2, "a")
    again = await lease_one(db)
    assert again.claim.id == job_id
    assert decode(Unique, again.payload).name == "b"


async def test_a_chunk_continues_when_it_says(db: Connection) -> None:
    await put(db, Plain())
    later = datetime.now(UTC) + timedelta(hours=1)
    claim = (await lease_one(db)).claim
    await leases.continue_(db, claim, Plain(number=2), at=later)
    assert (await row(db, claim.id))["scheduled_at"] == later


async def test_a_chunk_cannot_become_another_kind_of_job(db: Connection) -> None:
    await put(db, Plain())
    with pytest.raises(ValueError, match="unique"):
        await leases.continue_(db, (await lease_one(db)).claim, Unique(name="a"))


async def test_a_request_during_the_run_makes_the_job_run_once_more(db: Connection) -> None:
    """Section 6: coalesce without losing."""
    job_id = await put(db, Coalescing(name="a"))
    claim = (await lease_one(db)).claim
    for _ in range(3):
        assert await queue.enqueue(db, Coalescing(name="a")) == AlreadyQueued()
    assert await leases.done_many(db, [claim]) == {job_id: "pending"}
    job = await row(db, job_id)
    assert (job["attempts"], job["rerun"], job["lease_generation"]) == (0, False, 2)
    assert await leases.done_many(db, [(await lease_one(db)).claim]) == {job_id: "done"}


async def test_a_request_before_the_run_is_answered_by_it(db: Connection) -> None:
    job_id = await put(db, Coalescing(name="a"))
    assert await queue.enqueue(db, Coalescing(name="a")) == AlreadyQueued()
    assert await leases.done_many(db, [(await lease_one(db)).claim]) == {job_id: "done"}


async def test_a_request_during_the_last_failing_attempt_is_not_lost(db: Connection) -> None:
    job_id = await put(db, Coalescing(name="a"))
    claim = (await lease_one(db)).claim
    await queue.enqueue(db, Coalescing(name="a"))
    await leases.fail(db, claim, "no", final=True)
    job = await row(db, job_id)
    assert (job["state"], job["attempts"], job["rerun"]) == ("pending", 0, False)


async def test_a_request_at_the_very_end_of_the_run_is_never_lost(pool: Pool) -> None:
    """Whichever of the two commits first, the request leads to a run that begins after it."""

    async def request() -> Enqueued | AlreadyQueued:
        async with pool.acquire() as db:
            return await queue.enqueue(db, Coalescing(name="a"))

    async def finish(claim: leases.Claim) -> None:
        async with pool.acquire() as db:
            await leases.done(db, claim)

    async with pool.acquire() as db:
        await put(db, Coalescing(name="a"))
        for _ in range(40):
            claim = (await lease_one(db)).claim
            await asyncio.gather(request(), finish(claim))
            assert (await states(db)).get("pending") == 1


# --- upkeep ---


async def test_a_lapsed_job_is_reclaimed_and_leased_again(db: Connection) -> None:
    """BQ-9 under ruling 4: the lease itself takes no lapsed job; reclaiming refunds, so the attempts stay at one."""
    job_id = await put(db, Plain())
    await lease_one(db)
    await lapse(db, job_id)
    assert await leases.lease(db, "test") == []
    assert await upkeep.reclaim_lapsed(db) == 1
    assert (await lease_one(db)).claim.attempts == 1


async def test_only_lapsed_jobs_are_reclaimed(db: Connection) -> None:
    """AN-6."""
    await queue.enqueue_many(db, [Plain(number=number) for number in range(3)])
    lapsed, live = (one.claim for one in await leases.lease(db, "test", 2))
    await lapse(db, lapsed.id)
    assert await upkeep.reclaim_lapsed(db) == 1
    job = await row(db, lapsed.id)
    assert (job["state"], job["attempts"], job["reclaims"]) == ("pending", 0, 1)
    assert job["lease_generation"] == lapsed.generation + 1
    assert (await row(db, live.id))["state"] == "running"
    assert await leases.done(db, lapsed) == Lost()


async def test_a_job_that_kills_every_worker_ends_up_dead(db: Connection) -> None:
    """Ruling 4, H6: three refunds, then attempts count, then it is dead; five tries are never more than eight runs."""
    job_id = await put(db, Plain())
    runs = 0
    while (await row(db, job_id))["state"] == "pending":
        await db.execute("UPDATE jobs SET scheduled_at = now() WHERE id = $1", job_id)
        await lease_one(db)
        runs += 1
        await lapse(db, job_id)
        await upkeep.reclaim_lapsed(db)
    job = await row(db, job_id)
    assert (job["state"], job["reclaims"], job["attempts"], runs) == ("dead", 3, 5, 8)
    assert "vanished" in job["last_error"]


async def test_success_forgives_earlier_reclaims_of_a_chunk(db: Connection) -> None:
    job_id = await put(db, Plain())
    claim = (await lease_one(db)).claim
    await lapse(db, claim.id)
    await upkeep.reclaim_lapsed(db)
    await leases.continue_(db, (await lease_one(db)).claim, Plain())
    assert (await row(db, job_id))["reclaims"] == 0


async def test_a_job_that_gets_further_each_time_outlives_any_number_of_workers(db: Connection) -> None:
    """A walk over a long list loses a worker now and then; what it kept on the way shows that it is not the cause."""
    job_id = await put(db, Plain())
    for _ in range(12):
        claim = (await lease_one(db)).claim
        async with db.transaction():
            await leases.hold(db, claim)
            await leases.forgive(db, claim)
        await lapse(db, job_id)
        await upkeep.reclaim_lapsed(db)
    job = await row(db, job_id)
    assert (job["state"], job["reclaims"], job["attempts"]) == ("pending", 1, 0)


async def test_a_zombie_is_forgiven_nothing(db: Connection) -> None:
    job_id = await put(db, Plain())
    zombie = (await lease_one(db)).claim
    await lapse(db, job_id)
    await upkeep.reclaim_lapsed(db)
    await lease_one(db)
    await leases.forgive(db, zombie)
    assert (await row(db, job_id))["reclaims"] == 1


async def test_parallel_rescuers_reclaim_each_job_once(pool: Pool) -> None:
    """oban #168: two of them must not deadlock either."""
    async with pool.acquire() as db:
        await queue.enqueue_many(db, [Plain(number=number) for number in range(1200)])
        leased = await leases.lease(db, "test", 1200)
        await lapse(db, *(one.claim.id for one in leased))

    async def rescue() -> int:
        async with pool.acquire() as db:
            return await upkeep.reclaim_lapsed(db)

    # Each counts what it took; who looks while the other holds the rest finds less, never the same.
    assert sum(await asyncio.gather(*(rescue() for _ in range(4)))) == 1200
    assert await pool.fetchval("SELECT max(reclaims) FROM jobs") == 1


async def test_an_operator_can_release_a_job_without_its_claim(db: Connection) -> None:
    """AN-7."""
    running, done = await put(db, Plain(number=1)), await put(db, Plain(number=2))
    claims = [one.claim for one in await leases.lease(db, "test", 2)]
    await leases.done(db, claims[1])
    assert await upkeep.release_unowned(db, running)
    assert not await upkeep.release_unowned(db, done)
    job = await row(db, running)
    assert (job["state"], job["attempts"], job["lease_generation"]) == ("pending", 0, 2)
    assert (await row(db, done))["state"] == "done"
    assert await leases.done(db, claims[0]) == Lost()


@pytest.mark.parametrize("state", ["done", "dead"])
async def test_old_ended_jobs_are_reaped_and_fresh_ones_kept(db: Connection, state: str) -> None:
    """BQ-14, for dead jobs as well; what waits or runs is never touched."""
    old, fresh, waiting, running = [await put(db, Plain(number=number)) for number in range(4)]
    await leases.lease(db, "test", 1)
    await db.execute("UPDATE jobs SET state = $2, leased_until = NULL WHERE id = ANY ($1)", [old, fresh], state)
    await db.execute("UPDATE jobs SET updated_at = now() - interval '10 days' WHERE id <> $1", fresh)
    await db.execute("UPDATE jobs SET state = 'running', leased_until = now() WHERE id = $1", running)
    assert await upkeep.reap_terminal(db, 7) == 1
    assert {r["id"] for r in await db.fetch("SELECT id FROM jobs")} == {fresh, waiting, running}


async def test_no_retention_keeps_everything(db: Connection) -> None:
    """BQ-15."""
    await put(db, Plain())
    await db.execute("UPDATE jobs SET state = 'done', updated_at = now() - interval '999 days'")
    assert await upkeep.reap_terminal(db, 0) == 0
    assert await states(db) == {"done": 1}


async def test_reaping_goes_on_past_its_batch(db: Connection) -> None:
    """AN-8."""
    await db.execute(
        "INSERT INTO jobs (lane, kind, payload, state, updated_at)"
        " SELECT 'test', 'plain', '{}', 'done', now() - interval '9 days' FROM generate_series(1, 5001)"
    )
    assert await upkeep.reap_terminal(db, 7) == 5001


async def _dead(db: Connection, payload: Plain | Unique) -> UUID:
    job_id = await put(db, payload)
    (leased,) = await leases.lease(db, "test")
    await leases.fail(db, leased.claim, "no", final=True)
    return job_id


async def test_a_dead_job_lives_again_with_a_clean_record(db: Connection) -> None:
    """A12: no attempts, due now, a new generation."""
    job_id = await _dead(db, Plain())
    other = await _dead(db, Plain())
    assert await upkeep.requeue(db, job_id=job_id) == 1
    job = await row(db, job_id)
    assert (job["state"], job["attempts"], job["lease_generation"], job["last_error"]) == ("pending", 0, 2, "no")
    assert (await row(db, other))["state"] == "dead"
    assert (await lease_one(db)).claim.id == job_id


@pytest.mark.parametrize("name", ["a", "a" * 500], ids=["short", "long"])
async def test_a_job_that_succeeds_makes_equal_dead_ones_moot(db: Connection, name: str) -> None:
    await _dead(db, Unique(name=name))
    other = await _dead(db, Unique(name="another"))
    await put(db, Unique(name=name))
    leased = await lease_one(db)
    assert await upkeep.succeed(db, leased.claim, Unique(name=name)) is None
    assert await states(db) == {"done": 1, "dead": 1}
    assert (await row(db, other))["state"] == "dead"


async def test_a_claim_that_is_lost_makes_nothing_moot(db: Connection) -> None:
    await _dead(db, Unique(name="a"))
    await put(db, Unique(name="a"))
    leased = await lease_one(db)
    await upkeep.release_unowned(db, leased.claim.id)
    assert await upkeep.succeed(db, leased.claim, Unique(name="a")) == Lost()
    assert await states(db) == {"pending": 1, "dead": 1}


async def test_requeueing_a_kind_leaves_the_others_dead(db: Connection) -> None:
    await _dead(db, Plain())
    await _dead(db, Unique(name="a"))
    assert await upkeep.requeue(db, kind="unique") == 1
    assert await states(db) == {"pending": 1, "dead": 1}
    assert await upkeep.requeue(db) == 1


async def test_of_equal_dead_jobs_one_is_revived_and_none_beside_a_living_one(db: Connection) -> None:
    """Spec 2.10, procrastinate #1543: the unique index must not refuse the repair."""
    for _ in range(3):
        await _dead(db, Unique(name="a"))
    await _dead(db, Unique(name="b"))
    await put(db, Unique(name="b"))
    assert await upkeep.requeue(db) == 1
    assert await states(db) == {"pending": 2, "dead": 3}


async def test_requeueing_while_producers_queue_the_same_keys_never_fails(pool: Pool) -> None:
    names = [f"{number:03}" for number in range(150)]
    async with pool.acquire() as db:
        await queue.enqueue_many(db, [Unique(name=name) for name in names])
        for one in await leases.lease(db, "test", 150):
            await leases.fail(db, one.claim, "no", final=True)

    async def produce() -> None:
        async with pool.acquire() as db:
            for name in names:
                await queue.enqueue(db, Unique(name=name))

    async def revive() -> None:
        async with pool.acquire() as db:
            await upkeep.requeue(db)

    await asyncio.gather(produce(), revive())
    assert await pool.fetchval("SELECT count(*) FROM jobs WHERE state = 'pending'") == 150


# --- what people see ---


async def test_the_board_counts_each_lane_and_tells_its_age(db: Connection) -> None:
    await queue.enqueue_many(db, [Plain(number=number) for number in range(4)])
    await put(db, Elsewhere())
    first, second = (one.claim for one in await leases.lease(db, "test", 2))
    await leases.fail(db, first, "no", final=True)
    await db.execute(
        "UPDATE jobs SET scheduled_at = now() - interval '1 hour' WHERE state = 'pending' AND lane = 'test'"
    )
    await db.execute("UPDATE jobs SET scheduled_at = now() + interval '1 hour' WHERE lane = 'other'")
    other, test = await board.counts(db)
    assert (test.lane, test.pending, test.running, test.dead) == ("test", 2, 1, 1)
    assert test.oldest_due_seconds == pytest.approx(3600, abs=5)
    assert (other.lane, other.pending, other.oldest_due_seconds) == ("other", 1, None)
    assert [job.id for job in await board.listed(db, "running")] == [second.id]
    assert [job.last_error for job in await board.listed(db, "dead", kind="plain")] == ["no"]
    assert await board.listed(db, "dead", kind="unique") == []
    assert len(await board.listed(db, "pending", limit=0)) == 1


async def test_jobs_that_are_settled_while_others_are_renewed_stay_settled(db: Connection, pool: Pool) -> None:
    """A heartbeat names jobs that end at this moment: it neither revives nor stumbles over one."""
    await queue.enqueue_many(db, [Plain(number=1) for _ in range(300)])
    claims = [leased.claim for leased in await leases.lease(db, "test", 300)]

    async def beat() -> None:
        async with pool.acquire() as pulse:
            while await leases.renew(pulse, claims, 60):
                pass

    beating = asyncio.create_task(beat())
    for claim in claims:
        await leases.done(db, claim)
    await beating
    assert await states(pool) == {"done": 300}
