"""The job that fetches a damaged page again, once (DESIGN ruling 20)."""

from typing import Any
from uuid import UUID

import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.fetch.errors import RateLimited
from orihon.ingest import sources
from orihon.ingest.download import Intake
from orihon.jobs import leases, queue, upkeep
from orihon.jobs.handlers import Done, Job, Postpone, Settled
from orihon.jobs.payloads import CheckMedium, PageRefetch
from orihon.library import content
from orihon.media import store
from orihon.media.decoder import Damaged, DecoderPool
from orihon.sources.adapter import LayoutChanged
from orihon.sources.records import ChapterRef, PageRef
from orihon.sources.registry import open_adapter


class _Place(msgspec.Struct, frozen=True, kw_only=True):
    page_number: int
    work_id: UUID
    chapter_id: UUID
    source_id: UUID
    key: str
    url: str
    chapter_number: Any
    title: str | None


_PLACE = """
    SELECT p.number AS page_number, c.work_id, c.id AS chapter_id, s.source_id, s.key, s.url,
           c.number AS chapter_number, c.title
      FROM pages p
      JOIN chapters c ON c.id = p.chapter_id
      JOIN source_chapters s ON s.chapter_id = c.id
      JOIN sources so ON so.id = s.source_id AND so.removed_at IS NULL
     WHERE p.id = $1 AND p.damage IS NOT NULL
  ORDER BY s.dropped_at NULLS FIRST, s.source_id
     LIMIT 1
"""


class PageRefetcher:
    """Handles `page_refetch` jobs: the page keeps its id, the old medium stays until the new one is verified."""

    def __init__(self, intake: Intake, decoder: DecoderPool) -> None:
        self._intake = intake
        self._decoder = decoder

    async def __call__(self, job: Job[PageRefetch]) -> Done | Settled | Postpone:
        """Read the chapter again for a fresh address, fetch the page, decode it, and only then swap the medium."""
        async with job.pool.acquire() as db:
            place = await _place(db, job.payload.page_id)
            source = await sources.get(db, place.source_id) if place else None
        if place is None or source is None:
            return Done()
        adapter = open_adapter(source.adapter, source.url, source.settings)
        try:
            refs = await adapter.pages(
                self._intake.fetcher,
                ChapterRef(key=place.key, url=place.url, number=place.chapter_number, title=place.title),
            )
            ref = _page(refs, place.page_number)
            arrived = await self._intake.stored_image(
                ref.url, referer=ref.referer or place.url, stand_ins=adapter.stand_ins
            )
        except RateLimited as error:
            return Postpone(error.retry_after or 60.0, str(error))
        verdict = await self._decoder.check(self._intake.storage.path(arrived.key), arrived.probed.format)
        if isinstance(verdict, Damaged):
            await self._give_up(job, place, verdict.reason)
            return Settled()
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            medium = await store.keep(db, self._intake.storage, arrived.probed)
            await content.mend_page(db, job.payload.page_id, medium.id)
            await queue.enqueue(db, CheckMedium(media_id=medium.id))
            await notify(db, "library", str(place.work_id))
            await upkeep.succeed(db, job.claim, job.payload)
        return Settled()

    async def _give_up(self, job: Job[PageRefetch], place: _Place, damage: str) -> None:
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            await content.mark_damaged(
                db, job.payload.page_id, f"{damage} It was fetched again and is damaged at the site, too."
            )
            await notify(db, "library", str(place.work_id))
            await upkeep.succeed(db, job.claim, job.payload)


async def _place(db: Connection, page_id: UUID) -> _Place | None:
    record = await db.fetchrow(_PLACE, page_id)
    return _Place(**record) if record else None


def _page(refs: tuple[PageRef, ...], number: int) -> PageRef:
    for ref in refs:
        if ref.number == number:
            return ref
    raise LayoutChanged(f"The site no longer shows page {number} of this chapter; the damaged page stays as it is.")
