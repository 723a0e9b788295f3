"""A work in full, as its title page shows it."""

from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.library import images, listed, visibility
from orihon.library.cards import MangaCard


class SourceRef(msgspec.Struct, frozen=True, kw_only=True):
    """A source that has the work, and where it has it."""

    id: UUID
    name: str
    url: str


class MangaDetail(MangaCard, frozen=True, kw_only=True):
    """A title in full. `chapter_storage_bytes` counts the pages of all its chapters.

    `keepable`: marking it as wanted would bring its chapters. A source that brings those of kept titles has it, and
    none that brings all of them anyway.
    """

    alt_titles: list[str]
    description: str | None
    artists: list[str]
    chapter_storage_bytes: int
    wanted: bool
    keepable: bool
    sources: list[SourceRef]


_DETAIL = f"""
    SELECT w.id, w.kind, w.title, w.status, w.reading_direction, w.authors, w.genres, w.tags, w.chapter_count,
           w.created_at, w.updated_at, w.alt_titles, w.description, {images.JSON} AS cover, {listed.GONE} AS gone,
           ARRAY (SELECT p.name FROM work_people wp JOIN people p ON p.id = wp.person_id
                   WHERE wp.work_id = w.id AND wp.role = 'artist' ORDER BY wp.position) AS artists,
           (SELECT coalesce(sum(c.size_bytes), 0)::bigint FROM chapters c WHERE c.work_id = w.id)
               AS chapter_storage_bytes,
           EXISTS (SELECT FROM wanted_works ww WHERE ww.work_id = w.id) AS wanted,
           (SELECT coalesce(bool_or(s.content = 'wanted') AND NOT bool_or(s.content = 'all'), false)
              FROM source_works sw JOIN sources s ON s.id = sw.source_id AND s.removed_at IS NULL
             WHERE sw.work_id = w.id) AS keepable,
           coalesce((SELECT jsonb_agg(jsonb_build_object('id', s.id, 'name', s.name, 'url', sw.url)
                                      ORDER BY s.id IS DISTINCT FROM w.primary_source_id, s.name, s.id)
                       FROM source_works sw JOIN sources s ON s.id = sw.source_id AND s.removed_at IS NULL
                      WHERE sw.work_id = w.id),
                    '[]') AS sources
      FROM works w LEFT JOIN media m ON m.id = w.cover_media_id
     WHERE w.id = $1 AND {visibility.READABLE}
"""


async def detail(db: Connection, work_id: UUID) -> MangaDetail | None:
    """A work in full, in one statement; None when there is none."""
    record = await db.fetchrow(_DETAIL, work_id)
    return msgspec.convert(dict(record), MangaDetail) if record else None


async def exists(db: Connection, work_id: UUID) -> bool:
    """Whether there is such a work for readers."""
    found: bool = await db.fetchval(
        f"SELECT EXISTS (SELECT FROM works w WHERE w.id = $1 AND {visibility.READABLE})", work_id
    )
    return found
