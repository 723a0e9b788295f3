"""Which titles a catalogue lists no more; they are kept, and marked (`source_works.dropped_at`).

A title is marked when a walk over the whole list missed it and the next look at the top of the list missed it, too: a
long list changes while it is read, and a title that moved to its top meanwhile was missed by the first alone. What was
seen is noted in the rows, so a walk may be killed and gone on with, and remembers nothing itself.
"""

from collections.abc import Collection
from uuid import UUID

import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.library.whole_walk import proves_nothing

MANY = 10
"""Titles that must be known before most of them are too many to be gone at once."""


def is_short(*, known: int, missed: int) -> bool:
    """Whether a whole list misses so many of the known titles that it rather shows a part of itself: more than a third
    of at least `MANY`, or all.
    """
    return missed > 0 and (missed == known or (known >= MANY and missed * 3 > known))


class Missed(msgspec.Struct, frozen=True, kw_only=True):
    """What the end of a walk means: titles that are `known` and not marked, those of them that are `missed` and wait,
    and those that were marked now.
    """

    known: int = 0
    missed: int = 0
    marked: int = 0

    @property
    def short(self) -> bool:
        """Whether the missing ones prove nothing until the next whole walk misses them, too."""
        return is_short(known=self.known, missed=self.missed)


_LISTED = """
    UPDATE source_works w
       SET dropped_at = NULL, missed_at = NULL, seen_walk = coalesce(s.whole_walk, w.seen_walk)
      FROM sources s
     WHERE s.id = $1 AND w.source_id = $1 AND w.key = ANY ($2)
       AND (w.dropped_at IS NOT NULL OR w.missed_at IS NOT NULL
            OR w.seen_walk IS DISTINCT FROM coalesce(s.whole_walk, w.seen_walk))
 RETURNING old.dropped_at IS NOT NULL AS back
"""

# Of a walk over the whole list that has come to its end: what it missed, for the first time or again.
_DROP_AGAIN = """
    UPDATE source_works w
       SET dropped_at = now()
      FROM sources s
     WHERE s.id = $1 AND s.whole_walk IS NOT NULL AND w.source_id = $1
       AND w.missed_at IS NOT NULL AND w.dropped_at IS NULL AND w.seen_walk IS DISTINCT FROM s.whole_walk
 RETURNING 1
"""

_MISS = """
    UPDATE source_works w
       SET missed_at = now()
      FROM sources s
     WHERE s.id = $1 AND s.whole_walk IS NOT NULL AND w.source_id = $1
       AND w.missed_at IS NULL AND w.dropped_at IS NULL AND w.seen_walk IS DISTINCT FROM s.whole_walk
"""

_DROP_MISSED = """
    UPDATE source_works SET dropped_at = now()
     WHERE source_id = $1 AND missed_at IS NOT NULL AND dropped_at IS NULL RETURNING 1
"""

_ANY_MISSED = """
    SELECT EXISTS (SELECT FROM source_works WHERE source_id = $1 AND missed_at IS NOT NULL AND dropped_at IS NULL)
       AND EXISTS (SELECT FROM sources WHERE id = $1 AND whole_walk IS NOT NULL)
"""

_TALLY = """
    SELECT count(*) AS known, count(missed_at) AS missed
      FROM source_works WHERE source_id = $1 AND dropped_at IS NULL
"""

GONE = """
    (SELECT true FROM source_works WHERE dropped_at IS NOT NULL ORDER BY work_id LIMIT 1) IS NOT NULL
    AND EXISTS (SELECT FROM source_works g WHERE g.work_id = w.id AND g.dropped_at IS NOT NULL)
    AND NOT EXISTS (SELECT FROM source_works g WHERE g.work_id = w.id AND g.dropped_at IS NULL)
"""
"""Whether no source lists a work, `works w`, any more. Whether there is any such work at all is asked once for a whole
list: most libraries have none, and their lists pay nothing for each row. Its order keeps that look in the index of what
is marked; the table itself would be read to its end where nothing is.
"""


async def mark_listed(db: Connection, source_id: UUID, keys: Collection[str]) -> None:
    """A list shows these titles: none is gone, and the walk that is under way has seen them."""
    back = await db.fetch(_LISTED, source_id, list(keys))
    if any(record["back"] for record in back):
        await notify(db, "library", str(source_id))


async def end_of_list(db: Connection, source_id: UUID) -> Missed:
    """The walk that is under way has come to the end of the list: mark what was missed before and is again.

    What it misses for the first time waits for the next look. Does nothing after a walk that proves nothing.
    """
    marked = len(await db.fetch(_DROP_AGAIN, source_id))
    await db.execute(_MISS, source_id)
    await proves_nothing(db, source_id)
    return await _told(db, source_id, marked=marked)


async def looked_at_top(db: Connection, source_id: UUID) -> Missed:
    """A walk saw all that is new in the list and stopped: what the whole walk before it missed did not move there.

    Nothing is marked when that is too much to be believed (`is_short`), which only another whole walk decides; nor
    after a walk that proves nothing.
    """
    if not await db.fetchval(_ANY_MISSED, source_id):
        return Missed()
    found = await _told(db, source_id)
    if found.short:
        return found
    marked = len(await db.fetch(_DROP_MISSED, source_id))
    return await _told(db, source_id, marked=marked)


async def _told(db: Connection, source_id: UUID, *, marked: int = 0) -> Missed:
    (record,) = await db.fetch(_TALLY, source_id)
    if marked:
        await notify(db, "library", str(source_id))
    return Missed(known=record["known"], missed=record["missed"], marked=marked)
