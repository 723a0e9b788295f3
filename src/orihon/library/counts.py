"""How much the library holds, for those who watch it fill."""

import msgspec

from orihon.db.pool import Connection
from orihon.library import visibility


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """`works` of every kind, `feeds` of them creators. `chapters_ready`: those whose pages are here."""

    works: int
    feeds: int
    chapters: int
    chapters_ready: int
    pages: int


_COUNTS = f"""
    SELECT (SELECT coalesce(sum(w.works), 0)::bigint FROM work_tally w WHERE {visibility.READABLE}) AS works,
           (SELECT coalesce(sum(w.works), 0)::bigint FROM work_tally w WHERE {visibility.listed("feed")}) AS feeds,
           count(*) AS chapters, count(*) FILTER (WHERE page_count > 0 OR textual) AS chapters_ready,
           coalesce(sum(page_count), 0)::bigint AS pages
      FROM chapters
"""


async def counts(db: Connection) -> Counts:
    """Count everything; takes a tenth of a second for a million chapters."""
    record = await db.fetchrow(_COUNTS)
    return Counts(**record) if record else Counts(works=0, feeds=0, chapters=0, chapters_ready=0, pages=0)
