"""How long the line's operations take and how they end: one row per operation, kept for a while."""

from typing import Literal
from uuid import UUID

from orihon.db.pool import Connection, Pool

Op = Literal["manga_list", "manga_detail", "manga_cover", "chapter", "feed_walk"]

# The locks are those that the foreign keys take: a removal that is under way is waited for, and then seen.
_RECORD = """
    INSERT INTO op_metrics (op, source_id, work_id, chapter_id, outcome, duration_ms, items, error)
    VALUES ($1,
            (SELECT id FROM sources WHERE id = $2 FOR KEY SHARE),
            (SELECT id FROM works WHERE id = $3 FOR KEY SHARE),
            (SELECT id FROM chapters WHERE id = $4 FOR KEY SHARE),
            $5, $6, $7, $8)
"""

_REAP = """
    DELETE FROM op_metrics
     WHERE id IN (SELECT id FROM op_metrics
                   WHERE finished_at < now() - make_interval(days => $1)
                   ORDER BY finished_at LIMIT $2 FOR UPDATE SKIP LOCKED)
"""

REAP_BATCH = 5000
"""Rows that one statement deletes; one unbounded delete holds its locks for too long."""

_ERROR_LIMIT = 2000


async def record(
    db: "Connection | Pool",
    op: Op,
    *,
    outcome: Literal["ok", "failed"],
    seconds: float,
    source_id: UUID | None = None,
    work_id: UUID | None = None,
    chapter_id: UUID | None = None,
    items: int | None = None,
    error: str | None = None,
) -> None:
    """Record one operation. What was removed meanwhile is left out; the figure still counts."""
    said = None if error is None else error.replace("\x00", " ")[:_ERROR_LIMIT]
    milliseconds = min(max(round(seconds * 1000), 0), 2**31 - 1)
    await db.execute(_RECORD, op, source_id, work_id, chapter_id, outcome, milliseconds, items, said)


async def reap(db: "Connection | Pool", days: int) -> int:
    """Delete what is older than `days`, in batches; returns how many. 0 days: keep everything.

    Call it outside a transaction.
    """
    if days <= 0:
        return 0
    total = 0
    while True:
        deleted = int((await db.execute(_REAP, days, REAP_BATCH)).split()[-1])
        total += deleted
        if deleted < REAP_BATCH:
            return total
