"""What people deleted, so that no walk brings it back (DESIGN section 7, tier 2; hydrus #1803, gallery-dl #1917).

A work and a chapter are remembered by the keys that sources know them by; a medium by its bytes, whoever shows them,
and by the keys under which it was seen, so that it is not even asked for. What a *site* deletes is another matter: that
is kept here, and marked.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Literal
from uuid import UUID

from orihon.db.pool import Connection

Kind = Literal["work", "chapter", "medium"]


class Buried(Exception):
    """A work that a person deleted here is shown by its source still. The text says how to have it back."""

    def __init__(self, title: str) -> None:
        super().__init__(
            f"“{title}” was deleted here, so it is not brought again. Undo the deletion to have it back, or stop "
            "following the source."
        )


_WORKS = "SELECT work_key FROM tombstones WHERE kind = 'work' AND source_id = $1 AND work_key = ANY ($2)"

_CHAPTERS = """
    SELECT key FROM tombstones WHERE kind = 'chapter' AND source_id = $1 AND work_key = $2 AND key = ANY ($3)
"""

_MEDIA = """
    SELECT m.id FROM media m JOIN tombstones t ON t.sha256 = m.sha256 AND t.source_id IS NULL WHERE m.id = ANY ($1)
"""

COVER_IS_BURIED = """
    EXISTS (SELECT FROM tombstones t WHERE t.sha256 = s.cover_sha256 AND t.source_id IS NULL)
"""
"""Whether what a source shows as the cover of a work, `source_works s`, was deleted here."""

IS_EMPTIED = """
    cardinality(c.buried) > 0 AND NOT EXISTS (
        SELECT FROM unnest(c.buried) AS b (sha256)
          LEFT JOIN tombstones t ON t.sha256 = b.sha256 AND t.source_id IS NULL WHERE t.id IS NULL)
"""
"""Whether a chapter without pages, `chapters c`, has none because all of them were deleted here."""

_EMPTIED = """
    UPDATE chapters
       SET buried = (SELECT array_agg(sha256 ORDER BY sha256) FROM media WHERE id = ANY ($2)),
           content_error = 'All of its pages were deleted here.'
     WHERE id = $1
"""

_BURY_KEYS = """
    INSERT INTO tombstones (kind, source_id, key, sha256, reason)
    SELECT 'medium', $1, k.key, m.sha256, 'Its bytes were deleted here.'
      FROM unnest($2::text[], $3::uuid[]) AS k (key, media_id) JOIN media m ON m.id = k.media_id
    ON CONFLICT DO NOTHING
"""

_BURY_WORK = """
    INSERT INTO tombstones (kind, source_id, work_key, title, reason, deleted_by)
    SELECT 'work', s.source_id, s.key, w.title, $2, $3 FROM source_works s JOIN works w ON w.id = s.work_id
     WHERE w.id = $1
    ON CONFLICT DO NOTHING
"""

_BURY_CHAPTER = """
    INSERT INTO tombstones (kind, source_id, work_key, key, title, reason, deleted_by)
    SELECT 'chapter', s.source_id, s.work_key, s.key, c.title, $2, $3
      FROM source_chapters s JOIN chapters c ON c.id = s.chapter_id WHERE c.id = $1
    ON CONFLICT DO NOTHING
"""

_DELETE_CHAPTER = """
    WITH gone AS (DELETE FROM chapters WHERE id = $1 RETURNING work_id)
    UPDATE works SET chapter_count = chapter_count - 1, updated_at = now() FROM gone WHERE works.id = gone.work_id
"""

_BURY_MEDIUM = """
    WITH bytes AS (
        INSERT INTO tombstones (kind, sha256, reason, deleted_by)
        SELECT 'medium', sha256, $2, $3 FROM media WHERE id = $1
        ON CONFLICT DO NOTHING
    )
    INSERT INTO tombstones (kind, source_id, key, sha256, reason, deleted_by)
    SELECT 'medium', s.source_id, s.key, m.sha256, $2, $3
      FROM source_media s JOIN media m ON m.id = s.media_id WHERE m.id = $1
    ON CONFLICT DO NOTHING
"""

# The sweeper takes the bytes, when nothing names them any more.
_HIDE_MEDIUM = (
    """
    WITH gone AS (DELETE FROM pages WHERE media_id = $1 RETURNING chapter_id),
         lost AS (SELECT chapter_id, count(*)::integer AS pages FROM gone GROUP BY chapter_id)
    UPDATE chapters c
       SET page_count = page_count - lost.pages, updated_at = now(),
           buried = array_append(c.buried, (SELECT sha256 FROM media WHERE id = $1)),
           size_bytes = greatest(0, size_bytes - lost.pages * (SELECT size FROM media WHERE id = $1))
      FROM lost WHERE c.id = lost.chapter_id
    """,
    "UPDATE attachments SET media_id = NULL, error = 'It was deleted here.' WHERE media_id = $1",
    "UPDATE works SET cover_media_id = NULL WHERE cover_media_id = $1",
    "DELETE FROM covers WHERE media_id = $1",
)

# What a ledger calls seen would not be looked for.
_UNDO_MEDIUM = """
    WITH dug AS (DELETE FROM tombstones WHERE sha256 = $1 OR id = $2 RETURNING source_id, key)
    DELETE FROM source_media s USING dug WHERE s.source_id = dug.source_id AND s.key = dug.key
"""


async def works(db: Connection, source_id: UUID, keys: Iterable[str]) -> set[str]:
    """Those of a source's works that were deleted here."""
    return {record["work_key"] for record in await db.fetch(_WORKS, source_id, list(keys))}


async def chapters(db: Connection, source_id: UUID, work_key: str, keys: Iterable[str]) -> set[str]:
    """Those of a work's chapters that were deleted here."""
    return {record["key"] for record in await db.fetch(_CHAPTERS, source_id, work_key, list(keys))}


async def media(db: Connection, ids: Collection[UUID]) -> set[UUID]:
    """Those of some media whose bytes were deleted here; that they are in the store again makes no difference."""
    return {record["id"] for record in await db.fetch(_MEDIA, list(ids))} if ids else set()


async def remember(db: Connection, source_id: UUID, media: Mapping[str, UUID]) -> None:
    """Ask a source no more for these media, by key: what came is what was deleted here."""
    await db.execute(_BURY_KEYS, source_id, list(media), list(media.values()))


async def empty_chapter(db: Connection, chapter_id: UUID, media: Collection[UUID]) -> None:
    """Ask no more for a chapter's pages: all that it has, these media, were deleted here."""
    await db.execute(_EMPTIED, chapter_id, list(media))


async def bury_work(db: Connection, work_id: UUID, *, reason: str, by: UUID | None = None) -> None:
    """Delete a work for good, in the caller's transaction."""
    await db.execute(_BURY_WORK, work_id, reason, by)
    await db.execute("DELETE FROM works WHERE id = $1", work_id)


async def bury_chapter(db: Connection, chapter_id: UUID, *, reason: str, by: UUID | None = None) -> None:
    """Delete a chapter or a post for good, in the caller's transaction."""
    await db.execute(_BURY_CHAPTER, chapter_id, reason, by)
    await db.execute(_DELETE_CHAPTER, chapter_id)


async def bury_medium(db: Connection, media_id: UUID, *, reason: str, by: UUID | None = None) -> None:
    """Delete a picture or a file for good, wherever it is shown, in the caller's transaction."""
    await db.execute(_BURY_MEDIUM, media_id, reason, by)
    for statement in _HIDE_MEDIUM:
        await db.execute(statement, media_id)


async def undo(db: Connection, tombstone_id: UUID) -> bool:
    """Let walks bring again what was deleted: the next one over the whole list does. False: there is no such row."""
    record = await db.fetchrow("SELECT sha256 FROM tombstones WHERE id = $1", tombstone_id)
    if record is None:
        return False
    await db.execute(_UNDO_MEDIUM, record["sha256"], tombstone_id)
    return True
