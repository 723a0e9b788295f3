"""Interval schedules: a job every so often, caught up at most once."""

from orihon.db.pool import Connection, Pool
from orihon.jobs.payloads import Payload
from orihon.jobs.queue import stored

DUE_BATCH = 100
"""Schedules that one statement fires."""

# A shorter interval takes effect at once; a longer one, or a new payload, does not move a slot that is near.
_ENSURE = """
    INSERT INTO job_schedules AS held
           (name, lane, kind, payload, priority, dedupe_key, concurrency_key, max_attempts, interval_seconds,
            next_at)
    VALUES ($1, $2, $3, $4::text::jsonb, $5, $6, $7, $8, $9,
            now() + CASE WHEN $10 THEN interval '0' ELSE make_interval(secs => $9::integer) END)
    ON CONFLICT (name) DO UPDATE
       SET lane = excluded.lane, kind = excluded.kind, payload = excluded.payload, priority = excluded.priority,
           dedupe_key = excluded.dedupe_key, concurrency_key = excluded.concurrency_key,
           max_attempts = excluded.max_attempts, interval_seconds = excluded.interval_seconds, enabled = true,
           next_at = least(held.next_at, now() + make_interval(secs => $9::integer))
"""

_REMOVE = "DELETE FROM job_schedules WHERE name = $1"

# Slots keep their rhythm: the next one is the first after now on the old grid, so a week of downtime is one job.
# A job of the last slot that still waits or runs stands for this one.
_FIRE = """
    WITH due AS MATERIALIZED (
        SELECT * FROM job_schedules WHERE enabled AND next_at <= now()
         ORDER BY next_at LIMIT $1 FOR UPDATE SKIP LOCKED
    ), moved AS (
        UPDATE job_schedules s
           SET next_at = s.next_at + make_interval(secs => s.interval_seconds * (1 + floor(
                   extract(epoch FROM now() - s.next_at) / s.interval_seconds)))
          FROM due WHERE s.name = due.name
    ), new AS (
        INSERT INTO jobs (lane, kind, payload, priority, dedupe_key, concurrency_key, max_attempts)
        SELECT lane, kind, payload, priority, dedupe_key, concurrency_key, max_attempts
          FROM due ORDER BY kind, dedupe_key
        ON CONFLICT (kind, dedupe_key) WHERE state IN ('pending', 'running') AND dedupe_key IS NOT NULL DO NOTHING
        RETURNING lane
    ), woken AS MATERIALIZED (
        SELECT pg_notify('jobs', lane) FROM (SELECT DISTINCT lane FROM new) AS fed
    )
    SELECT due.name, (SELECT count(*) FROM woken) FROM due
"""


async def ensure(db: Connection, name: str, payload: Payload, interval_seconds: int, *, at_once: bool = False) -> None:
    """Queue `payload` every `interval_seconds` under `name`; an existing schedule is brought up to date.

    A new one fires after its first interval, or `at_once`. A shorter interval takes effect at once.
    """
    lane, kind, encoded, priority, dedupe_key, concurrency_key, max_attempts, _ = stored(payload)
    await db.execute(
        _ENSURE, name, lane, kind, encoded, priority, dedupe_key, concurrency_key, max_attempts,
        interval_seconds, at_once,
    )  # fmt: skip


async def remove(db: Connection, name: str) -> None:
    """Stop a schedule. Its last job, if one waits or runs, stays."""
    await db.execute(_REMOVE, name)


async def fire_due(db: "Connection | Pool") -> list[str]:
    """Queue the jobs of every schedule that is due; returns their names. Any number of processes may call it."""
    return [record["name"] for record in await db.fetch(_FIRE, DUE_BATCH)]
