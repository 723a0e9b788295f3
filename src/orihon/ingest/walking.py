"""The job that walks a source, one time-boxed chunk at a time."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping

import msgspec
import structlog

from orihon.db.pool import Pool
from orihon.fetch.errors import Gone, RateLimited
from orihon.ingest import covers, journal, sources
from orihon.ingest.failures import Failure, failure_of, in_words
from orihon.ingest.journal import Begun, End
from orihon.ingest.lines import LineKind, Walk
from orihon.ingest.rules import MOST_STALLS, Outcome, goes_on, stalls_after
from orihon.ingest.sources import Source
from orihon.ingest.walk import Counts, Limits, run_chunk
from orihon.jobs import leases, upkeep
from orihon.jobs.excuses import Interrupted, excuse
from orihon.jobs.handlers import Done, Job, Postpone, Settled
from orihon.jobs.leases import Claim
from orihon.jobs.payloads import WalkSource
from orihon.runtime import metrics
from orihon.runtime.live_status import LiveStatus
from orihon.sources.adapter import BadCursor
from orihon.sources.records import Cursor

log = structlog.get_logger(__name__)

CHUNK_SECONDS = 60.0
"""How long a chunk may take before it makes room for other jobs."""

WHOLE_DAYS = 30
"""Days after which a list is walked whole again."""

TELL_SECONDS = 5.0
"""How often the counts are shown while a page is walked (curator 2.11)."""

Clock = Callable[[], float]


class _PoolJournal:
    """A journal that writes each entry in a transaction of its own, under the claim."""

    def __init__(
        self, pool: Pool, claim: Claim, source: Source, begun: Begun, status: LiveStatus, clock: Clock = time.monotonic
    ) -> None:
        self._pool = pool
        self._claim = claim
        self._source = source
        self._begun = begun
        self._status = status
        self._clock = clock
        self._told = clock()
        self.moved = False

    async def stop_asked(self) -> bool:
        async with self._pool.acquire() as db:
            return await journal.stop_asked(db, self._source.id)

    async def at(self, counts: Counts, label: str) -> None:
        await self._status.update(phase="walking", text=label, done=counts.discovered, total=self._source.item_limit)
        if (now := self._clock()) - self._told >= TELL_SECONDS:
            self._told = now
            async with self._pool.acquire() as db:
                await journal.tell(db, self._begun, self._source.id, counts)

    async def checkpoint(self, resume: Cursor, following: Cursor | None, counts: Counts) -> None:
        async with self._pool.acquire() as db, db.transaction():
            await leases.hold(db, self._claim)
            await journal.checkpoint(db, self._begun, self._source.id, resume, following, counts)
            await leases.forgive(db, self._claim)
        self.moved = True


class SourceWalker:
    """Handles the jobs that walk a source."""

    def __init__(
        self,
        lines: Mapping[str, LineKind],
        *,
        max_failures: int,
        chunk_seconds: float = CHUNK_SECONDS,
        whole_days: int = WHOLE_DAYS,
        clock: Clock = time.monotonic,
    ) -> None:
        """`lines` by kind of source; `whole_days` as `journal.begin` has it."""
        self._lines = lines
        self._max_failures = max_failures
        self._chunk_seconds = chunk_seconds
        self._whole_days = whole_days
        self._clock = clock

    async def __call__(self, job: Job[WalkSource]) -> Done | Settled | Postpone:
        """Walk one chunk, then continue the job or settle it, in one transaction with the end of the chunk."""
        source_id = job.payload.source_id
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            source = await sources.get(db, source_id)
            if source is None or source.paused:
                return Done()
            begun = await journal.begin(db, source_id, whole_days=self._whole_days)
        if begun is None:
            return Done()
        started = self._clock()
        try:
            async with job.status(f"source:{source_id}", kind="walk") as status:
                pages = _PoolJournal(job.pool, job.claim, source, begun, status)
                outcome, drift = await self._run(job, source, begun, pages)
        except asyncio.CancelledError:
            # A graceful stop is a chunk boundary, not an unclean end: the next start goes on from the checkpoint.
            with contextlib.suppress(leases.LeaseLost):
                await asyncio.shield(self._close(job, begun, End(outcome=Outcome.CONTINUED, stalls=begun.stalls)))
            raise
        except leases.LeaseLost:
            raise
        except RateLimited as error:
            await self._close(job, begun, _failed(error, Outcome.CONTINUED, begun.stalls))
            return Postpone(error.retry_after or 60.0, str(error))
        except Exception as error:
            if isinstance(excuse(error), Interrupted):
                # No end of a chunk: it is found open, and gone on with, as after a crash.
                raise
            lost = isinstance(error, BadCursor) or _place_is_gone(error, begun)
            await self._close(job, begun, _failed(error, Outcome.FAILED, forget_place=lost))
            raise
        await self._record(job.pool, source, outcome, begun.counts, self._clock() - started)
        return await self._settle(job, source, begun, self._end(source, begun, outcome, drift, moved=pages.moved))

    async def _run(
        self, job: Job[WalkSource], source: Source, begun: Begun, pages: _PoolJournal
    ) -> tuple[Outcome, str | None]:
        line = self._lines[source.kind].make(Walk(pool=job.pool, source=source, claim=job.claim, plan=begun.plan))
        outcome = await run_chunk(
            line,
            pages,
            begun.plan.cursor,
            limits=Limits(seconds=self._chunk_seconds, items=source.item_limit, failures=self._max_failures),
            counts=begun.counts,
            clock=self._clock,
        )
        return outcome, await line.close(outcome)

    def _end(self, source: Source, begun: Begun, outcome: Outcome, drift: str | None, *, moved: bool) -> End:
        """What the end of a chunk means, in words where a person should know."""
        kind = self._lines[source.kind]
        match outcome:
            case Outcome.BREAKER:
                return End(
                    outcome=outcome,
                    failure=Failure.BREAKER,
                    error=f"{self._max_failures} {kind.items} in a row could not be fetched, so the walk stopped to "
                    "spare the site. It is tried again by itself; if this stays, look at the site in a browser.",
                )
            case Outcome.LIMIT if source.item_limit is None or begun.counts.discovered < source.item_limit:
                return End(outcome=outcome, error="The source's byte budget is used up. Raise it to fetch more.")
            case Outcome.CONTINUED:
                gained = (begun.counts.discovered, begun.counts.media_new) > (
                    begun.before.discovered,
                    begun.before.media_new,
                )
                stalls = stalls_after(begun.stalls, moved=moved, gained=gained)
                return _stuck(begun, stalls, kind) or End(outcome=outcome, stalls=stalls)
            case _:
                return End(outcome=outcome, error=drift, failure=Failure.DRIFT if drift else None)

    async def _settle(self, job: Job[WalkSource], source: Source, begun: Begun, end: End) -> Settled:
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            asked = await journal.close(db, begun, source.id, end)
            recovered = begun.plan.mode == "recovery" and end.outcome is Outcome.END_OF_LIST
            if end.outcome is Outcome.BREAKER:
                await leases.fail(db, job.claim, end.error or end.outcome.value)
            elif end.outcome is Outcome.STALLED:
                await sources.pause(db, source.id)
                await leases.done(db, job.claim)
            elif end.outcome is Outcome.CONTINUED or recovered or asked:
                # After a recovery a tick from the top catches what moved meanwhile (DESIGN section 7).
                await leases.continue_(db, job.claim, job.payload)
            else:
                await covers.enqueue_missing(db, source.id)
                await upkeep.succeed(db, job.claim, job.payload)
        log.info("walk chunk ended", source=source.name, mode=begun.plan.mode, outcome=end.outcome.value,
                 chunk=begun.chunk, **msgspec.to_builtins(begun.counts))  # fmt: skip
        return Settled()

    async def _close(self, job: Job[WalkSource], begun: Begun, end: End) -> None:
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            await journal.close(db, begun, job.payload.source_id, end)

    async def _record(self, pool: Pool, source: Source, outcome: Outcome, counts: Counts, seconds: float) -> None:
        if goes_on(outcome):
            return
        await metrics.record(
            pool, self._lines[source.kind].metric, source_id=source.id, seconds=seconds, items=counts.discovered,
            outcome="failed" if outcome is Outcome.BREAKER else "ok",
        )  # fmt: skip


def _failed(error: Exception, outcome: Outcome, stalls: int = 0, *, forget_place: bool = False) -> End:
    return End(
        outcome=outcome, error=in_words(error), failure=failure_of(error), stalls=stalls, forget_place=forget_place
    )


def _place_is_gone(error: Exception, begun: Begun) -> bool:
    """The page from which this chunk should go on is no more: the list has shrunk, or its address was not for ever.

    A page that is gone further on is another matter: its predecessor, which was read, tells where it is now.
    """
    unread = begun.counts.pages == begun.before.pages
    return isinstance(error, Gone) and begun.plan.cursor is not None and unread


def _stuck(begun: Begun, stalls: int, kind: LineKind) -> End | None:
    """The end of a walk that waits for a person, if it is one (curator 2.9)."""
    if stalls >= MOST_STALLS:
        return End(
            outcome=Outcome.STALLED,
            failure=Failure.STALLED,
            stalls=stalls,
            forget_place=True,
            error=f"{stalls} times in a row the time for a part of this walk ran out before anything new was held: the "
            "site may be very slow, or the list leads nowhere. The source is paused; resume it to begin at the top.",
        )
    if kind.most_chunks is not None and begun.chunk >= kind.most_chunks:
        return End(
            outcome=Outcome.STALLED,
            failure=Failure.STALLED,
            error=f"This walk took {begun.chunk} parts and has not come to an end: the feed is very long, or leads "
            "in a circle. The source is paused; resume it to go on where it is.",
        )
    return None
