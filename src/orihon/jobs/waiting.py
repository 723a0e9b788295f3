"""Who waits for a lane: what lets an enqueue wake a worker without every enqueue paying for NOTIFY.

NOTIFY takes a database-wide lock at commit, so a busy system must not send one per job. A worker announces that it
waits; an enqueue notifies only while somebody does (`queue`). A job committed while a worker was about to announce
itself is found by the poll that follows the announcement, or by the next one.
"""

from uuid import UUID

from orihon.db.pool import Connection

# The earliest job that is not due yet: exact for jobs without key or line, the first per key and line for the others.
_ANNOUNCE = """
    WITH RECURSIVE announced AS (
        INSERT INTO job_waiters (lane, worker, until) VALUES ($1, $2, now() + make_interval(secs => $3))
        ON CONFLICT (lane, worker) DO UPDATE SET until = excluded.until
    ), levels AS (
        (SELECT priority FROM jobs WHERE state = 'pending' AND concurrency_key IS NULL AND line IS NULL AND lane = $1
          ORDER BY priority LIMIT 1)
        UNION ALL
        SELECT (SELECT priority FROM jobs
                 WHERE state = 'pending' AND concurrency_key IS NULL AND line IS NULL AND lane = $1
                   AND priority > levels.priority
                 ORDER BY priority LIMIT 1)
          FROM levels WHERE levels.priority IS NOT NULL
    ), keys AS (
        (SELECT concurrency_key AS key FROM jobs
          WHERE state = 'pending' AND concurrency_key IS NOT NULL AND lane = $1 ORDER BY concurrency_key LIMIT 1)
        UNION ALL
        SELECT (SELECT concurrency_key FROM jobs
                 WHERE state = 'pending' AND concurrency_key IS NOT NULL AND lane = $1 AND concurrency_key > keys.key
                 ORDER BY concurrency_key LIMIT 1)
          FROM keys WHERE keys.key IS NOT NULL
    ), lines AS (
        (SELECT line FROM jobs WHERE state = 'pending' AND line IS NOT NULL AND lane = $1 ORDER BY line LIMIT 1)
        UNION ALL
        SELECT (SELECT line FROM jobs WHERE state = 'pending' AND line IS NOT NULL AND lane = $1 AND line > lines.line
                 ORDER BY line LIMIT 1)
          FROM lines WHERE lines.line IS NOT NULL
    )
    SELECT extract(epoch FROM least(
        (SELECT min(next.scheduled_at) FROM levels CROSS JOIN LATERAL (
            SELECT scheduled_at FROM jobs
             WHERE state = 'pending' AND concurrency_key IS NULL AND line IS NULL AND lane = $1
               AND priority = levels.priority AND scheduled_at > now()
             ORDER BY scheduled_at LIMIT 1) AS next),
        (SELECT min(next.scheduled_at) FROM keys CROSS JOIN LATERAL (
            SELECT scheduled_at FROM jobs
             WHERE state = 'pending' AND concurrency_key = keys.key AND lane = $1 AND scheduled_at > now()
             ORDER BY priority, scheduled_at LIMIT 1) AS next),
        (SELECT min(next.scheduled_at) FROM lines CROSS JOIN LATERAL (
            SELECT scheduled_at FROM jobs
             WHERE state = 'pending' AND line = lines.line AND lane = $1 AND scheduled_at > now()
             ORDER BY priority, scheduled_at LIMIT 1) AS next)
    ) - now())::float8
"""

_WITHDRAW = "UPDATE job_waiters SET until = '-infinity' WHERE lane = $1 AND worker = $2"

# What workers that vanished left goes with it; a busy one writes its row anew when it waits again.
_FORGET = "DELETE FROM job_waiters WHERE worker = $1 OR until < now() - interval '1 hour'"


async def announce(db: Connection, lane: str, worker: UUID, seconds: float) -> float | None:
    """This worker waits for the lane, for `seconds`; returns the seconds until its next job is due, None: none is."""
    due: float | None = await db.fetchval(_ANNOUNCE, lane, worker, seconds)
    return due


async def withdraw(db: Connection, lane: str, worker: UUID) -> None:
    """This worker is busy: nobody needs to wake it."""
    await db.execute(_WITHDRAW, lane, worker)


async def forget(db: Connection, worker: UUID) -> None:
    """This worker ends."""
    await db.execute(_FORGET, worker)
