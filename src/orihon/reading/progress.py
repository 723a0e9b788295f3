"""Reading progress: where each person is in each chapter, whichever device says so and whenever it gets through."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated
from uuid import UUID

import asyncpg
import msgspec
from msgspec import Meta

from orihon.db.pool import Connection
from orihon.library import cards, visibility
from orihon.library.cards import MangaCard
from orihon.library.chapters import Number, number

PageNumber = Annotated[int, Meta(ge=1, le=1_000_000)]
Moment = Annotated[datetime, Meta(tz=True)]

MOST_ITEMS = 1000
"""In one request; a guest's browser keeps no more."""


class ProgressItem(msgspec.Struct, frozen=True, kw_only=True):
    """What a device says: the page shown last, the furthest one shown, and when, by its own clock."""

    chapter_id: UUID
    page: PageNumber
    furthest_page: PageNumber
    client_time: Moment


class ProgressChapter(msgspec.Struct, frozen=True, kw_only=True):
    """What a list of progress shows of the chapter."""

    number: Number | None
    title: str | None
    page_count: int


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """Where somebody is in a chapter. `manga` is told only where one row stands for its work."""

    chapter_id: UUID
    manga_id: UUID
    page: int
    furthest_page: int
    client_time: datetime
    chapter: ProgressChapter
    manga: MangaCard | None


class Saved(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a batch: the progress as it stands now, and chapters that do not exist."""

    items: list[Progress]
    unknown: list[UUID]


def merge(held: ProgressItem | None, said: ProgressItem, now: datetime) -> ProgressItem:
    """One chapter's progress from what is held and what a device says.

    The later of the two decides the page; of two at the same instant the one further on. The furthest page only
    grows. A clock that runs ahead counts as now, so that it cannot rule for ever. The order in which devices get
    through does not matter, nor does repetition. Where our own clock was set back, what is held is of now at least.
    """
    latest = now if held is None else max(now, held.client_time)
    said = msgspec.structs.replace(
        said, client_time=min(said.client_time, latest), furthest_page=max(said.furthest_page, said.page)
    )
    if held is None:
        return said
    last = max(held, said, key=lambda item: (item.client_time, item.page))
    return msgspec.structs.replace(last, furthest_page=max(held.furthest_page, said.furthest_page))


def merge_all(
    held: Mapping[UUID, ProgressItem], said: Iterable[ProgressItem], now: datetime
) -> dict[UUID, ProgressItem]:
    """The same for a batch, in which a chapter may come several times."""
    merged: dict[UUID, ProgressItem] = {}
    for item in said:
        known = merged.get(item.chapter_id) or held.get(item.chapter_id)
        merged[item.chapter_id] = merge(known, item, now)
    return merged


# One batch of a person at a time: two that both see nothing held would overwrite one another.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('progress:' || $1::uuid::text, 0))"

_HELD = f"""
    SELECT c.id, clock_timestamp() AS now, p.page, p.furthest_page, p.client_time
      FROM chapters c
      JOIN works w ON w.id = c.work_id AND {visibility.READABLE}
      LEFT JOIN progress p ON p.chapter_id = c.id AND p.user_id = $1
     WHERE c.id = ANY ($2::uuid[])
"""

_PUT = """
    INSERT INTO progress (user_id, chapter_id, work_id, page, furthest_page, client_time)
    SELECT $1, c.id, c.work_id, n.page, n.furthest_page, n.client_time
      FROM unnest($2::uuid[], $3::integer[], $4::integer[], $5::timestamptz[])
           AS n (chapter_id, page, furthest_page, client_time)
      JOIN chapters c ON c.id = n.chapter_id
    ON CONFLICT (user_id, chapter_id) DO UPDATE
       SET page = excluded.page, furthest_page = excluded.furthest_page, client_time = excluded.client_time,
           updated_at = now()
"""

_COLUMNS = """p.chapter_id, p.work_id, p.page, p.furthest_page, p.client_time, c.number, c.title, c.page_count"""

_OF_CHAPTERS = f"""
    SELECT {_COLUMNS}, NULL AS manga
      FROM progress p JOIN chapters c ON c.id = p.chapter_id
     WHERE p.user_id = $1 AND p.chapter_id = ANY ($2::uuid[])
  ORDER BY p.client_time DESC, p.chapter_id
"""

# Served by progress_work_idx for one work, by progress_recent_idx for all.
_RECENT = f"""
    SELECT {_COLUMNS}, NULL AS manga
      FROM progress p JOIN chapters c ON c.id = p.chapter_id JOIN works w ON w.id = p.work_id AND {visibility.READABLE}
     WHERE p.user_id = $1 AND ($2::uuid IS NULL OR p.work_id = $2)
  ORDER BY p.client_time DESC, p.chapter_id LIMIT $3
"""

_LATEST = f"""
    SELECT {_COLUMNS}, {cards.JSON} AS manga
      FROM (SELECT DISTINCT ON (work_id) * FROM progress
             WHERE user_id = $1 AND ($2::uuid IS NULL OR work_id = $2)
          ORDER BY work_id, client_time DESC) p
      JOIN chapters c ON c.id = p.chapter_id
      JOIN works w ON w.id = p.work_id AND {visibility.READABLE}
      LEFT JOIN media m ON m.id = w.cover_media_id
  ORDER BY p.client_time DESC, p.chapter_id LIMIT $3
"""


async def recent(
    db: Connection, user_id: UUID, *, work_id: UUID | None = None, latest: bool = False, limit: int = 50
) -> list[Progress]:
    """A person's progress, latest first. `latest`: one per work, with its card."""
    return [_progress(record) for record in await db.fetch(_LATEST if latest else _RECENT, user_id, work_id, limit)]


async def put(db: Connection, user_id: UUID, said: Sequence[ProgressItem]) -> Saved:
    """Merge what a device says into what is held, in a transaction of its own; saying it again changes nothing."""
    ids = list({item.chapter_id for item in said})
    async with db.transaction():
        await db.execute(_LOCK, user_id)
        records = await db.fetch(_HELD, user_id, ids)
        known = {record["id"] for record in records}
        if records:
            held = {record["id"]: _item(record) for record in records if record["page"] is not None}
            merged = merge_all(held, (item for item in said if item.chapter_id in known), records[0]["now"])
            await db.execute(
                _PUT,
                user_id,
                list(merged),
                [item.page for item in merged.values()],
                [item.furthest_page for item in merged.values()],
                [item.client_time for item in merged.values()],
            )
        found = await db.fetch(_OF_CHAPTERS, user_id, ids)
    return Saved(items=[_progress(record) for record in found], unknown=[id_ for id_ in ids if id_ not in known])


def _item(record: asyncpg.Record) -> ProgressItem:
    return ProgressItem(
        chapter_id=record["id"],
        page=record["page"],
        furthest_page=record["furthest_page"],
        client_time=record["client_time"],
    )


def _progress(record: asyncpg.Record) -> Progress:
    manga = record["manga"]
    return Progress(
        chapter_id=record["chapter_id"],
        manga_id=record["work_id"],
        page=record["page"],
        furthest_page=record["furthest_page"],
        client_time=record["client_time"],
        chapter=ProgressChapter(
            number=number(record["number"]), title=record["title"], page_count=record["page_count"]
        ),
        manga=msgspec.convert(manga, MangaCard) if manga else None,
    )
