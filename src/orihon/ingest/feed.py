"""Feed sources: an item is a post; keeping it means its media in the store, its chapter, its pages and its files.

What is known of a page's media and posts is read when the page is, so that a post that is held costs no statement and
no request. What a post changes is one transaction: media, work, chapter, pages, both ledgers, follow-up jobs.
"""

from collections import Counter
from collections.abc import Mapping
from uuid import UUID

import msgspec
import structlog

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.ingest import sources
from orihon.ingest.bringing import Bringer, Brought
from orihon.ingest.download import Intake
from orihon.ingest.lines import LineKind, Walk
from orihon.ingest.rules import ENOUGH_HELD, Fate, Outcome, fate, held_in_a_row, within_budget
from orihon.ingest.walk import Counts, Cut, Failed, Kept, Page, Result, Skipped, TimeIsUp
from orihon.jobs import leases, queue
from orihon.jobs.payloads import CheckMedium, FetchCover
from orihon.library import following, ledger, posts, tombstones, whole_walk
from orihon.library.ledger import UNKNOWN, Entry
from orihon.library.posts import KnownPost
from orihon.media import store
from orihon.sources.adapter import EmptyListing, SourceError
from orihon.sources.records import ChapterRef, Cursor, Post, PostMedium, Title
from orihon.sources.registry import open_feed

log = structlog.get_logger(__name__)

MOST_CHUNKS = 200
"""Chunks of one walk (curator 2.9). A platform is walked by one job at a time, so a feed without end is in the way."""

_WORK = "SELECT key, work_id FROM source_works WHERE source_id = $1 ORDER BY last_seen_at DESC LIMIT 1"


def feeds(intake: Intake) -> LineKind:
    """How sources of kind `feed` are walked."""
    bringer = Bringer(intake=intake)
    return LineKind(
        make=lambda walk: FeedLine(walk, bringer), items="posts", metric="feed_walk", most_chunks=MOST_CHUNKS
    )


class _Known(msgspec.Struct, frozen=True, kw_only=True):
    """What is held of a post and of its media. `stored`: those that the store has whole; `shown`: those that its pages
    and files name. By key.
    """

    post: KnownPost | None
    told: bytes
    fates: Mapping[str, Fate]
    entries: Mapping[str, Entry]
    stored: Mapping[str, UUID]
    shown: Mapping[str, UUID]

    @property
    def edited(self) -> bool:
        """Whether the post is new, or says something else than what is held."""
        return self.post is None or self.post.fingerprint != self.told


class FeedLine:
    """The line of feed sources, for one chunk of a walk."""

    steady = True

    def __init__(self, walk: Walk, bringer: Bringer) -> None:
        source = walk.source
        self._pool = walk.pool
        self._source = source
        self._claim = walk.claim
        self._plan = walk.plan
        self._bringer = bringer
        self._adapter = open_feed(source.adapter, source.url, source.settings)
        self._spent = source.bytes_fetched
        self._work: tuple[str, UUID] | None = None
        self._known: dict[str, _Known] = {}
        self._buried: set[str] = set()
        self._in_a_row = 0

    def start(self) -> Cursor:
        """The newest posts."""
        return self._adapter.start()

    def key(self, item: Post) -> str:
        """A post is known by its source's key."""
        return item.key

    def label(self, item: Post) -> str:
        """The post's title, or when it was published."""
        return item.title or f"{item.published_at:%Y-%m-%d}"

    async def page(self, cursor: Cursor) -> Page[Post]:
        """One page of the feed, and what is known of it.

        Raises:
            EmptyListing: a feed without a single post, where there used to be some.
        """
        top = cursor == self._adapter.start()
        work_key, _ = await self._whose(fresh=top)
        read = await self._adapter.posts(self._bringer.intake.fetcher, cursor)
        # What is known is read once for the whole page, so a post that stands on it twice would be kept as new twice.
        shown = {post.key: post for post in reversed(read.posts)}
        items = tuple(reversed(shown.values()))
        async with self._pool.acquire() as db:
            if top and not read.posts and await posts.any_held(db, self._source.id, work_key):
                raise EmptyListing(
                    f"{self._source.url} shows no posts at all, although some were seen before. That proves nothing; "
                    "what is held stays, and the next walk looks again."
                )
            self._buried = await tombstones.chapters(db, self._source.id, work_key, list(shown))
            self._known = await self._look(db, work_key, items)
            await self._mark_seen(db, work_key, unreadable=read.dropped > 0)
        if read.dropped:
            self._in_a_row = 0
            log.warning("posts that cannot be read were left out", source=self._source.name, dropped=read.dropped)
        return Page[Post](items=items, next=read.next, dropped=read.dropped)

    async def close(self, outcome: Outcome) -> str | None:
        """At the end of the feed, mark the posts that it shows no more; tell when that would be most of them.

        A post without text or tags is nothing that a site must have changed for.
        """
        if outcome is not Outcome.END_OF_LIST:
            return None
        work_key, work_id = await self._whose(fresh=False)
        async with self._pool.acquire() as db, db.transaction():
            await leases.hold(db, self._claim)
            found = await posts.drop_unseen(db, self._source.id, work_key)
            if found.unseen:
                await notify(db, "library", str(work_id))
        if found.unseen and not posts.are_gone(seen=found.seen, unseen=found.unseen):
            return (
                f"The feed showed only {found.seen} of {found.seen + found.unseen} posts that are held. That proves "
                "nothing, so the others are not marked as gone. Look at the site in a browser: the account that Orihon "
                "uses there may see less than before."
            )
        if found.unseen:
            log.info("posts that the site shows no more were marked", source=self._source.name, posts=found.unseen)
        return None

    async def keep(self, item: Post, counts: Counts, time_is_up: TimeIsUp) -> Result:
        """Bring what is missing of a post and keep it. A medium that fails does not hold the post back."""
        if time_is_up():
            return Cut()
        if item.key in self._buried:
            self._in_a_row = held_in_a_row(self._in_a_row, pinned=item.pinned, held=True)
            return Skipped("It was deleted here.")
        known = self._known[item.key]
        wanted = [medium for medium in item.media if known.fates[medium.key] is Fate.LOOK]
        wanted = [medium for medium in wanted if medium.key not in known.stored]
        brought = await self._bring(item, wanted, time_is_up) if wanted else Brought()
        if brought.out_of_time and not brought.arrived and not brought.failed:
            return Cut()
        fates = Counter(known.fates.values())
        dead, refused = fates[Fate.DEAD], fates[Fate.REFUSED] + fates[Fate.BURIED]
        if known.edited or brought.arrived or brought.failed or _rediscovered(known):
            await self._record(item, known, brought)
        counts.media_new += len(brought.arrived)
        counts.media_failed += len(brought.failed)
        if brought.paused is not None:
            raise brought.paused
        if brought.stopped:
            return Cut(Outcome.LIMIT if brought.out_of_budget else Outcome.CONTINUED)
        counts.media_held += len(item.media) - len(wanted) - dead - refused
        counts.media_dead += dead
        counts.media_refused += refused
        _count(counts, known)
        if brought.failed and not brought.arrived:
            self._in_a_row = 0
            return Failed(next(iter(brought.failed.values())))
        whole = not known.edited and not wanted and not dead
        self._in_a_row = held_in_a_row(self._in_a_row, pinned=item.pinned, held=whole)
        return Kept(proves_rest=self._plan.stops_early and self._in_a_row >= ENOUGH_HELD)

    async def _whose(self, *, fresh: bool) -> tuple[str, UUID]:
        """The creator's key and work. At the top of a feed they are read anew."""
        if self._work is None and not fresh:
            async with self._pool.acquire() as db:
                record = await db.fetchrow(_WORK, self._source.id)
            self._work = (record["key"], record["work_id"]) if record else None
        if self._work is None or fresh:
            creator = await self._adapter.creator(self._bringer.intake.fetcher)
            async with self._pool.acquire() as db, db.transaction():
                await leases.hold(db, self._claim)
                self._work = creator.key, await self._keep_creator(db, creator)
                await sources.name_after(db, self._source, creator.title)
        return self._work

    async def _keep_creator(self, db: Connection, creator: Title) -> UUID:
        kept = await following.keep_work(db, self._source.id, creator, kind="feed")
        if kept.wants_cover:
            await queue.enqueue(db, FetchCover(source_id=self._source.id, key=creator.key))
        if kept.new or kept.updated:
            await notify(db, "library", str(kept.work_id))
        return kept.work_id

    async def _mark_seen(self, db: Connection, work_key: str, *, unreadable: bool) -> None:
        """A walk remembers which posts it saw. It proves nothing about the others, if it could not read them all."""
        async with db.transaction():
            await leases.hold(db, self._claim)
            if unreadable:
                await whole_walk.proves_nothing(db, self._source.id)
            await posts.mark_seen(db, self._source.id, work_key, self._known)

    async def _look(self, db: Connection, work_key: str, page: tuple[Post, ...]) -> dict[str, _Known]:
        """What is known of the posts of a page: two statements, and three looks more where something is missing."""
        keys = {medium.key for post in page for medium in post.media}
        entries = await ledger.look_up(db, self._source.id, keys)
        held = await posts.known(db, self._source.id, work_key, {post.key for post in page})
        known: dict[str, _Known] = {}
        for post in page:
            told, one = posts.fingerprint(post), held.get(post.key)
            edited = one is None or one.fingerprint != told
            mine = {medium.key: entries.get(medium.key, UNKNOWN) for medium in post.media}
            fates = {medium.key: self._fate(medium, mine[medium.key], edited=edited) for medium in post.media}
            known[post.key] = _Known(post=one, told=told, fates=fates, entries=mine, stored={}, shown={})
        await self._look_closer(db, page, known)
        return known

    def _fate(self, medium: PostMedium, entry: Entry, *, edited: bool) -> Fate:
        if entry.buried:
            return Fate.BURIED
        found = fate(
            seen=entry.seen,
            stored=entry.media_id is not None,
            attempts=entry.attempts,
            edited=edited,
            distrust=self._plan.distrust,
        )
        return Fate.REFUSED if found is Fate.LOOK and self._bringer.refuses(medium) else found

    async def _look_closer(self, db: Connection, page: tuple[Post, ...], known: dict[str, _Known]) -> None:
        """Tier 2: media that the ledger names, or that stand at their place in the post, and whose bytes are whole."""
        doubtful = [post for post in page if Fate.LOOK in known[post.key].fates.values()]
        chapters = [one.post.chapter_id for post in doubtful if (one := known[post.key]).post and not one.edited]
        shown = await posts.shown(db, chapters)
        candidates: dict[str, dict[str, UUID]] = {}
        for post in doubtful:
            one = known[post.key]
            there = shown[one.post.chapter_id].of(post) if one.post and one.post.chapter_id in shown else {}
            known[post.key] = msgspec.structs.replace(one, shown=there)
            candidates[post.key] = {
                key: media_id
                for key, found in one.fates.items()
                if found is Fate.LOOK and (media_id := one.entries[key].media_id or there.get(key))
            }
        verified = await ledger.verified(db, {media_id for some in candidates.values() for media_id in some.values()})
        lost = set(await self._bringer.intake.storage.missing(list(verified.values()))) if verified else set()
        for post_key, some in candidates.items():
            stored = {key: one for key, one in some.items() if one in verified and verified[one] not in lost}
            known[post_key] = msgspec.structs.replace(known[post_key], stored=stored)

    async def _bring(self, item: Post, wanted: list[PostMedium], time_is_up: TimeIsUp) -> Brought:
        async def fresh() -> dict[str, str]:
            try:
                post = await self._adapter.post(self._bringer.intake.fetcher, ChapterRef(key=item.key, url=item.url))
            except SourceError:
                return {}
            return {medium.key: medium.url for medium in post.media}

        def affordable(more: int) -> bool:
            return within_budget(self._spent + more, self._source.byte_budget)

        brought = await self._bringer.bring(
            wanted,
            referer=self._source.url,
            fresh=fresh,
            affordable=affordable,
            time_is_up=time_is_up,
            stand_ins=self._adapter.stand_ins,
        )
        self._spent += brought.size
        return brought

    async def _record(self, item: Post, known: _Known, brought: Brought) -> None:
        """What was found and brought of a post, all in one transaction."""
        work_key, work_id = await self._whose(fresh=False)
        async with self._pool.acquire() as db, db.transaction():
            await leases.hold(db, self._claim)
            if known.post is None and await tombstones.chapters(db, self._source.id, work_key, [item.key]):
                return  # deleted by a person a moment ago
            media = await store.keep_all(db, self._bringer.intake.storage, brought.arrived.values())
            new = {key: media[one.sha256].id for key, one in brought.arrived.items()}
            here = {medium.key: there for medium in item.media if (there := _shows(medium.key, known, new))}
            buried = await tombstones.media(db, here.values())
            if again := {key: media_id for key, media_id in here.items() if media_id in buried}:
                await tombstones.remember(db, self._source.id, again)
                here = {key: media_id for key, media_id in here.items() if media_id not in buried}
            missing = {one.key: reason for one in item.files if (reason := self._bringer.refuses(one))} | brought.failed
            await posts.keep(
                db, self._source.id, work_id, work_key, item,
                held=known.post, told=None if brought.stopped else known.told, media=here, missing=missing,
            )  # fmt: skip
            await ledger.write(db, self._source.id, seen={**known.stored, **new}, failed=brought.failed)
            images = [medium.id for medium in media.values() if medium.format != "file"]
            await queue.enqueue_many(db, [CheckMedium(media_id=media_id) for media_id in images])
            if brought.arrived:
                await sources.spend(db, self._source.id, brought.size)
            await notify(db, "library", str(work_id))


def _shows(key: str, known: _Known, new: Mapping[str, UUID]) -> UUID | None:
    """The medium of a key: what arrived, what is held, or what stood there before."""
    return new.get(key) or known.stored.get(key) or known.entries[key].media_id or known.shown.get(key)


def _rediscovered(known: _Known) -> bool:
    """Whether the ledgers must learn of media that the store has."""
    return any(
        known.entries[key].media_id != media_id or known.entries[key].attempts for key, media_id in known.stored.items()
    )


def _count(counts: Counts, known: _Known) -> None:
    if known.post is None:
        counts.new += 1
        counts.chapters_new += 1
    elif known.edited:
        counts.updated += 1
    else:
        counts.unchanged += 1
