"""Covers: a cover is a medium; a work shows one of them."""

from uuid import UUID

from orihon.db.pool import Connection

_ADD = """
    INSERT INTO covers (work_id, media_id, origin) VALUES ($1, $2, $3)
    ON CONFLICT (work_id, media_id) DO UPDATE SET origin = excluded.origin, created_at = now()
"""

# A cover that a person chose stays until it is released (DESIGN section 5).
_SHOW = """
    UPDATE works
       SET cover_media_id = $2
     WHERE id = $1 AND coalesce(origins ->> 'cover', '') NOT LIKE 'person:%'
"""

# What a source showed before is of no use any more; the sweeper takes the bytes when nothing names them.
_FORGET = """
    DELETE FROM covers c
     USING works w
     WHERE c.work_id = $1 AND w.id = c.work_id AND c.origin = $2 AND c.media_id <> w.cover_media_id
"""


async def set_cover(db: Connection, work_id: UUID, media_id: UUID, *, origin: str) -> None:
    """Make a medium the cover of a work, as its source shows it. Runs in the caller's transaction."""
    await db.execute(_ADD, work_id, media_id, origin)
    await db.execute(_SHOW, work_id, media_id)
    await db.execute(_FORGET, work_id, origin)
