"""What keeps the queue whole: lapsed leases, dead letters, old rows. None of it is itself a job."""

import random
from collections.abc import Callable, Sequence
from uuid import UUID

import asyncpg

from orihon.db.pool import Connection
from orihon.jobs import leases, queue
from orihon.jobs.leases import Claim, Lost
from orihon.jobs.payloads import Payload
from orihon.jobs.rules import Reclaim, backoff, reclaim

RECLAIM_BATCH = 500
REQUEUE_BATCH = 1000
REAP_BATCH = 5000
"""Rows that one statement deletes; one unbounded delete holds its locks for too long (crawler-core 2.8)."""

_REQUEUE_TRIES = 50

_LAPSED = """
    SELECT id, attempts, max_attempts, reclaims FROM jobs
     WHERE state = 'running' AND leased_until < now()
     ORDER BY leased_until LIMIT $1 FOR UPDATE SKIP LOCKED
"""

# Like a failure, except that a refund costs nothing and waits for nothing.
_RECLAIM = """
    WITH reclaimed AS (
        UPDATE jobs
           SET state = CASE WHEN fate = 'dead' AND NOT rerun THEN 'dead' ELSE 'pending' END,
               leased_until = NULL, updated_at = now(), lease_generation = lease_generation + 1,
               attempts = CASE WHEN fate = 'refund' THEN greatest(attempts - 1, 0)
                               WHEN fate = 'dead' AND rerun THEN 0 ELSE attempts END,
               reclaims = reclaims + (fate = 'refund')::integer, rerun = rerun AND fate <> 'dead',
               scheduled_at = CASE WHEN fate = 'refund' THEN scheduled_at
                                   ELSE now() + make_interval(secs => delay) END,
               last_error = CASE WHEN fate = 'refund' THEN last_error ELSE $4 END
          FROM unnest($1::uuid[], $2::text[], $3::float8[]) AS ruling (job, fate, delay)
         WHERE jobs.id = ruling.job
        RETURNING lane
    ), woken AS MATERIALIZED (
        SELECT pg_notify('jobs', lane) FROM (SELECT DISTINCT lane FROM reclaimed) AS fed
    )
    SELECT count(*) FROM woken
"""

_VANISHED = (
    "The worker, its connection to the database, or a file that it had just stored vanished while it ran this job, "
    "again and again. The job may use more memory or time than there is, or the clock of the store may be wrong."
)

_LET_LAPSE = """
    UPDATE jobs SET leased_until = '-infinity', updated_at = now()
     WHERE id = $1 AND lease_generation = $2 AND state = 'running'
"""

_RELEASE_UNOWNED = """
    UPDATE jobs
       SET state = 'pending', leased_until = NULL, updated_at = now(),
           attempts = greatest(attempts - 1, 0), lease_generation = lease_generation + 1
     WHERE id = $1 AND state = 'running'
"""

# Of several dead jobs with one key the latest is revived, and none while an equal one waits or runs.
_REQUEUE = """
    WITH best AS (
        SELECT DISTINCT ON (kind, coalesce(dedupe_key, id::text)) id
          FROM (SELECT id, kind, dedupe_key, updated_at FROM jobs dead
                 WHERE state = 'dead' AND ($1::text IS NULL OR kind = $1) AND ($2::uuid IS NULL OR id = $2)
                   AND NOT EXISTS (SELECT FROM jobs live
                                    WHERE live.kind = dead.kind AND live.dedupe_key = dead.dedupe_key
                                      AND live.dedupe_key IS NOT NULL AND live.state IN ('pending', 'running'))
                 ORDER BY updated_at DESC LIMIT $3 FOR UPDATE SKIP LOCKED) AS dead
         ORDER BY kind, coalesce(dedupe_key, id::text), updated_at DESC
    ), revived AS (
        UPDATE jobs
           SET state = 'pending', attempts = 0, reclaims = 0, lease_generation = lease_generation + 1,
               scheduled_at = now(), updated_at = now()
         WHERE id IN (SELECT id FROM best)
        RETURNING lane
    ), woken AS MATERIALIZED (
        SELECT pg_notify('jobs', lane) FROM (SELECT DISTINCT lane FROM revived) AS fed
    )
    SELECT (SELECT count(*) FROM revived), (SELECT count(*) FROM woken)
"""

# Served by jobs_dedupe_idx.
_HURRY = """
    WITH hurried AS (
        UPDATE jobs SET scheduled_at = now(), updated_at = now()
         WHERE kind = $1 AND dedupe_key = $2 AND state = 'pending' AND scheduled_at > now()
        RETURNING lane
    ), woken AS MATERIALIZED (
        SELECT pg_notify('jobs', lane) FROM hurried
    )
    SELECT (SELECT count(*) FROM hurried), (SELECT count(*) FROM woken)
"""

# Served by jobs_dead_key_idx.
_FORGET_DEAD = "DELETE FROM jobs WHERE kind = $1 AND dedupe_key = $2 AND state = 'dead'"

_REAP = """
    DELETE FROM jobs
     WHERE id IN (SELECT id FROM jobs
                   WHERE state IN ('done', 'dead') AND updated_at < now() - make_interval(days => $1)
                   LIMIT $2 FOR UPDATE SKIP LOCKED)
"""


# A line without a waiting job has no turn to remember.
_REAP_TURNS = """
    DELETE FROM job_turns
     WHERE (lane, line) IN (
           SELECT lane, line FROM job_turns t
            WHERE NOT EXISTS (SELECT FROM jobs WHERE state = 'pending' AND line = t.line AND lane = t.lane)
              FOR UPDATE SKIP LOCKED)
"""


async def reclaim_lapsed(db: Connection, *, random: Callable[[], float] = random.random) -> int:
    """Take jobs back whose worker vanished (their lease lapsed); returns how many.

    Any number of processes may call it at any time: a live worker renews its leases long before they lapse.
    """
    total = 0
    while True:
        async with db.transaction():
            lapsed = await db.fetch(_LAPSED, RECLAIM_BATCH)
            if lapsed:
                await db.execute(_RECLAIM, *_rulings(lapsed, random), _VANISHED)
        total += len(lapsed)
        if len(lapsed) < RECLAIM_BATCH:
            return total


async def let_lapse(db: Connection, claim: Claim, *, random: Callable[[], float] = random.random) -> None | Lost:
    """Give a job back that was interrupted, by the rule for vanished workers and at once.

    Without the rule a job that ends its connection to the database itself, or the whole server, would do so for ever.
    """
    async with db.transaction():
        if (await db.execute(_LET_LAPSE, claim.id, claim.generation)).endswith(" 0"):
            return Lost()
        await reclaim_lapsed(db, random=random)
    return None


def _rulings(
    lapsed: Sequence[asyncpg.Record], random: Callable[[], float]
) -> tuple[list[UUID], list[str], list[float]]:
    fates = [reclaim(record["attempts"], record["max_attempts"], record["reclaims"]) for record in lapsed]
    delays = [
        0.0 if fate is Reclaim.REFUND else float(backoff(record["attempts"], random()))
        for fate, record in zip(fates, lapsed, strict=True)
    ]
    return [record["id"] for record in lapsed], [fate.value for fate in fates], delays


async def release_unowned(db: Connection, job_id: UUID) -> bool:
    """Give a running job back without its claim, for operators; its worker loses it. False: it does not run."""
    return not (await db.execute(_RELEASE_UNOWNED, job_id)).endswith(" 0")


async def requeue(db: Connection, *, kind: str | None = None, job_id: UUID | None = None) -> int:
    """Give dead jobs a new life: all, those of a `kind`, or one; returns how many wait again.

    Call it outside a transaction. A producer may queue an equal job in the same moment; the dead one then stays dead.
    """
    total = 0
    while True:
        revived = await _requeue_batch(db, kind, job_id)
        total += revived
        if revived == 0:
            return total


async def _requeue_batch(db: Connection, kind: str | None, job_id: UUID | None) -> int:
    size = REQUEUE_BATCH
    for remaining in reversed(range(_REQUEUE_TRIES)):
        try:
            async with db.transaction():
                revived: int = await db.fetchval(_REQUEUE, kind, job_id, size)
        except asyncpg.UniqueViolationError:
            # A producer was faster; the next look sees its job. The fewer jobs at once, the fewer can collide.
            if not remaining:
                raise
            size = max(1, size // 2)
        else:
            return revived
    raise AssertionError("unreachable")


async def hurry(db: Connection, payload: Payload) -> bool:
    """Make an equal job that waits for its next try due now, for people who ask; False when none waits for a time."""
    _, kind, _, _, key, *_ = queue.stored(payload)
    return bool(await db.fetchval(_HURRY, kind, key))


async def reap_turns(db: Connection) -> None:
    """Forget when lines were served in which nothing waits."""
    await db.execute(_REAP_TURNS)


async def succeed(db: Connection, claim: Claim, payload: Payload) -> None | Lost:
    """End a job, and forget those equal to it that were given up before: nobody need look at what is done by now."""
    if (lost := await leases.done(db, claim)) is not None:
        return lost
    _, kind, _, _, key, *_ = queue.stored(payload)
    await db.execute(_FORGET_DEAD, kind, key)
    return None


async def reap_terminal(db: Connection, days: int) -> int:
    """Delete finished and dead jobs that have not changed for `days`; returns how many. 0 days: keep everything.

    Call it outside a transaction. Waiting and running jobs are never touched.
    """
    if days <= 0:
        return 0
    total = 0
    while True:
        deleted = int((await db.execute(_REAP, days, REAP_BATCH)).split()[-1])
        total += deleted
        if deleted < REAP_BATCH:
            return total
