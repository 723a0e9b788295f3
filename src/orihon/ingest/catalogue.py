"""Catalogue sources: an item is a title; keeping it means its metadata, its chapter list and what follows from them.

The walk and the `sync_title` job share `keep_title`, so that the two cannot drift apart (crawler-core 8.2).
"""

import time
from uuid import UUID

import msgspec
import structlog

from orihon.db.notify import notify
from orihon.db.pool import Connection, Pool
from orihon.fetch.errors import FetchError, RateLimited
from orihon.ingest import wants
from orihon.ingest.doubts import Doubts
from orihon.ingest.lines import LineKind, Walk
from orihon.ingest.rules import Change, Outcome, caught_up, is_clean, partial_render, uneven
from orihon.ingest.sources import Source
from orihon.ingest.walk import Counts, Failed, Kept, Page, Result, Skipped, TimeIsUp
from orihon.jobs import leases, queue
from orihon.jobs.payloads import FetchCover, SyncTitle
from orihon.library import following, listed, tombstones, whole_walk
from orihon.library.tombstones import Buried
from orihon.runtime import metrics
from orihon.sources.adapter import Adapter, Fetcher, SourceError
from orihon.sources.records import Cursor, ListingPage, Title, TitleRef
from orihon.sources.registry import open_catalogue

log = structlog.get_logger(__name__)


class Synced(msgspec.Struct, frozen=True, kw_only=True):
    """What keeping a title changed. `chapters_moved`: that vanished from its list, or came back to it."""

    work_id: UUID
    change: Change
    chapters_new: int
    chapters_moved: int


class NotBelieved(Exception):
    """The title page came without its chapters although there were some; nothing was changed."""


async def fetch_title(pool: Pool, source: Source, adapter: Adapter, fetcher: Fetcher, ref: TitleRef) -> Title:
    """Fetch a title's page and record how long that took."""
    started = time.monotonic()
    try:
        title = await adapter.title(fetcher, ref)
    except (FetchError, SourceError) as error:
        await metrics.record(
            pool, "manga_detail", source_id=source.id, outcome="failed",
            seconds=time.monotonic() - started, error=str(error),
        )  # fmt: skip
        raise
    if title.chapters_dropped:
        log.warning(
            "chapters without an address were left out",
            source=source.name, title=title.title, dropped=title.chapters_dropped,
        )  # fmt: skip
    await metrics.record(
        pool, "manga_detail", source_id=source.id, outcome="ok",
        seconds=time.monotonic() - started, items=len(title.chapters),
    )  # fmt: skip
    return title


async def keep_title(db: Connection, source: Source, title: Title) -> Synced:
    """Keep a title in the caller's transaction and queue what is wanted of it. Idempotent.

    Raises:
        Buried: a person deleted it here.
        NotBelieved: an empty chapter list where there used to be chapters.
    """
    held = await following.live_chapters(db, source.id, title.key)
    if partial_render(listed=len(title.chapters), held=held):
        raise NotBelieved(
            f"“{title.title}” came without its chapter list, but {held} chapters are known. The page was probably "
            "incomplete; nothing was changed, and it is looked at again by itself."
        )
    kept = await following.keep_title(db, source.id, title)
    if kept.wants_cover:
        await queue.enqueue(db, FetchCover(source_id=source.id, key=title.key))
    await wants.enqueue_chapters(db, source, kept.work_id)
    moved = kept.chapters_dropped + kept.chapters_back
    if kept.new or kept.updated or kept.chapters_new or moved:
        await notify(db, "library", str(kept.work_id))
    change = Change.NEW if kept.new else Change.UPDATED if kept.updated else Change.UNCHANGED
    return Synced(work_id=kept.work_id, change=change, chapters_new=kept.chapters_new, chapters_moved=moved)


def catalogues(fetcher: Fetcher) -> LineKind:
    """How sources of kind `catalogue` are walked."""
    return LineKind(make=lambda walk: CatalogueLine(walk, fetcher), items="titles", metric="manga_list")


class CatalogueLine:
    """The line of catalogue sources, for one chunk of a walk."""

    steady = False

    def __init__(self, walk: Walk, fetcher: Fetcher) -> None:
        source = walk.source
        self._pool = walk.pool
        self._source = source
        self._claim = walk.claim
        self._stops_early = walk.plan.stops_early
        self._adapter = open_catalogue(source.adapter, source.url, source.settings)
        self._fetcher = fetcher
        self._buried: set[str] = set()
        self._doubts = Doubts()
        self._rows: tuple[int, int] | None = None

    def start(self) -> Cursor:
        """The newest titles."""
        return self._adapter.start()

    def key(self, item: TitleRef) -> str:
        """A title is known by its source's key."""
        return item.key

    def label(self, item: TitleRef) -> str:
        """The title as the list names it."""
        return item.title

    async def page(self, cursor: Cursor) -> Page[TitleRef]:
        """One page of the catalogue's list."""
        listing = await self._adapter.listing(self._fetcher, cursor)
        if listing.dropped:
            log.warning(
                "listing entries without address or title were left out",
                source=self._source.name, dropped=listing.dropped, kept=len(listing.refs),
            )  # fmt: skip
        keys = [ref.key for ref in listing.refs]
        async with self._pool.acquire() as db, db.transaction():
            await leases.hold(db, self._claim)
            if listing.dropped or self._is_uneven(listing):
                await whole_walk.proves_nothing(db, self._source.id)
            await listed.mark_listed(db, self._source.id, keys)
            self._buried = await tombstones.works(db, self._source.id, keys)
        return Page[TitleRef](items=listing.refs, next=listing.next, dropped=listing.dropped)

    async def keep(self, item: TitleRef, counts: Counts, time_is_up: TimeIsUp) -> Result:
        """Fetch and keep a title. One that cannot be read whole now gets a job of its own, so that it is not lost."""
        if item.key in self._buried:
            return Skipped("It was deleted here.")
        try:
            title = await fetch_title(self._pool, self._source, self._adapter, self._fetcher, item)
        except RateLimited:
            raise
        except (FetchError, SourceError) as error:
            await self._queue_retry(item)
            return Failed(str(error))
        try:
            async with self._pool.acquire() as db, db.transaction():
                await leases.hold(db, self._claim)
                told = await following.last_told(db, self._source.id, item.key)
                title = self._doubts.weigh(item, title, told)
                synced = await keep_title(db, self._source, title)
        except Buried as error:
            return Skipped(str(error))
        except NotBelieved as error:
            log.warning("title skipped", source=self._source.name, reason=str(error))
            await self._queue_retry(item)
            return Skipped(str(error))
        if title.chapters_dropped:
            # Later walks stop above a title that stays as it is; what was unreadable for a moment is looked at again.
            await self._queue_retry(item)
        setattr(counts, synced.change.value, getattr(counts, synced.change.value) + 1)
        counts.chapters_new += synced.chapters_new
        # A list that lost a chapter is news, too: it may be why the title stands above others that have news.
        news = synced.chapters_new + synced.chapters_moved
        held = caught_up(was_clean=self._stops_early, change=synced.change, chapters_new=news)
        return Kept(proves_rest=held and not self._doubts.open)

    async def close(self, outcome: Outcome) -> str | None:
        """Have titles read again whose doubted fields are gone after all; tell of fields that all of them lost, and of
        a list that lost most titles.
        """
        for item in self._doubts.proved():
            await self._queue_retry(item)
        told = [words for words in (self._doubts.in_words(), await self._mark_gone(outcome)) if words]
        return " ".join(told) or None

    def _is_uneven(self, listing: ListingPage) -> bool:
        if listing.next is None:
            return False
        rows = len(listing.refs)
        shortest, longest = self._rows or (rows, rows)
        self._rows = min(shortest, rows), max(longest, rows)
        return uneven(shortest=self._rows[0], longest=self._rows[1])

    async def _mark_gone(self, outcome: Outcome) -> str | None:
        """Mark the titles that the list shows no more; only a walk that saw what it should have seen says anything."""
        if not is_clean(outcome):
            return None
        async with self._pool.acquire() as db, db.transaction():
            await leases.hold(db, self._claim)
            settle = listed.end_of_list if outcome is Outcome.END_OF_LIST else listed.looked_at_top
            found = await settle(db, self._source.id)
        if found.marked:
            log.info("titles that the site lists no more were marked", source=self._source.name, titles=found.marked)
        if not found.short:
            return None
        return (
            f"The list was much shorter than before: {found.missed} of {found.known} titles that are held were not in "
            "it. That proves nothing, so they are not marked as gone unless the next walk over the whole list misses "
            "them, too. Look at the site in a browser: it may show less than before, or be about to mend itself."
        )

    async def _queue_retry(self, item: TitleRef) -> None:
        async with self._pool.acquire() as db, db.transaction():
            await leases.hold(db, self._claim)
            await queue.enqueue(db, SyncTitle(source_id=self._source.id, key=item.key, url=item.url, title=item.title))
