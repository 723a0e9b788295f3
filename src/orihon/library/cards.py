"""Cards: what a list shows of a work. The database builds their JSON; Python passes it on as it is."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

import asyncpg
import msgspec

from orihon.db.pool import Connection
from orihon.library import images, visibility
from orihon.library.images import Image
from orihon.library.visibility import WorkKind
from orihon.sources.records import Direction, Status


class MangaCard(msgspec.Struct, frozen=True, kw_only=True):
    """A title as lists show it. `kind` feed: a creator, whose posts are its chapters."""

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
    created_at: datetime
    updated_at: datetime


_TIME = "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"

JSON = f"""json_build_object(
    'id', w.id, 'kind', w.kind, 'title', w.title, 'status', w.status, 'reading_direction', w.reading_direction,
    'authors', w.authors, 'genres', w.genres, 'tags', w.tags, 'chapter_count', w.chapter_count,
    'cover', {images.JSON},
    'created_at', {_TIME.format("w.created_at")}, 'updated_at', {_TIME.format("w.updated_at")})"""
"""A card, from `works w LEFT JOIN media m ON m.id = w.cover_media_id`."""

_BY_IDS = f"""
    SELECT w.id, {JSON}::text AS card
      FROM works w LEFT JOIN media m ON m.id = w.cover_media_id
     WHERE w.id = ANY ($1::uuid[]) AND {visibility.READABLE}
"""


async def by_ids(db: Connection, ids: Iterable[UUID]) -> dict[UUID, msgspec.Raw]:
    """Cards of these works; those that do not exist or may not be seen are left out."""
    records = await db.fetch(_BY_IDS, list(ids))
    return {record["id"]: raw(record["card"]) for record in records}


def raw(card: str) -> msgspec.Raw:
    """JSON of the database as a value that is encoded as it stands."""
    return msgspec.Raw(card.encode())


def joined(records: Iterable[asyncpg.Record]) -> bytes:
    """A JSON array of the cards of records."""
    return b"[" + ",".join([record["card"] for record in records]).encode() + b"]"
