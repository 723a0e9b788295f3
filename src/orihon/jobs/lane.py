"""One lane of a worker: jobs are leased ahead, run side by side, and settled behind.

Three loops work hand in hand, so that a cheap, hot lane keeps the database and the handlers busy at the same time:
`fetch` leases what there is room for, each `run` runs one job at a time, `settle` writes what came of them, whole
batches at once while it was busy with the one before.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from uuid import UUID

import msgspec
import structlog

from orihon.db.pool import TROUBLE, Connection, Pool
from orihon.jobs import leases, upkeep, waiting
from orihon.jobs.excuses import Interrupted, NoRoom, excuse
from orihon.jobs.handlers import Done, Entry, GiveUp, Job, Postpone, Settled
from orihon.jobs.leases import Claim, Leased, LeaseLost
from orihon.jobs.payloads import BadPayload, decode
from orihon.jobs.rules import BEAT_SECONDS, IDLE_CAP_SECONDS, LEASE_SECONDS, one_line, poll_delay

log = structlog.get_logger(__name__)

BATCH = 500
"""Jobs that one lease takes at most."""


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    """A lane as a worker serves it: jobs side by side, and how many more it may hold ready.

    Prefetch suits short jobs: what one worker holds ready, no other can take.
    """

    name: str
    concurrency: int = 1
    prefetch: int = 0

    def __post_init__(self) -> None:
        if self.concurrency < 1 or self.prefetch < 0:
            raise ValueError(f"Lane {self.name}: concurrency must be at least 1 and prefetch at least 0.")


class Timing(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds that a worker lives by."""

    window: float = LEASE_SECONDS
    """A lease without a heartbeat."""
    beat: float = BEAT_SECONDS
    """Between heartbeats."""
    linger: float = 0.005
    """Between running dry and asking to be woken: bounds how often enqueues pay for a wake-up."""
    trouble: float = 5.0
    """After the database could not answer."""
    reclaim: float = 10.0
    """Between looks for lapsed leases."""
    schedule: float = 5.0
    """Between looks at the schedules."""
    clock: float = 15.0
    """Between looks at the database's clock. After it was set back, that long twice is the most that anything waits."""
    returning: float = 2.0
    """For a handler that has settled its job itself to return, before a heartbeat takes the job for lost."""
    stuck: float = 60.0
    """How long past its time limit a handler may ignore its cancellation before its lease is let go."""
    drain: float = 10.0
    """For handlers to clean up and for the last writes when the worker stops."""
    unknown: float = 60.0
    """Until a job of a kind that this program does not know is offered again."""
    full: float = 30.0
    """Until a lane whose job found a disk full takes jobs again; what it would fetch meanwhile has no place."""

    def __post_init__(self) -> None:
        if self.beat * 3 > self.window:
            raise ValueError(f"A lease of {self.window} s needs a heartbeat at least every {self.window / 3:g} s.")


class Failed(msgspec.Struct, frozen=True):
    """The attempt failed. `final`: no other can succeed."""

    error: str
    final: bool = False


class Returned(msgspec.Struct, frozen=True):
    """The job was not run to its end, through no fault of its own."""

    after: float = 0.0
    reason: str | None = None


Outcome = Failed | Returned | Interrupted


class Held:
    """A leased job in this process, from the lease to its last write."""

    __slots__ = ("claim", "keyed", "limit", "line", "lost", "over", "payload", "scope", "started")

    def __init__(self, leased: Leased) -> None:
        self.claim: Claim = leased.claim
        self.payload = leased.payload
        self.keyed = leased.keyed
        self.line = leased.line
        self.scope: asyncio.Timeout | None = None
        self.started: float | None = None
        self.limit = 0.0
        self.lost = False
        self.over = False


class LaneRunner:
    """Serves one lane until stopped."""

    def __init__(
        self,
        lane: Lane,
        *,
        pool: Pool,
        handlers: Mapping[str, Entry],
        worker: UUID,
        timing: Timing,
        random: Callable[[], float],
    ) -> None:
        self.lane = lane
        self._pool = pool
        self._handlers = handlers
        self._worker = worker
        self._timing = timing
        self._random = random
        self._held: dict[UUID, Held] = {}
        self._ready: asyncio.Queue[Held] = asyncio.Queue()
        self._running = 0
        self._fed = False
        self._announced_until = 0.0
        self._rests_until = 0.0
        self._done: list[Held] = []
        self._others: list[tuple[Held, Outcome]] = []
        self._woken = asyncio.Event()
        self._room_made = asyncio.Event()
        self._finished = asyncio.Event()
        self._all_written = asyncio.Event()
        self._stopping = asyncio.Event()

    def wake(self) -> None:
        """Look for jobs now."""
        self._woken.set()

    def stop(self) -> None:
        """Lease nothing more; `fetch` ends soon."""
        self._stopping.set()
        self._woken.set()
        self._room_made.set()

    # --- leasing ---

    async def fetch(self) -> None:
        """Lease jobs as there is room for them; sleep when there are none, woken by hints and in any case by time."""
        polls = 0
        due: float | None = None
        looked = False
        while not self._stopping.is_set():
            await self._until_room()
            await self._until_rested()
            self._woken.clear()
            if self._stopping.is_set():
                return
            try:
                if await self._lease():
                    polls, looked = 0, False
                elif looked or self._announced():
                    if not looked:
                        due = await self._announce()
                    woken = await self._wait(polls, due)
                    polls = 0 if woken else polls + 1
                    looked = False
                else:
                    # What comes before others know of this worker is hinted to nobody, so it looks once more.
                    await asyncio.sleep(self._timing.linger)
                    due = await self._announce()
                    looked = True
            except TROUBLE as error:
                looked, self._announced_until = False, 0.0
                log.warning("cannot lease jobs; trying again", lane=self.lane.name, error=one_line(error))
                await self._nap(self._stopping, self._timing.trouble)

    def _room(self) -> int:
        return self.lane.concurrency + self.lane.prefetch - self._ready.qsize() - self._running

    async def _until_room(self) -> None:
        # A buffer is filled in gulps: half of it at a time.
        least = max(1, min(self.lane.prefetch, BATCH) // 2)
        while self._room() < least and not self._stopping.is_set():
            self._room_made.clear()
            await self._room_made.wait()

    async def _until_rested(self) -> None:
        while (rest := self._rests_until - asyncio.get_running_loop().time()) > 0 and not self._stopping.is_set():
            await self._nap(self._stopping, rest)

    def _rest(self, reason: str) -> Returned:
        """Take no jobs for a while, since the next ones would end like this one."""
        seconds = self._timing.full * (0.8 + 0.4 * self._random())
        until = asyncio.get_running_loop().time() + seconds
        if until > self._rests_until + self._timing.full / 2:
            log.error("no room; this lane rests", lane=self.lane.name, seconds=round(seconds), reason=reason)
        self._rests_until = max(self._rests_until, until)
        return Returned(seconds, reason)

    async def _lease(self) -> bool:
        async with self._pool.acquire() as db:
            room = min(self._room(), BATCH)
            leased = await leases.lease(db, self.lane.name, room, self._timing.window, full=self._full())
            # Handed over before anything else is asked of the database.
            for one in leased:
                held = Held(one)
                self._held[held.claim.id] = held
                self._ready.put_nowait(held)
            # A trickle leaves the worker announced; what keeps it busy does not.
            if leased and (self._fed or self._room() <= 0) and self._announced():
                self._announced_until = 0.0
                await waiting.withdraw(db, self.lane.name, self._worker)
        self._fed = bool(leased)
        return self._fed

    def _full(self) -> list[str]:
        """Lines that get no more places of this worker: one is kept for others, or a slow site could hold them all."""
        held = Counter(one.line for one in self._held.values() if one.line is not None)
        most = max(1, self.lane.concurrency + self.lane.prefetch - 1)
        return [line for line, jobs in held.items() if jobs >= most]

    def _announced(self) -> bool:
        return asyncio.get_running_loop().time() < self._announced_until

    async def _announce(self) -> float | None:
        # Outlasts the longest sleep, so that a waiting worker is always known to wait.
        seconds = 2.0 * IDLE_CAP_SECONDS
        until = asyncio.get_running_loop().time() + seconds
        async with self._pool.acquire() as db:
            due = await waiting.announce(db, self.lane.name, self._worker, seconds)
        self._announced_until = until
        return due

    async def _wait(self, polls: int, due: float | None) -> bool:
        delay = poll_delay(polls, self._random())
        return await self._nap(self._woken, delay if due is None else min(delay, max(due, 0.01)))

    @staticmethod
    async def _nap(until: asyncio.Event, seconds: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await until.wait()
        return until.is_set()

    # --- running ---

    async def run(self) -> None:
        """Run jobs one at a time until cancelled; the job in hand then goes back with its attempt refunded."""
        # A handler may have swallowed the cancellation.
        while not self._stopping.is_set():
            held = await self._ready.get()
            if held.lost:
                self._forget(held)
                continue
            self._running += 1
            try:
                outcome = await self._execute(held)
            except asyncio.CancelledError:
                self._end(held, Returned())
                raise
            finally:
                self._running -= 1
                self._room_made.set()
            self._end(held, outcome)

    async def _execute(self, held: Held) -> Done | Settled | Outcome:
        claim = held.claim
        entry = self._handlers.get(claim.kind)
        if entry is None:
            # A newer program may know it, so it is not ours to bury.
            return Returned(self._timing.unknown, f"This version of the program has no handler for {claim.kind} jobs.")
        try:
            payload = decode(entry.payload, held.payload)
        except BadPayload as error:
            return Failed(one_line(error), final=True)
        loop = asyncio.get_running_loop()
        held.started, held.limit = loop.time(), entry.payload.time_limit
        try:
            async with asyncio.timeout(held.limit) as held.scope:
                result = await entry.handler(Job(payload=payload, claim=claim, pool=self._pool))
        except LeaseLost:
            if not held.lost:
                log.warning("lease lost; the job is dropped here", kind=claim.kind, id=str(claim.id))
            held.lost = True
            return Settled()
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            return Failed(f"worker panicked: the handler cancelled itself: {one_line(error)}")
        except GiveUp as error:
            return Failed(one_line(error), final=True)
        except Exception as error:
            if held.scope is not None and held.scope.expired():
                return Failed(f"dispatch timed out after {held.limit:g} s")
            match excuse(error):
                case Interrupted(how=how) as interrupted:
                    log.warning("interrupted; the job is given back", how=how, kind=claim.kind,
                                id=str(claim.id), error=one_line(error))  # fmt: skip
                    return interrupted
                case NoRoom(reason=reason):
                    return self._rest(reason)
            return Failed(one_line(error))
        except BaseException as error:
            # SystemExit and its like end a program; a handler may not.
            return Failed(f"worker panicked: {one_line(error)}")
        if isinstance(result, Postpone):
            return Returned(max(result.seconds, 0.001), result.reason)
        return result

    def _end(self, held: Held, outcome: Done | Settled | Outcome) -> None:
        held.over = True
        if held.lost or isinstance(outcome, Settled):
            self._forget(held)
            self._woken.set()
            return
        if isinstance(outcome, Done):
            self._done.append(held)
        else:
            if isinstance(outcome, Failed):
                log.warning("job failed", kind=held.claim.kind, id=str(held.claim.id), error=outcome.error,
                            attempt=held.claim.attempts, of=held.claim.max_attempts)  # fmt: skip
            self._others.append((held, outcome))
        self._finished.set()

    def _forget(self, held: Held) -> None:
        if self._held.get(held.claim.id) is held:
            del self._held[held.claim.id]

    # --- settling ---

    async def settle(self) -> None:
        """Write what came of the jobs, again and again until the database takes it or the lease is lost."""
        while True:
            await self._finished.wait()
            try:
                async with self._pool.acquire() as db:
                    await self._write(db)
            except TROUBLE as error:
                log.warning("cannot settle jobs; trying again", lane=self.lane.name, error=one_line(error))
                await asyncio.sleep(self._timing.trouble * (0.5 + 0.5 * self._random()))

    async def until_settled(self) -> None:
        """Wait until everything that is over is written."""
        while self._done or self._others:
            self._all_written.clear()
            await self._all_written.wait()

    async def _write(self, db: Connection) -> None:
        # What a failure leaves here is written by the next call; the claim keeps anything from counting twice.
        while self._done or self._others:
            if batch := self._done[:]:
                states = await leases.done_many(db, [held.claim for held in batch])
                del self._done[: len(batch)]
                for held in batch:
                    self._written(held, kept=held.claim.id in states)
                # Asked for again, or one less in the way of its key: there may be a job now.
                if "pending" in states.values() or any(held.keyed or held.line for held in batch):
                    self._woken.set()
            while self._others:
                held, outcome = self._others[0]
                kept = held.lost or await self._write_other(db, held.claim, outcome)
                del self._others[0]
                self._written(held, kept=kept)
                self._woken.set()
        self._finished.clear()
        self._all_written.set()

    async def _write_other(self, db: Connection, claim: Claim, outcome: Outcome) -> bool:
        if isinstance(outcome, Failed):
            answer = await leases.fail(db, claim, outcome.error, final=outcome.final, random=self._random)
        elif isinstance(outcome, Interrupted):
            answer = await upkeep.let_lapse(db, claim, random=self._random)
        else:
            answer = await leases.release(db, claim, after=outcome.after, reason=outcome.reason)
        return answer is None

    def _written(self, held: Held, *, kept: bool) -> None:
        self._forget(held)
        if not kept:
            log.warning("job was lost before it was settled; nothing changed", kind=held.claim.kind,
                        id=str(held.claim.id), generation=held.claim.generation)  # fmt: skip

    # --- leases ---

    def holding(self) -> list[Held]:
        """What must be renewed: every leased job, running or not, except one whose handler cannot be stopped."""
        now = asyncio.get_running_loop().time()
        for held in list(self._held.values()):
            if held.started is not None and not held.over and now > held.started + held.limit + self._timing.stuck:
                log.error("a handler ignores its time limit; its lease is let go", kind=held.claim.kind,
                          id=str(held.claim.id), seconds=round(now - held.started))  # fmt: skip
                self.lose([held])
        return list(self._held.values())

    def miss(self, held: Held) -> None:
        """The database says that a job is not ours: it is lost, unless its handler has settled it and is about to
        return.
        """
        if held.started is None:
            self.lose([held])
        else:
            asyncio.get_running_loop().call_later(self._timing.returning, self.lose, [held])

    def lose(self, jobs: Iterable[Held]) -> None:
        """Stop these jobs and write nothing more of them: someone else has them, or may have (DESIGN ruling 22)."""
        for held in jobs:
            if self._held.get(held.claim.id) is not held or held.over:
                continue
            held.lost = True
            del self._held[held.claim.id]
            log.error("lease lost; the job is dropped here", kind=held.claim.kind, id=str(held.claim.id))
            if held.scope is not None and not held.scope.expired():
                held.scope.reschedule(asyncio.get_running_loop().time())

    def give_back_unstarted(self) -> None:
        """What was leased but not begun goes back with its attempt refunded."""
        while not self._ready.empty():
            held = self._ready.get_nowait()
            self._end(held, Returned())


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
