"""The job that brings a title's cover, and the back-fill of covers that failed before."""

import time
from uuid import UUID

import structlog

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.fetch.errors import Denied, Gone, RateLimited
from orihon.ingest.download import Intake
from orihon.jobs import leases, queue, upkeep
from orihon.jobs.excuses import Interrupted, excuse
from orihon.jobs.handlers import Done, Job, Postpone, Settled
from orihon.jobs.payloads import CheckMedium, FetchCover, SyncTitle
from orihon.library import covers, tombstones
from orihon.library.tombstones import COVER_IS_BURIED
from orihon.media import store
from orihon.runtime import metrics
from orihon.sources.registry import open_adapter

log = structlog.get_logger(__name__)

BACKFILL_AT_ONCE = 10
"""Missing covers that are asked for again at the end of a walk (crawler-core 8.6)."""

_WHERE = f"""
    SELECT s.work_id, s.url, s.cover_url, w.title, so.adapter, so.url AS source_url, so.settings
      FROM source_works s
      JOIN works w ON w.id = s.work_id
      JOIN sources so ON so.id = s.source_id AND so.removed_at IS NULL
     WHERE s.source_id = $1 AND s.key = $2 AND s.cover_url IS NOT NULL AND NOT {COVER_IS_BURIED}
"""

# Early stop means that a walk may never come back to a title whose cover failed (crawler-core 8.6).
_MISSING = f"""
    SELECT s.key
      FROM source_works s
      JOIN works w ON w.id = s.work_id
     WHERE s.source_id = $1 AND s.dropped_at IS NULL AND s.cover_url IS NOT NULL AND w.cover_media_id IS NULL
       AND NOT {COVER_IS_BURIED}
  ORDER BY s.cover_tried_at NULLS FIRST, s.last_seen_at DESC, s.key
     LIMIT $2
"""

_TRIED = """
    UPDATE source_works SET cover_error = $3, cover_tried_at = now() WHERE source_id = $1 AND key = $2
"""


_ARRIVED = """
    UPDATE source_works SET cover_sha256 = $3, cover_error = $4, cover_tried_at = now()
     WHERE source_id = $1 AND key = $2
"""


async def enqueue_missing(db: Connection, source_id: UUID) -> int:
    """Queue covers that are missing although the source has them; returns how many."""
    keys = [record["key"] for record in await db.fetch(_MISSING, source_id, BACKFILL_AT_ONCE)]
    results = await queue.enqueue_many(db, [FetchCover(source_id=source_id, key=key) for key in keys])
    return sum(isinstance(result, queue.Enqueued) for result in results)


class CoverFetcher:
    """Handles `fetch_cover` jobs."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    async def __call__(self, job: Job[FetchCover]) -> Done | Settled | Postpone:
        """Fetch the cover and make it the work's, in one transaction with the end of the job."""
        payload = job.payload
        async with job.pool.acquire() as db:
            where = await db.fetchrow(_WHERE, payload.source_id, payload.key)
        if where is None:
            return Done()
        started = time.monotonic()
        try:
            arrived = await self._intake.stored_image(
                where["cover_url"],
                referer=where["url"],
                stand_ins=open_adapter(where["adapter"], where["source_url"], where["settings"]).stand_ins,
            )
        except RateLimited as error:
            return Postpone(error.retry_after or 60.0, str(error))
        except Exception as error:
            if isinstance(excuse(error), Interrupted):
                raise
            async with job.pool.acquire() as db, db.transaction():
                await leases.hold(db, job.claim)
                await db.execute(_TRIED, payload.source_id, payload.key, str(error))
                if isinstance(error, Denied | Gone):
                    # A signed address has expired: only the title's page knows the one that holds now.
                    title = SyncTitle(
                        source_id=payload.source_id, key=payload.key, url=where["url"], title=where["title"]
                    )
                    await queue.enqueue(db, title)
            await metrics.record(
                job.pool, "manga_cover", source_id=payload.source_id, work_id=where["work_id"],
                outcome="failed", seconds=time.monotonic() - started, error=str(error),
            )  # fmt: skip
            raise
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            medium = await store.keep(db, self._intake.storage, arrived.probed)
            buried = bool(await tombstones.media(db, [medium.id]))
            reason = "It was deleted here." if buried else None
            await db.execute(_ARRIVED, payload.source_id, payload.key, arrived.probed.sha256, reason)
            if not buried:
                await covers.set_cover(db, where["work_id"], medium.id, origin=f"source:{payload.source_id}")
                await queue.enqueue(db, CheckMedium(media_id=medium.id))
                await notify(db, "library", str(where["work_id"]))
            await upkeep.succeed(db, job.claim, job.payload)
        await metrics.record(
            job.pool, "manga_cover", source_id=payload.source_id, work_id=where["work_id"],
            outcome="ok", seconds=time.monotonic() - started,
        )  # fmt: skip
        return Settled()
