"""What people ask for: a work that is wanted, a chapter that is opened."""

from enum import StrEnum
from uuid import UUID

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.ingest import sources, wants
from orihon.ingest.rules import within_budget
from orihon.jobs import queue
from orihon.jobs.payloads import FetchChapter
from orihon.library import wanted

OPENED = -10
"""Priority of a chapter that somebody waits for: before everything that goes on by itself."""

WANTED = 5
"""Priority of the chapters of a work that somebody marks: first in their source, in turn with other sources."""

# The primary source first; a source that dropped the chapter cannot bring it.
_WHERE = """
    SELECT c.page_count, c.textual, s.source_id, so.bytes_fetched, so.byte_budget
      FROM chapters c
      JOIN works w ON w.id = c.work_id
      LEFT JOIN (source_chapters s JOIN sources so ON so.id = s.source_id AND so.removed_at IS NULL)
             ON s.chapter_id = c.id AND s.dropped_at IS NULL
     WHERE c.id = $2 AND c.work_id = $1
  ORDER BY s.source_id IS DISTINCT FROM w.primary_source_id, s.source_id
"""


class Opened(StrEnum):
    """What came of opening a chapter."""

    NO_CHAPTER = "no_chapter"
    HERE = "here"
    NO_SOURCE = "no_source"
    OVER_BUDGET = "over_budget"
    QUEUED = "queued"


async def want(db: Connection, work_id: UUID) -> bool:
    """Mark a work as wanted and queue its chapters, in the caller's transaction. False: there is no such work."""
    if not await wanted.add(db, work_id):
        return False
    for source_id in await wants.sources_of(db, work_id):
        source = await sources.get(db, source_id)
        if source is not None:
            await wants.enqueue_chapters(db, source, work_id, priority=WANTED)
    await notify(db, "library", str(work_id))
    return True


async def open_chapter(db: Connection, work_id: UUID, chapter_id: UUID) -> Opened:
    """Have a chapter brought for a reader who opened it, whatever its source fetches by itself."""
    places = await db.fetch(_WHERE, work_id, chapter_id)
    if not places:
        return Opened.NO_CHAPTER
    if places[0]["page_count"] > 0 or places[0]["textual"]:
        return Opened.HERE
    listed = [place for place in places if place["source_id"] is not None]
    if not listed:
        return Opened.NO_SOURCE
    for place in listed:
        if within_budget(place["bytes_fetched"], place["byte_budget"]):
            await queue.enqueue(db, FetchChapter(source_id=place["source_id"], chapter_id=chapter_id), priority=OPENED)
            await notify(db, "library", str(work_id))
            return Opened.QUEUED
    return Opened.OVER_BUDGET
