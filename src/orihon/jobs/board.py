"""What people see of the queue: how much waits in each lane, and the jobs themselves."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from orihon.db.pool import Connection, rows

State = Literal["pending", "running", "done", "dead"]

MOST_COUNTED = 100_000
"""Counting stops here, so that a dashboard never waits for a backlog of millions."""


class LaneCount(msgspec.Struct, frozen=True, kw_only=True):
    """Jobs of a lane by state, each at most `MOST_COUNTED`, and how long the oldest due one has waited."""

    lane: str
    pending: int
    running: int
    dead: int
    oldest_due_seconds: float | None


class JobRow(msgspec.Struct, frozen=True, kw_only=True):
    """A job as people see it. `payload` is what is stored, whether or not it can be decoded."""

    id: UUID
    lane: str
    kind: str
    state: State
    payload: Any
    priority: int
    attempts: int
    max_attempts: int
    scheduled_at: datetime
    leased_until: datetime | None
    last_error: str | None
    created_at: datetime
    updated_at: datetime


_COUNTS = """
    WITH counted AS (
        SELECT lane, 'pending' AS state, count(*) AS jobs, min(scheduled_at) AS oldest FROM (
            (SELECT lane, scheduled_at FROM jobs
              WHERE state = 'pending' AND concurrency_key IS NULL AND line IS NULL LIMIT $1)
            UNION ALL
            (SELECT lane, scheduled_at FROM jobs WHERE state = 'pending' AND line IS NOT NULL LIMIT $1)
            UNION ALL
            (SELECT lane, scheduled_at FROM jobs WHERE state = 'pending' AND concurrency_key IS NOT NULL LIMIT $1)
        ) AS waiting GROUP BY lane
        UNION ALL
        SELECT lane, 'running', count(*), NULL
          FROM (SELECT lane FROM jobs WHERE state = 'running' LIMIT $1) AS running GROUP BY lane
        UNION ALL
        SELECT lane, 'dead', count(*), NULL
          FROM (SELECT lane FROM jobs WHERE state = 'dead' LIMIT $1) AS dead GROUP BY lane
    )
    SELECT lane,
           coalesce(sum(jobs) FILTER (WHERE state = 'pending'), 0)::bigint AS pending,
           coalesce(sum(jobs) FILTER (WHERE state = 'running'), 0)::bigint AS running,
           coalesce(sum(jobs) FILTER (WHERE state = 'dead'), 0)::bigint AS dead,
           CASE WHEN min(oldest) <= now() THEN extract(epoch FROM now() - min(oldest))::float8 END
               AS oldest_due_seconds
      FROM counted GROUP BY lane ORDER BY lane
"""

_COLUMNS = """id, lane, kind, state, payload::text AS payload, priority, attempts, max_attempts, scheduled_at,
           leased_until, last_error, created_at, updated_at"""

# One statement per state, so that each is served by the index of its state.
_LISTS: dict[State, str] = {
    "pending": f"""
        SELECT {_COLUMNS} FROM jobs WHERE state = 'pending' AND ($1::text IS NULL OR kind = $1)
         ORDER BY lane, priority, scheduled_at, seq LIMIT $2 OFFSET $3""",
    "running": f"""
        SELECT {_COLUMNS} FROM jobs WHERE state = 'running' AND ($1::text IS NULL OR kind = $1)
         ORDER BY leased_until, id LIMIT $2 OFFSET $3""",
    "done": f"""
        SELECT {_COLUMNS} FROM jobs WHERE state IN ('done', 'dead') AND state = 'done'
           AND ($1::text IS NULL OR kind = $1)
         ORDER BY updated_at DESC LIMIT $2 OFFSET $3""",
    "dead": f"""
        SELECT {_COLUMNS} FROM jobs WHERE state = 'dead' AND ($1::text IS NULL OR kind = $1)
         ORDER BY updated_at DESC LIMIT $2 OFFSET $3""",
}

MOST_LISTED = 200


async def counts(db: Connection) -> list[LaneCount]:
    """How much waits, runs and lies dead in each lane that has any such job."""
    return rows(LaneCount, await db.fetch(_COUNTS, MOST_COUNTED))


async def listed(
    db: Connection, state: State, *, kind: str | None = None, limit: int = 50, offset: int = 0
) -> list[JobRow]:
    """Jobs of a state: waiting ones in order, running ones by the end of their lease, ended ones latest first.

    `limit` is clamped to 1-200 (crawler-core 2.10).
    """
    clamped = min(max(limit, 1), MOST_LISTED)
    records = await db.fetch(_LISTS[state], kind, clamped, max(offset, 0))
    return [JobRow(**{**record, "payload": _shown(record["payload"])}) for record in records]


def _shown(stored: str) -> Any:
    """A payload for people. PostgreSQL stores numbers that nothing else can read; such a one is shown as text."""
    try:
        return msgspec.json.decode(stored)
    except msgspec.DecodeError:
        return stored
