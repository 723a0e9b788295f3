"""Pages: what a chapter shows, in order."""

from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.library import images
from orihon.library.images import Image


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A page. Its id stays through every re-fetch. `damage`: why it cannot be shown whole, in words for readers."""

    id: UUID
    chapter_id: UUID
    number: int
    image: Image
    damage: str | None


# An unknown chapter gives no row, one without content a row of nulls.
_OF_CHAPTER = f"""
    SELECT p.id, c.id AS chapter_id, p.number, p.damage, {images.COLUMNS}
      FROM chapters c
      LEFT JOIN (pages p JOIN media m ON m.id = p.media_id) ON p.chapter_id = c.id
     WHERE c.id = $2 AND c.work_id = $1
  ORDER BY p.number
"""


async def of_chapter(db: Connection, work_id: UUID, chapter_id: UUID) -> list[Page] | None:
    """The pages of a chapter of a work, in order; None when there is no such chapter."""
    records = await db.fetch(_OF_CHAPTER, work_id, chapter_id)
    if not records:
        return None
    return [
        Page(
            id=record["id"],
            chapter_id=record["chapter_id"],
            number=record["number"],
            image=images.image(record),
            damage=record["damage"],
        )
        for record in records
        if record["id"] is not None
    ]
