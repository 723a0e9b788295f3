"""The durable side of a walk: one row per chunk, a checkpoint per page, the source's clean flag.

Every function runs in a transaction that holds the claim of the walk's job (`jobs.leases.hold`): a worker that
lost its lease changes nothing.
"""

from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.ingest.failures import Failure
from orihon.ingest.rules import Chunk, Outcome, Plan, goes_on, is_clean, plan
from orihon.ingest.walk import Counts
from orihon.sources.records import Cursor

_SOURCE = """
    SELECT clean, recovery_cursor, asked,
           $2 > 0 AND coalesce(whole_at, created_at) < now() - make_interval(days => $2) AS overdue
      FROM sources WHERE id = $1 AND removed_at IS NULL FOR UPDATE
"""

_CLOSE_LEFTOVERS = """
    UPDATE walks
       SET outcome = 'interrupted', clean = false, ended_at = greatest(now(), started_at),
           error = 'The program ended in the middle of this walk. The next one goes on from here.'
     WHERE source_id = $1 AND ended_at IS NULL
"""

_LAST = """
    SELECT mode, cursor, outcome, distrust, counts, chunk, stalls, failure
      FROM walks WHERE source_id = $1 ORDER BY started_at DESC, id DESC LIMIT 1
"""

# After the one before it, also by a clock that was set back: the latest says where the next one goes on.
_OPEN = """
    INSERT INTO walks (source_id, mode, cursor, distrust, counts, chunk, started_at)
    VALUES ($1, $2, $3, $4, $5, $6,
            greatest(clock_timestamp(),
                     (SELECT max(started_at) + interval '1 microsecond' FROM walks WHERE source_id = $1)))
    RETURNING id
"""

# A recovery keeps the cursor that it goes on from until it has a checkpoint of its own.
_MARK_UNCLEAN = """
    UPDATE sources SET clean = false, recovery_cursor = $2, asked = NULL, updated_at = now() WHERE id = $1
"""

# A recovery goes on where the walk before it broke off, so together they see what that one alone would have seen.
_SEES = "UPDATE sources SET whole_walk = $2 WHERE id = $1"

# Guarded, so that what a walk says in passing never comes after its end.
_TELL = "UPDATE walks SET counts = $2 WHERE id = $1 AND ended_at IS NULL"

_CHECKPOINT = "UPDATE walks SET cursor = $2, counts = $3 WHERE id = $1 AND ended_at IS NULL"

_CLOSE = """
    UPDATE walks
       SET outcome = $2, clean = $3, error = $4, counts = $5, failure = $6, stalls = $7,
           ended_at = greatest(clock_timestamp(), started_at)
     WHERE id = $1 AND ended_at IS NULL
"""

_SETTLE_SOURCE = """
    UPDATE sources
       SET clean = clean OR $2,
           recovery_cursor = CASE WHEN $2 OR $3 THEN NULL ELSE recovery_cursor END,
           last_error = $4, whole_at = CASE WHEN $5 THEN now() ELSE whole_at END, updated_at = now()
     WHERE id = $1
 RETURNING asked IS NOT NULL
"""


class Begun(msgspec.Struct, frozen=True, kw_only=True):
    """A chunk that has begun."""

    walk_id: UUID
    plan: Plan
    counts: Counts
    chunk: int
    """Which chunk of its walk this is, from 1."""
    stalls: int
    """Chunks in a row before it that got nowhere."""
    before: Counts
    """The counts as they were when it began."""


class End(msgspec.Struct, frozen=True, kw_only=True):
    """How a chunk ended. `error` in words for people, `failure` its kind."""

    outcome: Outcome
    error: str | None = None
    failure: Failure | None = None
    stalls: int = 0
    forget_place: bool = False
    """Whether the next walk begins at the top, whatever the checkpoint says."""


async def begin(db: Connection, source_id: UUID, *, whole_days: int = 0) -> Begun | None:
    """Open the next chunk of a source's walk, in the caller's transaction. None: the source was removed.

    After `whole_days` (0: never) a list is walked whole again, although the last walk ended well.

    A chunk that was left open belongs to a process that is gone (the walk's job is leased to one worker at a
    time), so it is closed as interrupted first.
    """
    source = await db.fetchrow(_SOURCE, source_id, whole_days)
    if source is None:
        return None
    await db.execute(_CLOSE_LEFTOVERS, source_id)
    record = await db.fetchrow(_LAST, source_id)
    last = _chunk(record) if record else None
    chosen = plan(
        last,
        clean=source["clean"],
        recovery_cursor=source["recovery_cursor"],
        asked=source["asked"],
        overdue=source["overdue"],
    )
    before = record if chosen.carries_on else None
    counts = msgspec.convert(before["counts"], Counts) if before else Counts()
    if before is None:
        await db.execute(_MARK_UNCLEAN, source_id, chosen.cursor)
    # A chunk that the site asked to pause is the same chunk when it goes on.
    chunk = before["chunk"] + (before["failure"] is None) if before else 1
    walk_id = await db.fetchval(
        _OPEN, source_id, chosen.mode, chosen.cursor, chosen.distrust, msgspec.to_builtins(counts), chunk
    )
    if not chosen.carries_on and chosen.cursor is None:
        await db.execute(_SEES, source_id, walk_id)
    return Begun(
        walk_id=walk_id,
        plan=chosen,
        counts=counts,
        chunk=chunk,
        stalls=before["stalls"] if before else 0,
        before=msgspec.structs.replace(counts),
    )


def _chunk(record: asyncpg.Record) -> Chunk:
    return Chunk(
        mode=record["mode"],
        cursor=record["cursor"],
        outcome=Outcome(record["outcome"]),
        distrust=record["distrust"],
    )


async def tell(db: Connection, begun: Begun, source_id: UUID, counts: Counts) -> None:
    """Show the counts to people while a page is walked; the next checkpoint tells them again."""
    await db.execute(_TELL, begun.walk_id, msgspec.to_builtins(counts))
    await notify(db, "sources", str(source_id))


async def checkpoint(
    db: Connection, begun: Begun, source_id: UUID, resume: Cursor, following: Cursor | None, counts: Counts
) -> None:
    """Every item before the page at `following` is handled. After a crash the walk resumes at `resume`."""
    await db.execute(_CHECKPOINT, begun.walk_id, following, msgspec.to_builtins(counts))
    await db.execute("UPDATE sources SET recovery_cursor = $2 WHERE id = $1", source_id, resume)
    await notify(db, "sources", str(source_id))


async def close(db: Connection, begun: Begun, source_id: UUID, end: End) -> bool:
    """End the chunk and say what its end means for the next walk, in the caller's transaction.

    Returns whether a person has asked for another walk meanwhile.
    """
    clean = is_clean(end.outcome)
    counts = begun.counts if goes_on(end.outcome) else msgspec.structs.replace(begun.counts, entered=0)
    told = msgspec.to_builtins(counts)
    await db.execute(_CLOSE, begun.walk_id, end.outcome.value, clean, end.error, told, end.failure, end.stalls)
    forget = end.forget_place or end.outcome is Outcome.LIMIT
    whole = end.outcome is Outcome.END_OF_LIST
    asked = await db.fetchval(_SETTLE_SOURCE, source_id, clean, forget, end.error, whole)
    await notify(db, "sources", str(source_id))
    return asked is True


async def stop_asked(db: Connection, source_id: UUID) -> bool:
    """Whether the source was paused or removed."""
    paused: Any = await db.fetchval("SELECT paused FROM sources WHERE id = $1", source_id)
    return paused is not False
