"""Which chapters are fetched: what a source is asked to bring, what people want, and what the byte budget allows."""

from uuid import UUID

from orihon.db.pool import Connection
from orihon.ingest.rules import within_budget
from orihon.ingest.sources import Source
from orihon.jobs import queue
from orihon.jobs.payloads import FetchChapter
from orihon.library.tombstones import IS_EMPTIED

QUARANTINE_DAYS = 7
"""A chapter whose job died is left alone for so long, or until a person asks (crawler-core 2.10, A6)."""

# Reading order: chapter one arrives first. A chapter with a dead job is hopeless until a person looks; one whose pages
# were all deleted here lacks nothing.
_LACKING = f"""
    SELECT c.id
      FROM chapters c
      JOIN source_chapters s ON s.chapter_id = c.id AND s.source_id = $1 AND s.dropped_at IS NULL
     WHERE c.work_id = $2 AND c.page_count = 0 AND NOT c.textual AND NOT ({IS_EMPTIED})
       AND NOT EXISTS (
           SELECT FROM jobs j
            WHERE j.kind = 'fetch_chapter' AND j.state = 'dead' AND j.dedupe_key = c.id::text
              AND j.updated_at > now() - make_interval(days => $3))
  ORDER BY c.sort_key, c.number, c.created_at, c.id
"""

_IS_WANTED = "SELECT EXISTS (SELECT FROM wanted_works WHERE work_id = $1)"

_WANTED_FROM = """
    SELECT DISTINCT s.source_id
      FROM source_chapters s
      JOIN chapters c ON c.id = s.chapter_id
      JOIN sources so ON so.id = s.source_id AND so.removed_at IS NULL
     WHERE c.work_id = $1 AND s.dropped_at IS NULL
"""


async def enqueue_chapters(db: Connection, source: Source, work_id: UUID, *, priority: int | None = None) -> int:
    """Queue the chapters of a work that the source should bring and that are not held; returns how many are new.

    `priority` also moves up those that wait already.
    """
    if source.content == "on_open" or not within_budget(source.bytes_fetched, source.byte_budget):
        return 0
    if source.content == "wanted" and not await db.fetchval(_IS_WANTED, work_id):
        return 0
    lacking = await db.fetch(_LACKING, source.id, work_id, QUARANTINE_DAYS)
    payloads = [FetchChapter(source_id=source.id, chapter_id=record["id"]) for record in lacking]
    results = await queue.enqueue_many(db, payloads, priority=priority)
    return sum(isinstance(result, queue.Enqueued) for result in results)


async def sources_of(db: Connection, work_id: UUID) -> list[UUID]:
    """Sources that list chapters of a work now."""
    return [record["source_id"] for record in await db.fetch(_WANTED_FROM, work_id)]
