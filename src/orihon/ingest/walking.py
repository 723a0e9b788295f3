"""The job that walks a source, one time-boxed chunk at a time."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import UUID

import msgspec
import structlog

from orihon.db.pool import Pool
from orihon.fetch.errors import FetchError, RateLimited
from orihon.ingest import covers, journal, sources
from orihon.ingest.catalogue import CatalogueLine
from orihon.ingest.journal import Begun
from orihon.ingest.rules import Outcome, goes_on
from orihon.ingest.sources import Source
from orihon.ingest.walk import Counts, Limits, Line, run_chunk
from orihon.jobs import queue
from orihon.jobs.handlers import Done, Job, Postpone, Settled
from orihon.jobs.payloads import WalkSource
from orihon.jobs.queue import Claim
from orihon.runtime import metrics
from orihon.runtime.live_status import LiveStatus
from orihon.sources.adapter import Adapter, BadCursor, Fetcher, SourceError
from orihon.sources.records import Cursor
from orihon.sources.registry import open_catalogue

log = structlog.get_logger(__name__)

CHUNK_SECONDS = 60.0
"""How long a chunk may take before it makes room for other jobs."""


LineMaker = Callable[[Pool, Source, Adapter, Fetcher, Claim, bool], Line[Any]]


def _catalogue(
    pool: Pool, source: Source, adapter: Adapter, fetcher: Fetcher, claim: Claim, stops_early: bool
) -> Line[Any]:
    return CatalogueLine(pool, source, adapter, fetcher, claim, stops_early=stops_early)


LINES: Mapping[str, LineMaker] = {"catalogue": _catalogue}
"""The line of each kind of source."""


class _PoolJournal:
    """A journal that writes each entry in a transaction of its own, under the claim."""

    def __init__(self, pool: Pool, claim: Claim, source: Source, begun: Begun, status: LiveStatus) -> None:
        self._pool = pool
        self._claim = claim
        self._source = source
        self._begun = begun
        self._status = status

    async def stop_asked(self) -> bool:
        async with self._pool.acquire() as db:
            return await journal.stop_asked(db, self._source.id)

    async def at(self, counts: Counts, label: str) -> None:
        await self._status.update(phase="walking", text=label, done=counts.discovered, total=self._source.item_limit)

    async def checkpoint(self, done: Cursor, following: Cursor | None, counts: Counts) -> None:
        async with self._pool.acquire() as db, db.transaction():
            await queue.hold(db, self._claim)
            await journal.checkpoint(db, self._begun, self._source.id, done, following, counts)


class SourceWalker:
    """Handles `walk_source` jobs."""

    def __init__(
        self,
        fetcher: Fetcher,
        *,
        max_failures: int,
        chunk_seconds: float = CHUNK_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._fetcher = fetcher
        self._max_failures = max_failures
        self._chunk_seconds = chunk_seconds
        self._clock = clock

    async def __call__(self, job: Job[WalkSource]) -> Done | Settled | Postpone:
        """Walk one chunk, then continue the job or settle it, in one transaction with the end of the chunk."""
        source_id = job.payload.source_id
        async with job.pool.acquire() as db, db.transaction():
            await queue.hold(db, job.claim)
            source = await sources.get(db, source_id)
            if source is None or source.paused:
                return Done()
            begun = await journal.begin(db, source_id)
        if begun is None:
            return Done()
        adapter = open_catalogue(source.adapter, source.url, source.settings)
        started = self._clock()
        try:
            async with job.status(f"source:{source_id}", kind="walk") as status:
                outcome = await self._run(job, source, adapter, begun, status)
        except asyncio.CancelledError:
            # A graceful stop is a chunk boundary, not an unclean end: the next start goes on from the checkpoint.
            with contextlib.suppress(queue.LeaseLost):
                await asyncio.shield(self._close(job, source_id, begun, Outcome.CONTINUED, None))
            raise
        except RateLimited as error:
            await self._close(job, source_id, begun, Outcome.CONTINUED, str(error))
            return Postpone(error.retry_after or 60.0, str(error))
        except queue.LeaseLost:
            raise
        except BadCursor as error:
            # The profile was changed between two chunks: the kept place means nothing any more.
            await self._close(job, source_id, begun, Outcome.FAILED, str(error))
            async with job.pool.acquire() as db:
                await journal.forget_place(db, source_id)
            raise
        except Exception as error:
            await self._close(job, source_id, begun, Outcome.FAILED, _cause(error))
            raise
        await self._record(job.pool, source_id, outcome, begun.counts, self._clock() - started)
        return await self._settle(job, source, begun, outcome)

    async def _run(
        self, job: Job[WalkSource], source: Source, adapter: Adapter, begun: Begun, status: LiveStatus
    ) -> Outcome:
        line = LINES[source.kind](job.pool, source, adapter, self._fetcher, job.claim, begun.plan.stops_early)
        return await run_chunk(
            line,
            _PoolJournal(job.pool, job.claim, source, begun, status),
            begun.plan.cursor or adapter.start(),
            limits=Limits(seconds=self._chunk_seconds, items=source.item_limit, failures=self._max_failures),
            counts=begun.counts,
            clock=self._clock,
        )

    async def _settle(self, job: Job[WalkSource], source: Source, begun: Begun, outcome: Outcome) -> Settled:
        error = _words(outcome, self._max_failures)
        async with job.pool.acquire() as db, db.transaction():
            await queue.hold(db, job.claim)
            await journal.close(db, begun, source.id, outcome, begun.counts, error)
            recovered = begun.plan.mode == "recovery" and outcome is Outcome.END_OF_LIST
            if outcome is Outcome.BREAKER:
                await queue.fail(db, job.claim, error or outcome.value)
            elif outcome is Outcome.CONTINUED or recovered:
                # After a recovery a tick from the top catches what moved meanwhile (DESIGN section 7).
                await queue.continue_(db, job.claim, job.payload)
            else:
                await covers.enqueue_missing(db, source.id)
                await queue.done(db, job.claim)
        log.info("walk chunk ended", source=source.name, mode=begun.plan.mode, outcome=outcome.value,
                 **msgspec.to_builtins(begun.counts))  # fmt: skip
        return Settled()

    async def _close(
        self, job: Job[WalkSource], source_id: UUID, begun: Begun, outcome: Outcome, error: str | None
    ) -> None:
        async with job.pool.acquire() as db, db.transaction():
            await queue.hold(db, job.claim)
            await journal.close(db, begun, source_id, outcome, begun.counts, error)

    async def _record(self, pool: Pool, source_id: UUID, outcome: Outcome, counts: Counts, seconds: float) -> None:
        if goes_on(outcome):
            return
        await metrics.record(
            pool, "manga_list", source_id=source_id, seconds=seconds, items=counts.discovered,
            outcome="failed" if outcome is Outcome.BREAKER else "ok",
        )  # fmt: skip


def _cause(error: Exception) -> str:
    if isinstance(error, FetchError | SourceError):
        return str(error)
    return "The program made a mistake here; its log has the details. The walk is tried again by itself."


def _words(outcome: Outcome, max_failures: int) -> str | None:
    if outcome is Outcome.BREAKER:
        return (
            f"{max_failures} titles in a row could not be fetched, so the walk stopped to spare the site. "
            "It is tried again by itself; if this stays, look at the site in a browser."
        )
    return None
