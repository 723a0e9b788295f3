"""The queue's invariants under any sequence of operations (spec crawler-core 2.11; DESIGN section 6).

A model of every job is kept beside a real PostgreSQL, and after each step every row must equal its model. Claims are
never thrown away, so that zombies act all the time.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar
from uuid import UUID

import asyncpg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.support.queueing import Coalescing, Keyed, Plain, Unique

from orihon.db.pool import connect
from orihon.jobs import leases, queue, upkeep
from orihon.jobs.leases import Claim, Lost
from orihon.jobs.payloads import Payload, kind_of
from orihon.jobs.queue import AlreadyQueued, Enqueued
from orihon.jobs.rules import REFUNDED_RECLAIMS

T = TypeVar("T")

NAMES = st.sampled_from("ab")
PAYLOADS: st.SearchStrategy[Payload] = st.one_of(
    st.builds(Plain, number=st.integers(0, 3)),
    st.builds(Unique, name=NAMES),
    st.builds(Coalescing, name=NAMES),
    st.builds(Keyed, platform=NAMES, number=st.integers(0, 3)),
)

ENDINGS = st.sampled_from(["done", "fail", "give up", "release", "postpone", "continue", "vanish"])


class Model:
    """What a job must be."""

    def __init__(self, payload: Payload) -> None:
        self.payload = payload
        self.kind = kind_of(payload)
        self.key = payload.dedupe_key()
        self.platform = payload.concurrency_key()
        self.state = "pending"
        self.attempts = self.generation = self.reclaims = 0
        self.rerun = self.lapsed = False

    @property
    def put_off(self) -> bool:
        return self.state == "pending" and self.generation > 0

    @property
    def in_flight(self) -> bool:
        return self.state in ("pending", "running")

    def facts(self) -> tuple[Any, ...]:
        return self.state, self.attempts, self.generation, self.reclaims, self.rerun

    def back(self, *, attempts: int, bump: bool = True) -> None:
        self.state, self.attempts, self.lapsed = "pending", attempts, False
        self.generation += bump

    def fail(self, *, last: bool, bump: bool = False) -> None:
        if not last:
            self.back(attempts=self.attempts, bump=bump)
        elif self.rerun:
            self.rerun = False
            self.back(attempts=0, bump=bump)
        else:
            self.state, self.lapsed = "dead", False
            self.generation += bump


class QueueMachine(RuleBasedStateMachine):
    """Producers, workers, zombies, rescuers and operators, one step at a time on two connections."""

    dsn: str
    runner: asyncio.Runner

    def __init__(self) -> None:
        super().__init__()
        self.sessions = [self.wait(connect(self.dsn)) for _ in range(2)]
        self.turn = 0
        self.model: dict[UUID, Model] = {}
        self.issued: Counter[tuple[UUID, int]] = Counter()
        self.wait(self.db.execute("TRUNCATE jobs"))

    def wait(self, work: Awaitable[T]) -> T:
        async def run() -> T:
            return await work

        return self.runner.run(run())

    @property
    def db(self) -> "asyncpg.Connection[asyncpg.Record]":
        self.turn += 1
        return self.sessions[self.turn % len(self.sessions)]

    def teardown(self) -> None:
        for session in self.sessions:
            self.wait(session.close())

    fresh: Bundle[Claim] = Bundle("fresh")
    zombies: Bundle[Claim] = Bundle("zombies")

    # --- producers ---

    def _expect(self, payload: Payload, result: Enqueued | AlreadyQueued) -> None:
        key = payload.dedupe_key()
        equal = [
            job
            for job in self.model.values()
            if key and job.in_flight and (job.kind, job.key) == (kind_of(payload), key)
        ]
        if not equal:
            assert isinstance(result, Enqueued)
            self.model[result.id] = Model(payload)
            return
        assert result == AlreadyQueued()
        if payload.coalesce and equal[0].state == "running":
            equal[0].rerun = True

    @precondition(lambda self: sum(job.in_flight for job in self.model.values()) < 6)
    @rule(payloads=st.lists(PAYLOADS, min_size=1, max_size=4), at_once=st.booleans())
    def produce(self, payloads: list[Payload], at_once: bool) -> None:
        if at_once:
            results = self.wait(queue.enqueue_many(self.db, payloads))
        else:
            results = [self.wait(queue.enqueue(self.db, payload)) for payload in payloads]
        for payload, result in zip(payloads, results, strict=True):
            self._expect(payload, result)

    # --- workers ---

    def _next(self, limit: int) -> list[UUID]:
        """The jobs that a lease must give, in order."""
        due = self.wait(self.db.fetch(
            "SELECT id FROM jobs WHERE state = 'pending' AND scheduled_at <= now()"
            " ORDER BY priority, scheduled_at, seq"))  # fmt: skip
        busy = {job.platform for job in self.model.values() if job.state == "running"} - {None}
        chosen: list[UUID] = []
        for record in due:
            platform = self.model[record["id"]].platform
            if platform not in busy and len(chosen) < limit:
                chosen.append(record["id"])
                busy |= {platform} - {None}
        return chosen

    @precondition(lambda self: any(job.state == "pending" for job in self.model.values()))
    @rule(target=fresh, limit=st.integers(1, 4))
    def lease(self, limit: int) -> Any:
        expected = self._next(limit)
        leased = self.wait(leases.lease(self.db, "test", limit))
        assert [one.claim.id for one in leased] == expected
        for one in leased:
            job = self.model[one.claim.id]
            job.state, job.attempts, job.generation = "running", job.attempts + 1, job.generation + 1
            assert (one.claim.attempts, one.claim.generation) == (job.attempts, job.generation)
            self.issued[one.claim.id, one.claim.generation] += 1
        return multiple(*(one.claim for one in leased))

    def _mine(self, claim: Claim, answer: None | Lost) -> Model | None:
        """The job if the claim holds; else the operation must have said so and changed nothing."""
        job = self.model[claim.id]
        if job.state == "running" and job.generation == claim.generation:
            assert answer is None
            return job
        assert answer == Lost()
        return None

    @rule(target=zombies, claim=consumes(fresh), before=st.sampled_from(["", "ask again", "renew"]), ending=ENDINGS)
    def settle(self, claim: Claim, before: str, ending: str) -> Claim:
        """A worker ends its job and, being slow of mind, may do so again later."""
        if before:
            self._act(claim, before)
        self._act(claim, ending)
        return claim

    @rule(claim=zombies, act=ENDINGS | st.just("renew"))
    def act_late(self, claim: Claim, act: str) -> None:
        self._act(claim, act)

    def _act(self, claim: Claim, act: str) -> None:
        payload = self.model[claim.id].payload
        match act:
            case "ask again":
                self._expect(payload, self.wait(queue.enqueue(self.db, payload)))
            case "vanish":
                self._lapse(claim)
            case "renew":
                answer = None if claim.id in self.wait(leases.renew(self.db, [claim])) else Lost()
                if job := self._mine(claim, answer):
                    job.lapsed = False
            case "done":
                if job := self._mine(claim, self.wait(leases.done(self.db, claim))):
                    self._done(job)
            case "fail" | "give up":
                final = act == "give up"
                if job := self._mine(claim, self.wait(leases.fail(self.db, claim, "no", final=final))):
                    job.fail(last=final or claim.attempts >= claim.max_attempts)
            case "release" | "postpone":
                after = 60.0 if act == "postpone" else 0.0
                if job := self._mine(claim, self.wait(leases.release(self.db, claim, after=after))):
                    job.back(attempts=max(job.attempts - 1, 0))
            case _:
                if job := self._mine(claim, self.wait(leases.continue_(self.db, claim, payload))):
                    job.reclaims = 0
                    job.back(attempts=0)

    def _done(self, job: Model) -> None:
        if job.rerun:
            job.rerun, job.reclaims = False, 0
            job.back(attempts=0)
        else:
            job.state, job.lapsed = "done", False

    # --- time, rescuers, operators ---

    def _lapse(self, claim: Claim) -> None:
        if (job := self.model[claim.id]).state == "running":
            self.wait(self.db.execute("UPDATE jobs SET leased_until = now() - interval '1 s' WHERE id = $1", claim.id))
            job.lapsed = True

    @precondition(lambda self: any(job.lapsed or job.state == "dead" or job.put_off for job in self.model.values()))
    @rule(kind=st.sampled_from([None, "unique", "keyed"]), revive=st.booleans())
    def upkeep(self, kind: str | None, revive: bool) -> None:
        self._time_passes()
        self._reclaim()
        if revive:
            self._requeue(kind)

    def _time_passes(self) -> None:
        self.wait(self.db.execute("UPDATE jobs SET scheduled_at = now() WHERE scheduled_at > now()"))

    def _reclaim(self) -> None:
        lapsed = [job for job in self.model.values() if job.lapsed]
        assert self.wait(upkeep.reclaim_lapsed(self.db)) == len(lapsed)
        for job in lapsed:
            if job.reclaims < REFUNDED_RECLAIMS:
                job.reclaims += 1
                job.back(attempts=max(job.attempts - 1, 0))
            else:
                job.fail(last=job.attempts >= 5, bump=True)

    @rule(claim=zombies)
    def release_unowned(self, claim: Claim) -> None:
        job = self.model[claim.id]
        assert self.wait(upkeep.release_unowned(self.db, claim.id)) is (job.state == "running")
        if job.state == "running":
            job.back(attempts=max(job.attempts - 1, 0))

    def _requeue(self, kind: str | None) -> None:
        latest = self.wait(self.db.fetch("SELECT id FROM jobs WHERE state = 'dead' ORDER BY updated_at DESC, id DESC"))
        expected: set[tuple[str, str | UUID]] = set()
        living = {(job.kind, job.key) for job in self.model.values() if job.in_flight and job.key}
        for record in latest:
            job = self.model[record["id"]]
            if (kind is None or job.kind == kind) and (job.kind, job.key) not in living:
                expected.add((job.kind, job.key or record["id"]))
        assert self.wait(upkeep.requeue(self.db, kind=kind)) == len(expected)
        for record in self.wait(self.db.fetch("SELECT id FROM jobs WHERE state = 'pending'")):
            if (job := self.model[record["id"]]).state == "dead":
                job.reclaims = 0
                job.back(attempts=0)

    # --- what must always hold ---

    @invariant()
    def every_row_equals_its_model(self) -> None:
        rows = self.wait(
            self.db.fetch(
                "SELECT id, state, attempts, lease_generation, reclaims, rerun, leased_until IS NOT NULL AS leased"
                "  FROM jobs"
            )
        )
        held = {row["id"]: row for row in rows}
        assert held.keys() == self.model.keys()
        for job_id, job in self.model.items():
            row = held[job_id]
            stored = (row["state"], row["attempts"], row["lease_generation"], row["reclaims"], row["rerun"])
            assert stored == job.facts()
            assert row["leased"] is (job.state == "running")

    @invariant()
    def no_two_leases_share_a_generation(self) -> None:
        assert all(count == 1 for count in self.issued.values())

    @invariant()
    def keys_hold(self) -> None:
        in_flight = Counter((job.kind, job.key) for job in self.model.values() if job.in_flight and job.key)
        running = Counter(job.platform for job in self.model.values() if job.state == "running" and job.platform)
        assert max([0, *in_flight.values(), *running.values()]) <= 1


@pytest.fixture
def machine(shared: str) -> Iterator[Callable[[], QueueMachine]]:
    with asyncio.Runner() as runner:
        yield type("BoundMachine", (QueueMachine,), {"dsn": shared, "runner": runner})


def test_the_queue_keeps_its_invariants(machine: Callable[[], QueueMachine]) -> None:
    """Invariants 1-6, dedupe, rerun, continue and concurrency keys."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=30, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
