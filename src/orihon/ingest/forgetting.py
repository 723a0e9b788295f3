"""Sources that are followed no more: what is still known of them, and how to forget it for good.

A source that was removed remembers which titles, posts and media are which here (`sources.remove`), so that following
it again goes on. What it brought belongs to the library, and stays when that is forgotten.
"""

from datetime import datetime
from uuid import UUID

import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection, rows
from orihon.sources.records import SourceKind


class Removed(msgspec.Struct, frozen=True, kw_only=True):
    """A source that is followed no more. `works` and `chapters`: what is here and known to be its own."""

    id: UUID
    name: str
    adapter: str
    kind: SourceKind
    url: str
    works: int
    chapters: int
    removed_at: datetime


class StillFollowed(Exception):
    """The source is followed; only one that was removed is forgotten."""

    def __init__(self, name: str) -> None:
        super().__init__(f"“{name}” is followed. Remove it first; what it has brought stays in the library.")


_REMOVED = """
    SELECT s.id, s.name, s.adapter, s.kind, s.url, s.removed_at,
           (SELECT count(*) FROM source_works w WHERE w.source_id = s.id) AS works,
           (SELECT count(*) FROM source_chapters c WHERE c.source_id = s.id) AS chapters
      FROM sources s WHERE s.removed_at IS NOT NULL
  ORDER BY s.removed_at DESC, s.id
"""

_FIND = "SELECT name, removed_at IS NULL AS followed FROM sources WHERE id = $1 FOR UPDATE"


async def removed(db: Connection) -> list[Removed]:
    """Every source that was removed and is not forgotten, the latest first."""
    return rows(Removed, await db.fetch(_REMOVED))


async def forget(db: Connection, source_id: UUID) -> bool:
    """Forget a removed source for good, in the caller's transaction. False when there is none: it is forgotten already.

    With its row go its links to titles and posts, both ledgers, its walks and measurements, and what was deleted here
    by its keys. Titles, files and reading progress stay. Whoever follows the address again begins anew: everything
    comes as if it had never been here, titles beside those that stayed.

    Raises:
        StillFollowed: it was not removed, or is followed again.
    """
    found = await db.fetchrow(_FIND, source_id)
    if found is None:
        return False
    if found["followed"]:
        raise StillFollowed(found["name"])
    await db.execute("DELETE FROM sources WHERE id = $1", source_id)
    await notify(db, "sources", str(source_id))
    await notify(db, "library", str(source_id))
    return True
