"""The job that brings a chapter's pages: all of them, or the chapter stays as it was (crawler-core 8.8)."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from decimal import Decimal
from uuid import UUID

import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection, Pool
from orihon.fetch.errors import Denied, Gone, RateLimited
from orihon.ingest import sources
from orihon.ingest.download import Batch, Draft, Intake, side_by_side
from orihon.ingest.rules import within_budget
from orihon.ingest.sources import Source
from orihon.jobs import leases, queue, upkeep
from orihon.jobs.excuses import Interrupted, excuse
from orihon.jobs.handlers import Done, Job, Postpone, Settled
from orihon.jobs.payloads import CheckMedium, FetchChapter
from orihon.library import content as chapter_content
from orihon.library import tombstones
from orihon.media import store
from orihon.media.inbound import Probed
from orihon.runtime import metrics
from orihon.runtime.live_status import LiveStatus
from orihon.sources.records import ChapterRef, PageRef
from orihon.sources.registry import open_adapter

STREAMS = 8
"""Pages of one chapter that are fetched side by side; pacing decides how fast a host is really asked."""


class BadChapter(Exception):
    """The chapter cannot be taken as the site shows it; the text says what is wrong with it."""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter as a source lists it now."""

    work_id: UUID
    page_count: int
    key: str
    url: str
    number: Decimal | None
    title: str | None


_LISTED = """
    SELECT c.work_id, c.page_count, s.key, s.url, c.number, c.title
      FROM chapters c
      JOIN source_chapters s ON s.chapter_id = c.id AND s.source_id = $2
     WHERE c.id = $1
"""

_FAILED = "UPDATE chapters SET content_error = $2, updated_at = now() WHERE id = $1 AND page_count = 0"


async def listed(db: Connection, source_id: UUID, chapter_id: UUID) -> Listed | None:
    """Where a source has a chapter; None when either is gone."""
    record = await db.fetchrow(_LISTED, chapter_id, source_id)
    return Listed(**record) if record else None


def refuse_bad_pages(refs: Sequence[PageRef], most: int) -> None:
    """Check a chapter's page list before anything is downloaded; `most` 0: any number.

    Raises:
        BadChapter: no pages, too many, or two pages with one number.
    """
    if not refs:
        raise BadChapter("The site shows no pages for this chapter. It may be locked, or the page has changed.")
    if most and len(refs) > most:
        raise BadChapter(
            f"The chapter has {len(refs)} pages, more than the {most} that CRAWLER_MAX_IMAGES_PER_CHAPTER allows. "
            "Nothing was downloaded."
        )
    numbers = {ref.number for ref in refs}
    if len(numbers) < len(refs) or min(numbers) < 1:
        raise BadChapter("The site numbers two pages of this chapter alike, so their order cannot be told.")


class _Fresh:
    """Addresses of a chapter's pages, read once more when one that was signed has expired (gallery-dl #2863)."""

    def __init__(self, read: Callable[[], Awaitable[Sequence[PageRef]]]) -> None:
        self._read = read
        self._lock = asyncio.Lock()
        self._refs: dict[int, PageRef] | None = None

    async def address(self, ref: PageRef) -> PageRef | None:
        """Where the page is now; None: where it was, so that asking again would not help."""
        async with self._lock:
            if self._refs is None:
                self._refs = {fresh.number: fresh for fresh in await self._read()}
        fresh = self._refs.get(ref.number)
        return fresh if fresh is not None and fresh.url != ref.url else None


class ChapterFetcher:
    """Handles `fetch_chapter` jobs."""

    def __init__(self, intake: Intake, *, max_pages: int) -> None:
        self._intake = intake
        self._max_pages = max_pages

    async def __call__(self, job: Job[FetchChapter]) -> Done | Settled | Postpone:
        """Fetch the pages, then record them and finish the job in one transaction."""
        payload = job.payload
        async with job.pool.acquire() as db:
            source = await sources.get(db, payload.source_id)
            chapter = await listed(db, payload.source_id, payload.chapter_id)
        if source is None or chapter is None or chapter.page_count > 0:
            return Done()
        if not within_budget(source.bytes_fetched, source.byte_budget):
            await self._explain(
                job.pool, payload.chapter_id, "The source's byte budget is used up. Raise it to fetch more."
            )
            return Done()
        started = time.monotonic()
        try:
            async with job.status(f"chapter:{payload.chapter_id}", kind="chapter") as status:
                arrived = await self._arrive(source, chapter, status)
        except RateLimited as error:
            return Postpone(error.retry_after or 60.0, str(error))
        except Exception as error:
            if isinstance(excuse(error), Interrupted):
                raise
            await self._explain(job.pool, payload.chapter_id, str(error))
            await metrics.record(
                job.pool, "chapter", source_id=source.id, work_id=chapter.work_id, chapter_id=payload.chapter_id,
                outcome="failed", seconds=time.monotonic() - started, error=str(error),
            )  # fmt: skip
            raise
        await self._keep(job, source, chapter, arrived)
        await metrics.record(
            job.pool, "chapter", source_id=source.id, work_id=chapter.work_id, chapter_id=payload.chapter_id,
            outcome="ok", seconds=time.monotonic() - started, items=len(arrived),
        )  # fmt: skip
        return Settled()

    async def _arrive(self, source: Source, chapter: Listed, status: LiveStatus) -> dict[int, Probed]:
        adapter = open_adapter(source.adapter, source.url, source.settings)
        where = ChapterRef(key=chapter.key, url=chapter.url, number=chapter.number, title=chapter.title)

        async def read() -> Sequence[PageRef]:
            refs = await adapter.pages(self._intake.fetcher, where)
            refuse_bad_pages(refs, self._max_pages)
            return refs

        refs = await read()
        fresh = _Fresh(read)
        arrived: dict[int, Probed] = {}
        waiting = iter(refs)
        name = chapter.title or (f"Chapter {chapter.number}" if chapter.number is not None else "Chapter")

        async def draft(ref: PageRef) -> Draft[Probed]:
            return await self._intake.image(ref.url, referer=ref.referer or chapter.url, stand_ins=adapter.stand_ins)

        async def stream() -> None:
            for ref in waiting:
                try:
                    drafted = await draft(ref)
                except (Denied, Gone):
                    again = await fresh.address(ref)
                    if again is None:
                        raise
                    drafted = await draft(again)
                await batch.add(drafted)
                arrived[ref.number] = drafted.probed
                await status.update(phase="fetching", text=name, done=len(arrived), total=len(refs))

        async with Batch(self._intake.storage) as batch:
            await side_by_side(stream, min(STREAMS, len(refs)))
        return arrived

    async def _keep(self, job: Job[FetchChapter], source: Source, chapter: Listed, arrived: dict[int, Probed]) -> None:
        chapter_id = job.payload.chapter_id
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            media = await store.keep_all(db, self._intake.storage, arrived.values())
            buried = await tombstones.media(db, [medium.id for medium in media.values()])
            pages = {number: media[one.sha256].id for number, one in arrived.items()}
            shown = {number: media_id for number, media_id in pages.items() if media_id not in buried}
            await chapter_content.replace_pages(db, chapter_id, shown)
            if not shown:
                await tombstones.empty_chapter(db, chapter_id, buried)
            await queue.enqueue_many(db, [CheckMedium(media_id=medium.id) for medium in media.values()])
            await sources.spend(db, source.id, sum(one.size for one in arrived.values()))
            await notify(db, "library", str(chapter.work_id))
            await upkeep.succeed(db, job.claim, job.payload)

    async def _explain(self, pool: Pool, chapter_id: UUID, reason: str) -> None:
        async with pool.acquire() as db:
            await db.execute(_FAILED, chapter_id, reason)
