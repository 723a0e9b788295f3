"""What a walk over a whole list proves of what it did not see (`sources.whole_walk`: the walk that still proves it)."""

from uuid import UUID

from orihon.db.pool import Connection

_PROVES_NOTHING = "UPDATE sources SET whole_walk = NULL WHERE id = $1 AND whole_walk IS NOT NULL"


async def proves_nothing(db: Connection, source_id: UUID) -> None:
    """From now on it means nothing that the walk which is under way did not see a title or a post."""
    await db.execute(_PROVES_NOTHING, source_id)
