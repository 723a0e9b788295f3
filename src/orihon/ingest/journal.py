"""The durable side of a walk: one row per chunk, a checkpoint per page, the source's clean flag.

Every function runs in a transaction that holds the claim of the walk's job (`jobs.queue.hold`): a worker that
lost its lease changes nothing.
"""

from typing import Any
from uuid import UUID

import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.ingest.rules import Chunk, Outcome, Plan, is_clean, plan
from orihon.ingest.walk import Counts
from orihon.sources.records import Cursor

_SOURCE = "SELECT clean, recovery_cursor FROM sources WHERE id = $1 FOR UPDATE"

_CLOSE_LEFTOVERS = """
    UPDATE walks
       SET outcome = 'interrupted', clean = false, ended_at = now(),
           error = 'The program ended in the middle of this walk. The next one goes on from here.'
     WHERE source_id = $1 AND ended_at IS NULL
"""

_LAST = """
    SELECT mode, cursor, outcome, counts FROM walks WHERE source_id = $1 ORDER BY started_at DESC, id DESC LIMIT 1
"""

_OPEN = """
    INSERT INTO walks (source_id, mode, cursor, counts, started_at)
    VALUES ($1, $2, $3, $4, clock_timestamp()) RETURNING id
"""

# A recovery keeps the cursor that it goes on from until it has a checkpoint of its own.
_MARK_UNCLEAN = "UPDATE sources SET clean = false, recovery_cursor = $2, updated_at = now() WHERE id = $1"

_CHECKPOINT = "UPDATE walks SET cursor = $2, counts = $3 WHERE id = $1 AND ended_at IS NULL"

_CLOSE = """
    UPDATE walks
       SET outcome = $2, clean = $3, error = $4, counts = $5, ended_at = clock_timestamp()
     WHERE id = $1 AND ended_at IS NULL
"""

_SETTLE_SOURCE = """
    UPDATE sources
       SET clean = clean OR $2,
           recovery_cursor = CASE WHEN $2 OR $3 THEN NULL ELSE recovery_cursor END,
           last_error = $4, updated_at = now()
     WHERE id = $1
"""


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk that has begun."""

    walk_id: UUID
    plan: Plan
    counts: Counts


async def begin(db: Connection, source_id: UUID) -> Begun | None:
    """Open the next chunk of a source's walk, in the caller's transaction. None: the source was removed.

    A chunk that was left open belongs to a process that is gone (the walk's job is leased to one worker at a
    time), so it is closed as interrupted first.
    """
    source = await db.fetchrow(_SOURCE, source_id)
    if source is None:
        return None
    await db.execute(_CLOSE_LEFTOVERS, source_id)
    record = await db.fetchrow(_LAST, source_id)
    last = Chunk(mode=record["mode"], cursor=record["cursor"], outcome=Outcome(record["outcome"])) if record else None
    chosen = plan(last, clean=source["clean"], recovery_cursor=source["recovery_cursor"])
    counts = msgspec.convert(record["counts"], Counts) if record and chosen.carries_on else Counts()
    if not chosen.carries_on:
        await db.execute(_MARK_UNCLEAN, source_id, chosen.cursor)
    walk_id = await db.fetchval(_OPEN, source_id, chosen.mode, chosen.cursor, msgspec.to_builtins(counts))
    return Begun(walk_id=walk_id, plan=chosen, counts=counts)


async def checkpoint(
    db: Connection, begun: Begun, source_id: UUID, done: Cursor, following: Cursor | None, counts: Counts
) -> None:
    """Every item of the page at `done` is handled. After a crash the walk resumes at `done`, one page before."""
    await db.execute(_CHECKPOINT, begun.walk_id, following, msgspec.to_builtins(counts))
    await db.execute("UPDATE sources SET recovery_cursor = $2 WHERE id = $1", source_id, done)
    await notify(db, "sources", str(source_id))


async def close(
    db: Connection, begun: Begun, source_id: UUID, outcome: Outcome, counts: Counts, error: str | None
) -> None:
    """End the chunk and say what its end means for the next walk, in the caller's transaction."""
    clean = is_clean(outcome)
    await db.execute(_CLOSE, begun.walk_id, outcome.value, clean, error, msgspec.to_builtins(counts))
    await db.execute(_SETTLE_SOURCE, source_id, clean, outcome is Outcome.LIMIT, error)
    await notify(db, "sources", str(source_id))


async def stop_asked(db: Connection, source_id: UUID) -> bool:
    """Whether the source was paused or removed."""
    paused: Any = await db.fetchval("SELECT paused FROM sources WHERE id = $1", source_id)
    return paused is not False


async def forget_place(db: Connection, source_id: UUID) -> None:
    """Let the next walk begin at the top, without the early stop."""
    await db.execute("UPDATE sources SET recovery_cursor = NULL WHERE id = $1", source_id)
