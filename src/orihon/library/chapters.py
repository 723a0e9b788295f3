"""Chapters: the ordered releases inside a work, and whether each can be read now."""

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal
from uuid import UUID

import asyncpg
import msgspec

from orihon.db.pool import Connection
from orihon.library import images, visibility

State = Literal["ready", "queued", "failed", "absent"]


Number = int | float
"""A chapter's number as JSON has it: at most three decimals, none where there are none."""


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter. `number` None: a notice or an extra. `published_at`: when its author did, where a source says it.

    `state`: its pages are here, or it has none (`ready`), a job is to bring them (`queued`), the last attempt failed
    and nothing waits (`failed`, see `content_error`), or nobody asked for them yet (`absent`). `gone`: every source
    that listed it shows it no more; what is here stays.
    """

    id: UUID
    manga_id: UUID
    number: Number | None
    title: str | None
    page_count: int
    state: State
    content_error: str | None
    size_bytes: int
    created_at: datetime
    published_at: datetime | None
    gone: bool


class ChapterLink(msgspec.Struct, frozen=True, kw_only=True):
    """The chapter before or after."""

    id: UUID
    number: Number | None
    title: str | None
    page_count: int
    state: State


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a post that is no page. `url`: where its bytes are; None: they are not here, and `error` says why.

    `size` in bytes; of one that is not here, what the source says.
    """

    name: str
    size: int | None
    url: str | None
    error: str | None


class ChapterDetail(Chapter, frozen=True, kw_only=True):
    """A chapter and its neighbours in reading order.

    Of a post also what its author wrote (`body`, plain text), its tags, and the files beside its pages.
    """

    body: str | None
    tags: list[str]
    attachments: list[Attachment]
    previous: ChapterLink | None
    next: ChapterLink | None


# Each look at the queue is one step in jobs_dedupe_idx, and only chapters without pages pay for it.
_STATE = """
    CASE WHEN c.page_count > 0 OR c.textual THEN 'ready'
         WHEN EXISTS (SELECT FROM jobs j WHERE j.kind = 'fetch_chapter' AND j.dedupe_key = c.id::text
                         AND j.state IN ('pending', 'running')) THEN 'queued'
         WHEN c.content_error IS NOT NULL THEN 'failed'
         ELSE 'absent' END AS state
"""

_GONE = """
    coalesce((SELECT bool_and(s.dropped_at IS NOT NULL) FROM source_chapters s WHERE s.chapter_id = c.id),
             false) AS gone
"""

_COLUMNS = f"""
    c.id, c.work_id AS manga_id, c.number, c.title, c.page_count, {_STATE}, c.content_error, c.size_bytes, c.created_at,
    c.published_at, {_GONE}
"""

_ORDER = "c.sort_key, c.number, c.created_at, c.id"

# Served by chapters_reading_order_idx. An unknown work gives no row, one without chapters a row of nulls.
_IN_READING_ORDER = f"""
    SELECT w.chapter_count AS of_all, page.*
      FROM works w
      LEFT JOIN LATERAL (SELECT {_COLUMNS} FROM chapters c WHERE c.work_id = w.id
                          ORDER BY {_ORDER} LIMIT $2 OFFSET $3) page ON true
     WHERE w.id = $1 AND {visibility.READABLE}
"""

# Only of the chapter that was asked for, by the index of the unique key.
_FILES = f"""
    coalesce((SELECT jsonb_agg(jsonb_build_object('name', a.name, 'size', coalesce(m.size, a.size), 'error', a.error,
                                                  'url', {images.URL}) ORDER BY a.position)
                FROM attachments a LEFT JOIN media m ON m.id = a.media_id
               WHERE a.chapter_id = c.id AND here.place = 'here'), '[]')
"""

# What several say is one tag.
_TAGS = """
    ARRAY(SELECT t.name FROM chapter_tags ct JOIN tags t ON t.id = ct.tag_id
           WHERE ct.chapter_id = c.id AND here.place = 'here'
           GROUP BY t.id ORDER BY min(ct.position), lower(t.name))
"""

_PLACED = f"""
    WITH placed AS (
        SELECT c.id, lag(c.id) OVER reading AS previous, lead(c.id) OVER reading AS next
          FROM chapters c WHERE c.work_id = $1 WINDOW reading AS (ORDER BY {_ORDER})
    ), here AS (
        SELECT id, 'here' AS place FROM placed WHERE id = $2
        UNION ALL SELECT previous, 'previous' FROM placed WHERE id = $2
        UNION ALL SELECT next, 'next' FROM placed WHERE id = $2
    )
    SELECT here.place, {_COLUMNS}, c.body, {_TAGS} AS tags,
           {_FILES} AS attachments
      FROM here JOIN chapters c ON c.id = here.id
"""


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a work's chapters, and how many there are in all."""

    chapters: list[Chapter]
    total: int


def number(value: Decimal | None) -> Number | None:
    """A stored number without the zeros that say nothing."""
    if value is None:
        return None
    return int(value) if value == value.to_integral_value() else float(value)


async def in_reading_order(db: Connection, work_id: UUID, *, limit: int, offset: int) -> Listed | None:
    """Chapters of a work, oldest first as the source orders them; None when there is no such work."""
    records = await db.fetch(_IN_READING_ORDER, work_id, limit, offset)
    if not records:
        return None
    held = [_values(record) for record in records if record["id"] is not None]
    for values in held:
        del values["of_all"]
    return Listed(chapters=[Chapter(**values) for values in held], total=records[0]["of_all"])


async def placed(db: Connection, work_id: UUID, chapter_id: UUID) -> ChapterDetail | None:
    """A chapter of a work with its neighbours, in one statement; None when there is none."""
    by_place: dict[str, dict[str, Any]] = {}
    for record in await db.fetch(_PLACED, work_id, chapter_id):
        values = _values(record)
        by_place[values.pop("place")] = values
    if "here" not in by_place:
        return None
    here = by_place["here"]
    here["attachments"] = msgspec.convert(here["attachments"], list[Attachment])
    return ChapterDetail(**here, previous=_link(by_place.get("previous")), next=_link(by_place.get("next")))


def _values(record: asyncpg.Record) -> dict[str, Any]:
    values = dict(record)
    values["number"] = number(values["number"])
    return values


def _link(values: dict[str, Any] | None) -> ChapterLink | None:
    if values is None:
        return None
    return ChapterLink(**{name: values[name] for name in ChapterLink.__struct_fields__})
