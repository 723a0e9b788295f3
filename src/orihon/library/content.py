"""The content of a chapter: which medium each of its pages shows.

A page keeps its id through every re-fetch, since progress, collections and tags refer to it (DESIGN ruling 20).
"""

from collections.abc import Mapping
from uuid import UUID

from orihon.db.pool import Connection
from orihon.library import ledger

_PUT = """
    INSERT INTO pages (chapter_id, number, media_id)
    SELECT $1, * FROM unnest($2::integer[], $3::uuid[])
    ON CONFLICT (chapter_id, number) DO UPDATE
       SET media_id = excluded.media_id, damage = NULL, refetches = 0, updated_at = now()
     WHERE pages.media_id <> excluded.media_id
"""

_CUT = "DELETE FROM pages WHERE chapter_id = $1 AND NOT number = ANY ($2)"

_SIZE = """(SELECT coalesce(sum(m.size), 0) FROM pages p JOIN media m ON m.id = p.media_id
                           WHERE p.chapter_id = chapters.id)"""

_COUNT = f"""
    UPDATE chapters
       SET page_count = $2, size_bytes = {_SIZE}, content_error = NULL, updated_at = now()
     WHERE id = $1 RETURNING work_id
"""

_MEND = """
    UPDATE pages SET media_id = $2, damage = NULL, updated_at = now() WHERE id = $1
 RETURNING chapter_id, old.media_id AS before
"""

_MEASURE = f"UPDATE chapters SET size_bytes = {_SIZE} WHERE id = $1"

_TOUCH = "UPDATE works SET updated_at = now() WHERE id = $1"


async def replace_pages(db: Connection, chapter_id: UUID, media: Mapping[int, UUID]) -> None:
    """Make a chapter show these media, by page number; all of it, in the caller's transaction.

    Pages that are known keep their ids; pages that the chapter no longer has are removed.
    """
    numbers = sorted(media)
    await db.execute(_CUT, chapter_id, numbers)
    await db.execute(_PUT, chapter_id, numbers, [media[number] for number in numbers])
    work_id = await db.fetchval(_COUNT, chapter_id, len(numbers))
    await db.execute(_TOUCH, work_id)


async def mend_page(db: Connection, page_id: UUID, media_id: UUID) -> None:
    """Show a verified medium where a damaged one stood."""
    record = await db.fetchrow(_MEND, page_id, media_id)
    if record is not None:
        await db.execute(_MEASURE, record["chapter_id"])
        await ledger.follow(db, record["chapter_id"], record["before"], media_id)


async def mark_damaged(db: Connection, page_id: UUID, reason: str) -> None:
    """Say why a page is damaged, for the people who read it."""
    await db.execute("UPDATE pages SET damage = $2, updated_at = now() WHERE id = $1", page_id, reason)
