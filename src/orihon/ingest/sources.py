"""Sources: what is followed, how, and what may be done with one."""

from collections.abc import Collection
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from orihon.db.notify import notify
from orihon.db.pool import Connection, row, rows
from orihon.ingest.failures import Failure
from orihon.ingest.rules import DEAD_AFTER, Asked, Content, brings_more, within_budget
from orihon.jobs import queue, schedule, upkeep
from orihon.jobs.payloads import WalkFeed, WalkSource
from orihon.library import ledger
from orihon.sources.records import SourceKind
from orihon.sources.registry import kinds, open_adapter

Interval = Annotated[int, Meta(ge=60, le=30 * 24 * 3600)]
Budget = Annotated[int, Meta(ge=1, le=2**62)]
ItemLimit = Annotated[int, Meta(ge=1, le=2**31 - 1)]
MOST_NAME = 200
Name = Annotated[str, Meta(pattern=r"\S", max_length=MOST_NAME)]


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A source as its row says. `byte_budget` in bytes and `item_limit` in titles per walk; None: no limit."""

    id: UUID
    adapter: str
    kind: SourceKind
    name: str
    url: str
    settings: dict[str, Any]
    content: Content
    byte_budget: int | None
    bytes_fetched: int
    item_limit: int | None
    interval_seconds: int
    paused: bool
    clean: bool
    last_error: str | None
    created_at: datetime


class NewSource(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person says to have a source followed. `name` None: the address's host, for a feed until its first walk
    knows the creator's.

    A feed brings all that its creator posts, whatever `content` says: following somebody is wanting what they make.
    """

    url: Annotated[str, Meta(min_length=1, max_length=2000)]
    adapter: str = "html"
    name: Name | None = None
    settings: dict[str, Any] = {}
    content: Content = "wanted"
    byte_budget: Budget | None = None
    item_limit: ItemLimit | None = None
    interval_seconds: Interval = 3600


class SourceEdit(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes to a source; what is absent stays. `url`: where the site is now; its titles are the same."""

    name: Name | UnsetType = UNSET
    url: Annotated[str, Meta(min_length=1, max_length=2000)] | UnsetType = UNSET
    settings: dict[str, Any] | UnsetType = UNSET
    content: Content | UnsetType = UNSET
    byte_budget: Budget | None | UnsetType = UNSET
    item_limit: ItemLimit | None | UnsetType = UNSET
    interval_seconds: Interval | UnsetType = UNSET
    paused: bool | UnsetType = UNSET


class WalkRow(msgspec.Struct, frozen=True, kw_only=True):
    """One chunk of a walk. `outcome` None: it runs now. `failure`: what kind of failure `error` tells of."""

    id: UUID
    mode: Literal["tick", "backfill", "recovery"]
    outcome: str | None
    chunk: int
    counts: dict[str, int]
    error: str | None
    failure: Failure | None
    clean: bool | None
    started_at: datetime
    ended_at: datetime | None


class SourceOverview(msgspec.Struct, frozen=True, kw_only=True):
    """A source with what it has brought.

    `work_id`: the creator, of a feed that was looked at. `media_dead`: files of a feed that are asked for no more,
    after so many failures; a recovery asks once more.
    `next_run_at`: when it is looked at again, by its schedule or sooner by a walk that waits; None: paused.
    """

    source: Source
    work_id: UUID | None
    works: int
    chapters: int
    chapters_ready: int
    media_dead: int
    next_run_at: datetime | None
    last_walk: WalkRow | None


class AlreadyFollowed(Exception):
    """This address is followed already, or was before, by the source that `name` and the text name."""

    def __init__(self, name: str, *, still: bool = True) -> None:
        super().__init__(
            f"This address is followed already, as “{name}”. Edit that source instead."
            if still
            else f"This address was followed before, as “{name}”, and what it brought is known by it. Follow it again "
            "instead."
        )
        self.name = name


_COLUMNS = """
    s.id, s.adapter, s.kind, s.name, s.url, s.settings, s.content, s.byte_budget, s.bytes_fetched, s.item_limit,
    s.interval_seconds, s.paused, s.clean, s.last_error, s.created_at
"""

_GET = f"SELECT {_COLUMNS} FROM sources s WHERE s.id = $1 AND s.removed_at IS NULL"

_OVERVIEW = f"""
    SELECT {_COLUMNS}, works.n AS works, creator.work_id,
           coalesce(chapters.n, 0) AS chapters, coalesce(chapters.ready, 0) AS ready,
           (SELECT count(*) FROM source_failures f WHERE f.source_id = s.id AND f.attempts >= {DEAD_AFTER}) AS dead,
           CASE WHEN NOT s.paused THEN least(js.next_at, waiting.scheduled_at) END AS next_run_at,
           walk.id AS walk_id, walk.mode, walk.outcome, walk.chunk, walk.counts, walk.error, walk.failure,
           walk.clean AS walk_clean, walk.started_at, walk.ended_at
      FROM sources s
      LEFT JOIN job_schedules js ON js.name = 'walk:' || s.id
      LEFT JOIN jobs waiting ON waiting.kind = CASE s.kind WHEN 'feed' THEN 'walk_feed' ELSE 'walk_source' END
                            AND waiting.dedupe_key = s.id::text AND waiting.state = 'pending'
      LEFT JOIN LATERAL (SELECT w.work_id FROM source_works w WHERE w.source_id = s.id AND s.kind = 'feed'
                          ORDER BY w.last_seen_at DESC LIMIT 1) creator ON true
     CROSS JOIN LATERAL (SELECT count(*) AS n FROM source_works w WHERE w.source_id = s.id) works
     CROSS JOIN LATERAL (SELECT count(*) AS n, count(*) FILTER (WHERE c.page_count > 0 OR c.textual) AS ready
                           FROM source_chapters sc JOIN chapters c ON c.id = sc.chapter_id
                          WHERE sc.source_id = s.id AND sc.dropped_at IS NULL) chapters
      LEFT JOIN LATERAL (SELECT * FROM walks w WHERE w.source_id = s.id
                          ORDER BY w.started_at DESC, w.id DESC LIMIT 1) walk ON true
     WHERE ($1::uuid IS NULL OR s.id = $1) AND s.removed_at IS NULL
  ORDER BY lower(s.name), s.id
"""

# One that was followed before is the same source again, with what it knows of its titles, and new in all else.
_INSERT = """
    INSERT INTO sources AS s (adapter, kind, name, url, settings, content, byte_budget, item_limit, interval_seconds)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (adapter, url) DO UPDATE
       SET kind = excluded.kind, name = excluded.name, settings = excluded.settings, content = excluded.content,
           byte_budget = excluded.byte_budget, item_limit = excluded.item_limit,
           interval_seconds = excluded.interval_seconds, bytes_fetched = DEFAULT, paused = DEFAULT, clean = DEFAULT,
           recovery_cursor = DEFAULT, last_error = DEFAULT, asked = DEFAULT, whole_at = DEFAULT, whole_walk = DEFAULT,
           removed_at = DEFAULT, created_at = DEFAULT, updated_at = DEFAULT
     WHERE s.removed_at IS NOT NULL
    RETURNING id
"""

# A walk that runs now sees that it is paused; the next one begins anew.
_REMOVE = """
    WITH removed AS (
        UPDATE sources SET removed_at = now(), paused = true, updated_at = now()
         WHERE id = $1 AND removed_at IS NULL RETURNING id
    ), walked AS (
        DELETE FROM walks WHERE source_id IN (SELECT id FROM removed)
    ), given_up AS (
        DELETE FROM source_failures WHERE source_id IN (SELECT id FROM removed)
    )
    SELECT true FROM removed
"""

_EDIT = """
    UPDATE sources
       SET name = $2, settings = $3, content = $4, byte_budget = $5, item_limit = $6, interval_seconds = $7,
           paused = $8, url = $9, updated_at = now()
     WHERE id = $1
"""

_OF_ADDRESS = """
    SELECT name, removed_at IS NULL AS followed FROM sources WHERE adapter = $1 AND url = $2 AND id <> $3
"""

_WALKS = """
    SELECT id, mode, outcome, chunk, counts, error, failure, clean, started_at, ended_at
      FROM walks WHERE source_id = $1
  ORDER BY started_at DESC, id DESC LIMIT $2 OFFSET $3
"""


# A name that was changed meanwhile is a person's.
_NAME_AFTER = "UPDATE sources SET name = $3, updated_at = now() WHERE id = $1 AND name = $2"


def schedule_name(source_id: UUID) -> str:
    """Name of the schedule that walks a source."""
    return f"walk:{source_id}"


async def get(db: Connection, source_id: UUID) -> Source | None:
    """One source, or None."""
    record = await db.fetchrow(_GET, source_id)
    return row(Source, record) if record else None


async def overviews(db: Connection, source_id: UUID | None = None) -> list[SourceOverview]:
    """Every source (or one) with its counts and its latest walk, by name."""
    return [_overview(dict(record)) for record in await db.fetch(_OVERVIEW, source_id)]


def _overview(record: dict[str, Any]) -> SourceOverview:
    walk = None
    if record["walk_id"] is not None:
        walk = WalkRow(
            id=record["walk_id"],
            mode=record["mode"],
            outcome=record["outcome"],
            chunk=record["chunk"],
            counts=record["counts"],
            error=record["error"],
            failure=record["failure"],
            clean=record["walk_clean"],
            started_at=record["started_at"],
            ended_at=record["ended_at"],
        )
    return SourceOverview(
        source=Source(**{name: record[name] for name in Source.__struct_fields__}),
        work_id=record["work_id"],
        works=record["works"],
        chapters=record["chapters"],
        chapters_ready=record["ready"],
        media_dead=record["dead"],
        next_run_at=record["next_run_at"],
        last_walk=walk,
    )


async def add(db: Connection, new: NewSource) -> UUID:
    """Follow a source: keep it, schedule its walks and walk it now. Runs in the caller's transaction.

    Raises:
        BadSettings: the adapter cannot use the address or the settings.
        AlreadyFollowed: the same adapter follows this address.
    """
    open_adapter(new.adapter, new.url, new.settings)
    kind = _offered_kind(new.adapter)
    source_id: UUID | None = await db.fetchval(
        _INSERT,
        new.adapter,
        kind,
        new.name or host_name(new.url),
        new.url,
        new.settings,
        "all" if kind == "feed" else new.content,
        new.byte_budget,
        new.item_limit,
        new.interval_seconds,
    )
    if source_id is None:
        held = await db.fetchval("SELECT name FROM sources WHERE adapter = $1 AND url = $2", new.adapter, new.url)
        raise AlreadyFollowed(held)
    await schedule.ensure(
        db, schedule_name(source_id), walk_of(source_id, kind, new.adapter, new.url), new.interval_seconds, at_once=True
    )
    await notify(db, "sources", str(source_id))
    return source_id


def walk_of(source_id: UUID, kind: SourceKind, adapter: str, url: str) -> WalkSource:
    """The job that walks a source. A platform, for feeds, is a host that an adapter speaks to."""
    if kind == "feed":
        return WalkFeed(source_id=source_id, platform=f"{adapter} {host_name(url)}")
    return WalkSource(source_id=source_id)


def _offered_kind(adapter: str) -> SourceKind:
    """The kind of source that an adapter serves first."""
    return next(kind.offers[0] for kind in kinds() if kind.name == adapter)


def host_name(url: str) -> str:
    """What to call a source that was given no name: the host of its address."""
    return url.partition("://")[2].partition("/")[0] or url


async def name_after(db: Connection, source: Source, title: str) -> None:
    """Call a source that a person gave no name after what it shows, in the caller's transaction."""
    if source.name == host_name(source.url) and title.strip():
        await db.execute(_NAME_AFTER, source.id, source.name, title.strip()[:MOST_NAME])
        await notify(db, "sources", str(source.id))


async def edit(db: Connection, source_id: UUID, change: SourceEdit) -> bool:
    """Change a source in the caller's transaction; False when there is none.

    One that may fetch more than before is walked whole: a walk that looks for news would not come to the titles that
    lack chapters. So is one that has moved, since all addresses that are known of its titles are old.

    Raises:
        BadSettings: the adapter cannot use the new settings, or the new address.
        AlreadyFollowed: another source of this adapter has the new address.
    """
    record = await db.fetchrow(f"{_GET} FOR UPDATE", source_id)
    if record is None:
        return False
    source = row(Source, record)
    changed = {name: value for name in SourceEdit.__struct_fields__ if (value := getattr(change, name)) is not UNSET}
    after = msgspec.structs.replace(source, **changed)
    moved = after.url != source.url
    if moved:
        await _refuse_taken(db, after)
        if after.name == host_name(source.url):
            after = msgspec.structs.replace(after, name=host_name(after.url))
    open_adapter(after.adapter, after.url, after.settings)
    await db.execute(
        _EDIT,
        source_id,
        after.name,
        after.settings,
        after.content,
        after.byte_budget,
        after.item_limit,
        after.interval_seconds,
        after.paused,
        after.url,
    )
    if after.paused:
        await schedule.remove(db, schedule_name(source_id))
    else:
        walk = walk_of(source_id, after.kind, after.adapter, after.url)
        await schedule.ensure(db, schedule_name(source_id), walk, after.interval_seconds)
    if moved or _has_more_to_bring(source, after):
        await db.execute("UPDATE sources SET asked = coalesce(asked, 'backfill') WHERE id = $1", source_id)
        if not after.paused:
            await run_now(db, source_id)
    await notify(db, "sources", str(source_id))
    return True


async def _refuse_taken(db: Connection, source: Source) -> None:
    taken = await db.fetchrow(_OF_ADDRESS, source.adapter, source.url, source.id)
    if taken is not None:
        raise AlreadyFollowed(taken["name"], still=taken["followed"])


def _has_more_to_bring(before: Source, after: Source) -> bool:
    """Whether an edit lets a source fetch what it left out. A feed goes on by itself where its budget ended it."""
    if after.kind == "feed" or not within_budget(after.bytes_fetched, after.byte_budget):
        return False
    return brings_more(before.content, after.content) or not within_budget(before.bytes_fetched, before.byte_budget)


async def pause(db: Connection, source_id: UUID) -> None:
    """Walk a source no more until a person resumes it, in the caller's transaction."""
    await db.execute("UPDATE sources SET paused = true, updated_at = now() WHERE id = $1", source_id)
    await schedule.remove(db, schedule_name(source_id))
    await notify(db, "sources", str(source_id))


async def spend(db: Connection, source_id: UUID, size: int) -> None:
    """Count `size` bytes more against a source's budget, in the transaction that keeps them."""
    await db.execute("UPDATE sources SET bytes_fetched = bytes_fetched + $2 WHERE id = $1", source_id, size)


async def run_now(
    db: Connection, source_id: UUID, mode: Asked | None = None
) -> queue.Enqueued | queue.AlreadyQueued | None:
    """Queue a walk of a source, in the caller's transaction; None when there is no such source.

    `mode` None: look for news, or go on with the walk that is under way. Else a walk over the whole list takes its
    place, at the next chunk: `backfill`; or `recovery`, which asks for media anew whatever the ledgers say, unless the
    store has them whole.
    """
    source = await get(db, source_id)
    if source is None:
        return None
    if mode is not None:
        await db.execute("UPDATE sources SET asked = $2 WHERE id = $1", source_id, mode)
    walk = walk_of(source.id, source.kind, source.adapter, source.url)
    answer = await queue.enqueue(db, walk, priority=-1)
    if isinstance(answer, queue.AlreadyQueued):
        await upkeep.hurry(db, walk)  # who asks does not mean to wait for the next try of one that failed
    return answer


async def remove(db: Connection, source_id: UUID) -> bool:
    """Stop following. False when there is no such source.

    What the source has brought stays in the library, and it is remembered what is whose: whoever follows the same
    address again goes on with the same titles.
    """
    await schedule.remove(db, schedule_name(source_id))
    removed = await db.fetchval(_REMOVE, source_id)
    await notify(db, "sources", str(source_id))
    return removed is True


async def held_media(db: Connection, adapter: str, url: str, keys: Collection[str]) -> set[str]:
    """Which media of an address, by key, no walk would ask for; none where it was never followed."""
    source_id = await db.fetchval("SELECT id FROM sources WHERE adapter = $1 AND url = $2", adapter, url)
    if source_id is None:
        return set()
    known = await ledger.look_up(db, source_id, keys)
    return {key for key, one in known.items() if one.seen or one.buried or one.attempts >= DEAD_AFTER}


async def given_up(db: Connection, source_id: UUID, *, limit: int, offset: int) -> list[ledger.GivenUp]:
    """Files of a source that are asked for no more (`SourceOverview.media_dead`), the latest first."""
    return await ledger.failures(db, source_id, least=DEAD_AFTER, limit=limit, offset=offset)


async def walks(db: Connection, source_id: UUID, *, limit: int, offset: int) -> list[WalkRow]:
    """Chunks of a source's walks, newest first."""
    return rows(WalkRow, await db.fetch(_WALKS, source_id, limit, offset))
