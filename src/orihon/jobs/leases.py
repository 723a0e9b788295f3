"""Leases: take jobs from the queue for a while, and settle them under the claim that the lease gave.

A lease is a claim: job id and generation (crawler-core 2.7). Every change a worker makes carries its claim and returns
`Lost` when the job belongs to someone else by now; who lost a job writes nothing more. All times are the database's.

Every function runs on the caller's connection and in the caller's transaction, if there is one.
"""

import random
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from uuid import UUID

import asyncpg
import msgspec

from orihon.db.pool import Connection
from orihon.jobs.payloads import Payload, kind_of
from orihon.jobs.rules import LEASE_SECONDS, backoff, storable


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One lease of one job. `attempts` counts this one."""

    id: UUID
    generation: int
    lane: str
    kind: str
    attempts: int
    max_attempts: int


class Leased(msgspec.Struct, frozen=True):
    """A job in hand: the claim, the payload as stored (see `payloads.decode`), whether its key keeps others waiting,
    and the line that it comes from.
    """

    claim: Claim
    payload: str
    keyed: bool = False
    line: str | None = None


class Lost(msgspec.Struct, frozen=True):
    """The lease is gone: another worker has the job, or it is settled. Stop, and write nothing more."""


class LeaseLost(Exception):
    """Raised by `hold`, so that the transaction rolls back."""


# A state that the planner cannot see through, where the rows are known by id: it must take the primary key and not
# walk a partial index, which is full of entries that just died while the queue is busy.
_RUNNING = "(jobs.state || '') = 'running'"
_PENDING = "(jobs.state || '') = 'pending'"

# --- taking ---

_TAKE = """state = 'running', attempts = attempts + 1, lease_generation = lease_generation + 1,
               leased_until = now() + make_interval(secs => {window}), updated_at = now()"""

_TAKEN = """jobs.id, lease_generation, lane, kind, attempts, max_attempts, payload::text AS payload,
               priority, scheduled_at, seq, concurrency_key AS key, line"""

# Served by jobs_ready_idx (jobs without key or line), jobs_keyed_idx (the first job of each key that is free) and
# jobs_line_idx (the first job of each line): one step per key and line, however many wait behind it. Keyed rows are
# only named here: claiming one needs a look at the key under its lock.
_LEASE = f"""
    WITH RECURSIVE keys AS (
        (SELECT concurrency_key AS key FROM jobs
          WHERE state = 'pending' AND concurrency_key IS NOT NULL AND lane = $1
          ORDER BY concurrency_key LIMIT 1)
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
    ), ready AS MATERIALIZED (
        SELECT id, priority, scheduled_at, seq FROM jobs
         WHERE state = 'pending' AND concurrency_key IS NULL AND line IS NULL AND lane = $1 AND scheduled_at <= now()
         ORDER BY priority, scheduled_at, seq LIMIT $2 FOR UPDATE SKIP LOCKED
    ), turns AS MATERIALIZED (
        SELECT lines.line, coalesce(busy.jobs, 0) AS busy, coalesce(served.turn, 0) AS turn
          FROM lines CROSS JOIN LATERAL (
               SELECT priority, scheduled_at, seq FROM jobs
                WHERE state = 'pending' AND line = lines.line AND lane = $1 AND scheduled_at <= now()
                ORDER BY priority, scheduled_at, seq LIMIT 1) AS head
          LEFT JOIN (SELECT line, count(*) AS jobs FROM jobs
                      WHERE state = 'running' AND line IS NOT NULL AND lane = $1 GROUP BY line) AS busy USING (line)
          LEFT JOIN job_turns served ON served.lane = $1 AND served.line = lines.line
         WHERE head.priority < 0 OR lines.line <> ALL ($4::text[])
         ORDER BY least(head.priority, 0), busy, turn, head.scheduled_at, head.seq LIMIT $2
    ), called AS MATERIALIZED (
        SELECT head.*, turns.busy, turns.turn FROM turns CROSS JOIN LATERAL (
               SELECT id, priority, scheduled_at, seq FROM jobs
                WHERE state = 'pending' AND line = turns.line AND lane = $1 AND scheduled_at <= now()
                ORDER BY priority, scheduled_at, seq LIMIT 1 FOR UPDATE SKIP LOCKED) AS head
    ), chosen AS MATERIALIZED (
        SELECT id, NULL AS key, priority, scheduled_at, seq, least(priority, 0) AS class, -1 AS busy, 0 AS turn
          FROM ready
        UNION ALL
        SELECT id, NULL, priority, scheduled_at, seq, least(priority, 0), busy, turn FROM called
        UNION ALL
        SELECT head.id, keys.key, head.priority, head.scheduled_at, head.seq, least(head.priority, 0), -1, 0
          FROM keys CROSS JOIN LATERAL (
               SELECT id, priority, scheduled_at, seq FROM jobs
                WHERE state = 'pending' AND concurrency_key = keys.key AND lane = $1 AND scheduled_at <= now()
                ORDER BY priority, scheduled_at, seq LIMIT 1) AS head
         WHERE NOT EXISTS (SELECT FROM jobs busy WHERE busy.state = 'running' AND busy.concurrency_key = keys.key)
         ORDER BY class, busy, turn, priority, scheduled_at, seq LIMIT $2
    ), taken AS (
        UPDATE jobs SET {_TAKE.format(window="$3")}
         WHERE id = ANY (ARRAY (SELECT id FROM chosen WHERE key IS NULL))
        RETURNING {_TAKEN}
    ), served AS (
        INSERT INTO job_turns (lane, line, turn)
        SELECT lane, line, nextval('job_order') FROM taken WHERE line IS NOT NULL ORDER BY line
        ON CONFLICT (lane, line) DO UPDATE SET turn = excluded.turn
    )
    SELECT taken.* FROM taken
    UNION ALL
    SELECT id, NULL, NULL, NULL, NULL, NULL, NULL, priority, scheduled_at, seq, key, NULL
      FROM chosen WHERE key IS NOT NULL
"""

_LOCK_KEYS = """
    SELECT id FROM unnest($1::uuid[], $2::text[]) AS head (id, key)
     WHERE pg_try_advisory_xact_lock(hashtextextended(key, 0))
"""

# A statement of its own, because only a fresh snapshot shows who took the key before we got its lock.
_LEASE_KEYED = f"""
    UPDATE jobs SET {_TAKE.format(window="$2")}
     WHERE id = ANY ($1::uuid[]) AND {_PENDING}
       AND NOT EXISTS (SELECT FROM jobs busy
                        WHERE busy.state = 'running' AND busy.concurrency_key = jobs.concurrency_key)
    RETURNING {_TAKEN}
"""


async def lease(
    db: Connection, lane: str, limit: int = 1, window: float = LEASE_SECONDS, *, full: Collection[str] = ()
) -> list[Leased]:
    """Take at most `limit` due jobs of a lane for `window` seconds, in order of priority, due time and creation.

    Parallel leasers never wait for each other and never get the same job. A concurrency key with a running job
    gives nothing until that job is settled or, its lease lapsed, reclaimed.

    Lines take turns: each gives one job at a time, the line with the fewest running jobs first, then the one that was
    served longest ago. Priority orders a line within itself; only below zero, where people wait, does it count
    between lines. Lines that are `full` give nothing but such a job. Jobs without a line go before the lines.
    """
    records = await db.fetch(_LEASE, lane, limit, window, list(full))
    keyed = [record for record in records if record["key"] is not None]
    if keyed:
        records = [record for record in records if record["key"] is None]
        records += await _lease_keyed(db, keyed, window)
    # The order in which an UPDATE returns rows means nothing (hazard H14).
    records.sort(key=_order)
    return [_leased(record) for record in records]


def _order(record: asyncpg.Record) -> tuple[int, bool, int, datetime, int]:
    priority = record["priority"]
    return min(priority, 0), record["line"] is not None, priority, record["scheduled_at"], record["seq"]


async def _lease_keyed(db: Connection, heads: Sequence[asyncpg.Record], window: float) -> list[asyncpg.Record]:
    async with db.transaction():
        locked = await db.fetch(_LOCK_KEYS, [head["id"] for head in heads], [head["key"] for head in heads])
        if not locked:
            return []
        return await db.fetch(_LEASE_KEYED, [record["id"] for record in locked], window)


def _leased(record: asyncpg.Record) -> Leased:
    claim = Claim(
        id=record["id"],
        generation=record["lease_generation"],
        lane=record["lane"],
        kind=record["kind"],
        attempts=record["attempts"],
        max_attempts=record["max_attempts"],
    )
    return Leased(claim, record["payload"], record["key"] is not None, record["line"])


# --- under a claim ---

_MINE = f"jobs.id = $1 AND jobs.lease_generation = $2 AND {_RUNNING}"

_HOLD = f"SELECT FROM jobs WHERE {_MINE} FOR NO KEY UPDATE"

# Locked rows are not waited for: a handler that holds its claim in a transaction must not delay everyone's heartbeat.
# What the claims say is asked again with the lock and of what it locks: a job may be settled after the snapshot.
_RENEW = f"""
    WITH mine AS MATERIALIZED (
        SELECT jobs.id, jobs.lease_generation AS generation FROM jobs
          JOIN unnest($1::uuid[], $2::bigint[]) AS claim (id, generation)
            ON jobs.id = claim.id AND jobs.lease_generation = claim.generation
         WHERE {_RUNNING}
    ), free AS (
        SELECT jobs.id, jobs.lease_generation AS generation
          FROM jobs JOIN mine ON jobs.id = mine.id AND jobs.lease_generation = mine.generation
         WHERE {_RUNNING} FOR NO KEY UPDATE OF jobs SKIP LOCKED
    ), renewed AS (
        UPDATE jobs SET leased_until = now() + make_interval(secs => $3), updated_at = now()
          FROM free
         WHERE jobs.id = free.id AND jobs.lease_generation = free.generation AND {_RUNNING}
    )
    SELECT id FROM mine
"""

# A coalesced job goes back to the queue instead: it was asked for again while it ran.
_DONE = f"""
    UPDATE jobs
       SET state = CASE WHEN rerun THEN 'pending' ELSE 'done' END, leased_until = NULL, updated_at = now(),
           rerun = false, lease_generation = lease_generation + rerun::integer,
           attempts = CASE WHEN rerun THEN 0 ELSE attempts END,
           reclaims = CASE WHEN rerun THEN 0 ELSE reclaims END,
           scheduled_at = CASE WHEN rerun THEN now() ELSE scheduled_at END
      FROM unnest($1::uuid[], $2::bigint[]) AS claim (id, generation)
     WHERE jobs.id = claim.id AND jobs.lease_generation = claim.generation AND {_RUNNING}
    RETURNING jobs.id, jobs.state
"""

# A job that was asked for again while its last attempt failed is owed a fresh start, not death.
_FAIL = f"""
    UPDATE jobs
       SET state = CASE WHEN $3 AND NOT rerun THEN 'dead' ELSE 'pending' END, leased_until = NULL, updated_at = now(),
           attempts = CASE WHEN $3 AND rerun THEN 0 ELSE attempts END, rerun = rerun AND NOT $3,
           scheduled_at = CASE WHEN $3 AND NOT rerun THEN scheduled_at
                               ELSE now() + make_interval(secs => $4) END,
           last_error = $5
     WHERE {_MINE}
"""

_RELEASE = f"""
    UPDATE jobs
       SET state = 'pending', leased_until = NULL, updated_at = now(),
           attempts = greatest(attempts - 1, 0), lease_generation = lease_generation + 1,
           scheduled_at = CASE WHEN $3 > 0 THEN now() + make_interval(secs => $3) ELSE scheduled_at END,
           last_error = coalesce($4, last_error)
      FROM unnest($1::uuid[], $2::bigint[]) AS claim (id, generation)
     WHERE jobs.id = claim.id AND jobs.lease_generation = claim.generation AND {_RUNNING}
    RETURNING jobs.id
"""

_CONTINUE = f"""
    UPDATE jobs
       SET state = 'pending', leased_until = NULL, updated_at = now(), payload = $3::text::jsonb,
           attempts = 0, reclaims = 0, lease_generation = lease_generation + 1,
           scheduled_at = coalesce($4, now()), last_error = NULL
     WHERE {_MINE}
"""


async def hold(db: Connection, claim: Claim) -> None:
    """Make the rest of the transaction depend on the claim: nobody else can get the job before it ends.

    Raises:
        LeaseLost: the job belongs to someone else by now; let the transaction roll back.
    """
    if await db.fetchrow(_HOLD, claim.id, claim.generation) is None:
        raise LeaseLost(f"Another worker has job {claim.id} ({claim.kind}) by now; this one's changes are dropped.")


_FORGIVE = f"UPDATE jobs SET reclaims = 0 WHERE {_MINE} AND jobs.reclaims > 0"


async def forgive(db: Connection, claim: Claim) -> None:
    """Forget that workers vanished over this job: it got further since, so it is not what ends them (DESIGN ruling 4).

    For handlers that keep what they did in steps, in the transaction of a step.
    """
    await db.execute(_FORGIVE, claim.id, claim.generation)


async def renew(db: Connection, claims: Sequence[Claim], window: float = LEASE_SECONDS) -> set[UUID]:
    """Extend leases to `window` seconds from now; returns the jobs that are still ours. The others are lost."""
    records = await db.fetch(_RENEW, *_pairs(claims), window)
    return {record["id"] for record in records}


async def done(db: Connection, claim: Claim) -> None | Lost:
    """The job has succeeded."""
    return None if await done_many(db, [claim]) else Lost()


async def done_many(db: Connection, claims: Sequence[Claim]) -> dict[UUID, str]:
    """The jobs have succeeded; returns the state of each now: `done`, or `pending` when it was asked for again.

    A job that is missing in the answer is lost.
    """
    return {record["id"]: record["state"] for record in await db.fetch(_DONE, *_pairs(claims))}


async def fail(
    db: Connection,
    claim: Claim,
    error: str,
    *,
    final: bool = False,
    random: Callable[[], float] = random.random,
) -> None | Lost:
    """The attempt has failed: back to the queue after a backoff, or dead if it was the last (or `final`)."""
    last = final or claim.attempts >= claim.max_attempts
    delay = float(backoff(claim.attempts, random()))
    return _lost(await db.execute(_FAIL, claim.id, claim.generation, last, delay, storable(error)))


async def release(db: Connection, claim: Claim, *, after: float = 0.0, reason: str | None = None) -> None | Lost:
    """Give the job back with its attempt refunded, due in `after` seconds (0: when it was)."""
    return None if await release_many(db, [claim], after=after, reason=reason) else Lost()


async def release_many(
    db: Connection, claims: Sequence[Claim], *, after: float = 0.0, reason: str | None = None
) -> set[UUID]:
    """Give jobs back with their attempts refunded; returns those that were still ours."""
    kept = None if reason is None else storable(reason)
    return {record["id"] for record in await db.fetch(_RELEASE, *_pairs(claims), after, kept)}


async def continue_(db: Connection, claim: Claim, payload: Payload, *, at: datetime | None = None) -> None | Lost:
    """End a chunk of long work: the same job waits again with a new payload and a clean record, due `at` (None: now).

    Call it in the transaction of the chunk's checkpoint. Enqueueing itself would collide with its own row.

    Raises:
        ValueError: the payload is of another kind.
    """
    if kind_of(payload) != claim.kind:
        raise ValueError(f"A {claim.kind} job cannot go on as {kind_of(payload)}.")
    encoded = msgspec.json.encode(payload).decode()
    return _lost(await db.execute(_CONTINUE, claim.id, claim.generation, encoded, at))


def _pairs(claims: Sequence[Claim]) -> tuple[list[UUID], list[int]]:
    return [claim.id for claim in claims], [claim.generation for claim in claims]


def _lost(status: str) -> None | Lost:
    return Lost() if status.endswith(" 0") else None
