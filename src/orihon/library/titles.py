"""Searchable titles: one folded row per title of a work, so that an alternative title finds it."""

from uuid import UUID

from orihon.db.pool import Connection

_REFRESH = """
    WITH wanted AS (
        SELECT DISTINCT fold(t.title) AS folded
          FROM works w CROSS JOIN LATERAL unnest(w.title || w.alt_titles) AS t (title)
         WHERE w.id = $1 AND fold(t.title) <> ''
    ), gone AS (
        DELETE FROM work_titles WHERE work_id = $1 AND folded NOT IN (SELECT folded FROM wanted)
    )
    INSERT INTO work_titles (work_id, folded) SELECT $1, folded FROM wanted
    ON CONFLICT DO NOTHING
"""


async def refresh(db: Connection, work_id: UUID) -> None:
    """Rewrite a work's searchable titles from its title and alternative titles."""
    await db.execute(_REFRESH, work_id)
