"""The queue beside the library: what is lost, stuck, dead, or leased by the dead."""

from collections.abc import AsyncIterator

from orihon.db.pool import Connection
from orihon.library.tombstones import COVER_IS_BURIED, IS_EMPTIED

LAPSED_SECONDS = 60.0
"""A lease that ran out longer ago than this belongs to nobody: any living worker would have taken the job back."""

OVERDUE_SECONDS = 3600.0
"""A job that has been due for longer waits for a worker that is not there, or for one that does not get to it."""

_DEAD = """
    SELECT kind, count(*) AS jobs, min(last_error) AS example FROM jobs WHERE state = 'dead' GROUP BY kind ORDER BY kind
"""

_LAPSED = """
    SELECT kind, count(*) AS jobs FROM jobs
     WHERE state = 'running' AND leased_until < now() - make_interval(secs => $1) GROUP BY kind ORDER BY kind
"""

_OVERDUE = """
    SELECT kind, count(*) AS jobs FROM jobs
     WHERE state = 'pending' AND scheduled_at < now() - make_interval(secs => $1) GROUP BY kind ORDER BY kind
"""

# A chapter that its source should have brought, that never failed, and that no job is about.
_LOST_CHAPTERS = f"""
    SELECT count(DISTINCT c.id)
      FROM sources so
      JOIN source_chapters s ON s.source_id = so.id AND s.dropped_at IS NULL
      JOIN chapters c ON c.id = s.chapter_id
     WHERE so.content = 'all' AND NOT so.paused AND so.removed_at IS NULL AND so.clean AND so.kind <> 'feed'
       AND (so.byte_budget IS NULL OR so.bytes_fetched < so.byte_budget)
       AND c.page_count = 0 AND c.content_error IS NULL AND NOT ({IS_EMPTIED})
       AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'fetch_chapter' AND j.dedupe_key = c.id::text)
"""

_LOST_CHECKS = """
    SELECT count(*) FROM media m
     WHERE m.state = 'probed'
       AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'check_medium' AND j.dedupe_key = m.id::text
                                            AND j.state <> 'done')
"""

_LOST_COVERS = f"""
    SELECT count(*)
      FROM source_works s
      JOIN works w ON w.id = s.work_id
      JOIN sources so ON so.id = s.source_id AND so.removed_at IS NULL
     WHERE s.cover_url IS NOT NULL AND s.cover_error IS NULL AND s.dropped_at IS NULL AND w.cover_media_id IS NULL
       AND NOT {COVER_IS_BURIED}
       AND NOT EXISTS (SELECT FROM jobs j WHERE j.kind = 'fetch_cover' AND j.dedupe_key = s.source_id || ':' || s.key)
"""


async def faults(
    db: Connection, *, lapsed: float = LAPSED_SECONDS, overdue: float = OVERDUE_SECONDS
) -> AsyncIterator[str]:
    """Everything that is wrong, in words, with what to do."""
    for record in await db.fetch(_DEAD):
        example = (record["example"] or "").partition("\n")[0]
        yield (
            f"{record['jobs']} {record['kind']} jobs failed for good, for example: {example} "
            f"`orihon jobs requeue --kind {record['kind']}` tries them again."
        )
    for record in await db.fetch(_LAPSED, lapsed):
        yield f"{record['jobs']} {record['kind']} jobs are leased by a worker that is gone; any other takes them back"
    for record in await db.fetch(_OVERDUE, overdue):
        yield f"{record['jobs']} {record['kind']} jobs have been due for over {overdue / 3600:g} h; does a worker run?"
    for what, statement in (
        ("chapters should be here and no job brings them", _LOST_CHAPTERS),
        ("images wait to be checked and no job does it", _LOST_CHECKS),
        ("covers should be here and no job brings them", _LOST_COVERS),
    ):
        if lost := await db.fetchval(statement):
            yield f"{lost} {what}"
