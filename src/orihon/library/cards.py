"""Cards: what a list shows of a work. The database builds their JSON; Python passes it on as it is."""

from datetime import datetime
from uuid import UUID

import msgspec

from orihon.library import images, listed
from orihon.library.images import Image
from orihon.library.visibility import WorkKind
from orihon.sources.records import Direction, Status


class MangaCard(msgspec.Struct, frozen=True, kw_only=True):
    """A title as lists show it. `kind` feed: a creator, whose posts are its chapters. `gone`: no source lists it any
    more; what is held of it stays.
    """

    id: UUID
    kind: WorkKind
    title: str
    status: Status | None
    reading_direction: Direction
    authors: list[str]
    genres: list[str]
    tags: list[str]
    chapter_count: int
    cover: Image | None
    gone: bool
    created_at: datetime
    updated_at: datetime


# `row_to_json` looks at each column once; `json_build_object` did so for every key and value of every row.
JSON = f"""(SELECT row_to_json(c) FROM (SELECT
    w.id, w.kind, w.title, w.status, w.reading_direction, w.authors, w.genres, w.tags, w.chapter_count,
    {images.JSON} AS cover, {listed.GONE} AS gone, w.created_at, w.updated_at) c)"""
"""A card, from `works w LEFT JOIN media m ON m.id = w.cover_media_id`."""


def raw(card: str) -> msgspec.Raw:
    """JSON of the database as a value that is encoded as it stands."""
    return msgspec.Raw(card.encode())


def paged(rows: str, *, length: str) -> str:
    """A query for a page as one record: `cards` (a JSON array in UTF-8), `more`, and the last card's `key` and `id`.

    `rows` selects `card` (JSON), `key`, `id` and `n` (counted from 1) in the order of the page, one more of them than
    `length` (a number or a parameter of the query) if there is one. A single record costs a fraction of what fifty cost
    on the way.
    """
    last = f"FILTER (WHERE p.n = {length}))[1]"
    return f"""
    SELECT convert_to(coalesce(json_agg(p.card) FILTER (WHERE p.n <= {length}), '[]')::text, 'UTF8') AS cards,
           count(*) > {length} AS more, (array_agg(p.key) {last} AS key, (array_agg(p.id) {last} AS id
      FROM ({rows}) p
"""
