"""The durable queue: putting jobs in. Taking them out and settling them is `leases`.

A job runs at least once, so what it does must bear repetition (DESIGN ruling 22). All times are the database's.

Every function runs on the caller's connection and in the caller's transaction, if there is one. Keep transactions
that enqueue short: an equal job that another transaction has inserted but not committed makes an enqueue wait.
"""

import hashlib
import os
import time
from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.jobs.payloads import Payload, kind_of
from orihon.jobs.rules import uuid7

_KEY_LIMIT = 400


class Enqueued(msgspec.Struct, frozen=True):
    """The job is in the queue."""

    id: UUID


class AlreadyQueued(msgspec.Struct, frozen=True):
    """An equal job waits or runs. If the kind coalesces, a running one will run once more."""


_COLUMNS = "lane, kind, payload, priority, dedupe_key, concurrency_key, max_attempts, line, scheduled_at"

_ON_CONFLICT = "ON CONFLICT (kind, dedupe_key) WHERE state IN ('pending', 'running') AND dedupe_key IS NOT NULL"

_OR_SKIP = f"{_ON_CONFLICT} DO NOTHING"

# Locks the row in the way even where it changes nothing, so it is used only where a kind or a caller needs it.
_OR_COALESCE = f"""{_ON_CONFLICT} DO UPDATE
          SET rerun = jobs.rerun OR jobs.state = 'running' AND jobs.kind = ANY($10),
              priority = least(jobs.priority, excluded.priority), updated_at = now()
        WHERE jobs.state = 'running' AND jobs.kind = ANY($10) AND NOT jobs.rerun
           OR jobs.state = 'pending' AND excluded.priority < jobs.priority"""

_WAITED_FOR = "EXISTS (SELECT FROM job_waiters w WHERE w.lane = {lane} AND w.until > now())"

_WAKE = f"CASE WHEN {_WAITED_FOR.format(lane='$1')} THEN pg_notify('jobs', $1) END"

# True, whoever waits: NOTIFY answers with a void, which is not null.
_WOKEN = f"CASE WHEN {_WAITED_FOR.format(lane='$1')} THEN pg_notify('jobs', $1) IS NOT NULL ELSE true END"

_INSERT = f"""
    INSERT INTO jobs (id, {_COLUMNS})
    SELECT {{id}}, $1, $2, $3::text::jsonb, $4, $5, $6, $7, $8, coalesce($9, now())
"""

# The id is made here where it can be: PostgreSQL opens the system's source of randomness anew for each one.
_INSERT_WITH_ID = _INSERT.format(id="$10")

# A job without a key is in nobody's way, and most jobs have none: they are spared what a conflict and an answer cost.
_ENQUEUE = f"{_INSERT_WITH_ID} WHERE {_WOKEN}"
_ENQUEUE_OR_SKIP = f"{_INSERT_WITH_ID} {_OR_SKIP} RETURNING id, {_WAKE}"
_ENQUEUE_OR_COALESCE = f"""
    WITH new AS ({_INSERT.format(id="uuidv7()")} {_OR_COALESCE} RETURNING id, old.id IS NULL AS inserted)
    SELECT id, {_WAKE} FROM new WHERE inserted
"""

# `seq` follows the caller's order; the rows go in by key, so that two overlapping batches cannot deadlock.
_ENQUEUE_MANY = f"""
    WITH input AS MATERIALIZED (
        SELECT uuidv7() AS id, nextval('job_order') AS seq, j.*
          FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[], $5::text[], $6::text[], $7::integer[],
                      $8::text[])
               WITH ORDINALITY
               AS j (lane, kind, payload, priority, dedupe_key, concurrency_key, max_attempts, line, position)
    ), new AS (
        INSERT INTO jobs (id, seq, {_COLUMNS})
        SELECT id, seq, lane, kind, payload::jsonb, priority, dedupe_key, concurrency_key, max_attempts, line,
               coalesce($9, now())
          FROM input ORDER BY kind, dedupe_key, position
        {{conflict}} RETURNING id, lane, {{inserted}} AS inserted
    ), woken AS MATERIALIZED (
        SELECT pg_notify('jobs', lane)
          FROM (SELECT DISTINCT lane FROM new WHERE inserted) AS fed WHERE {_WAITED_FOR.format(lane="fed.lane")}
    )
    SELECT new.id, (SELECT count(*) FROM woken)
      FROM input LEFT JOIN new ON new.id = input.id AND new.inserted ORDER BY input.position
"""

_ENQUEUE_MANY_OR_SKIP = _ENQUEUE_MANY.format(conflict=_OR_SKIP, inserted="true")
_ENQUEUE_MANY_OR_COALESCE = _ENQUEUE_MANY.format(conflict=_OR_COALESCE, inserted="old.id IS NULL")


async def enqueue(
    db: Connection, payload: Payload, *, priority: int | None = None, at: datetime | None = None
) -> Enqueued | AlreadyQueued:
    """Queue a job, due `at` (None: now). An equal one that waits or runs stands for it (see `Payload.dedupe_key`).

    `priority` (lower first, None: the kind's own) also moves up an equal job that waits further behind.
    """
    row = stored(payload, priority)
    _, kind, _, _, key, *_ = row
    if key is None:
        new_id = _new_id()
        await db.execute(_ENQUEUE, *row, at, new_id)
        return Enqueued(new_id)
    if payload.coalesce or priority is not None:
        job_id = await db.fetchval(_ENQUEUE_OR_COALESCE, *row, at, [kind] if payload.coalesce else [])
    else:
        job_id = await db.fetchval(_ENQUEUE_OR_SKIP, *row, at, _new_id())
    return AlreadyQueued() if job_id is None else Enqueued(job_id)


async def enqueue_many(
    db: Connection, payloads: Sequence[Payload], *, priority: int | None = None, at: datetime | None = None
) -> list[Enqueued | AlreadyQueued]:
    """Queue jobs that run in the order given, in one statement; returns what became of each."""
    if not payloads:
        return []
    rows = [stored(payload, priority) for payload in payloads]
    fresh, repeated = _first_of_each(rows)
    arguments = (*map(list, zip(*fresh, strict=True)), at)
    coalescing = sorted({kind_of(payload) for payload in payloads if payload.coalesce})
    if coalescing or priority is not None:
        records = await db.fetch(_ENQUEUE_MANY_OR_COALESCE, *arguments, coalescing)
    else:
        records = await db.fetch(_ENQUEUE_MANY_OR_SKIP, *arguments)
    ids = iter(record["id"] for record in records)
    results: list[Enqueued | AlreadyQueued] = []
    for position in range(len(rows)):
        job_id = None if position in repeated else next(ids)
        results.append(AlreadyQueued() if job_id is None else Enqueued(job_id))
    return results


Stored = tuple[str, str, str, int, str | None, str | None, int, str | None]


def stored(payload: Payload, priority: int | None = None) -> Stored:
    """A payload as columns: lane, kind, payload, priority, dedupe key, concurrency key, most attempts, line."""
    concurrency_key = _bounded(payload.concurrency_key())
    return (
        payload.lane,
        kind_of(payload),
        msgspec.json.encode(payload).decode(),
        payload.priority if priority is None else priority,
        _bounded(payload.dedupe_key()),
        concurrency_key,
        payload.max_attempts,
        _bounded(payload.line()) if concurrency_key is None else None,
    )


def _new_id() -> UUID:
    # The clock of this process decides nothing by it: `seq` is the order.
    return uuid7(time.time_ns() // 1_000_000, int.from_bytes(os.urandom(10), "big"))


def _bounded(key: str | None) -> str | None:
    """A key that fits an index, whatever a site chose for it."""
    if key is None or len(key) <= _KEY_LIMIT:
        return key
    return "sha256:" + hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _first_of_each(rows: Sequence[Stored]) -> tuple[list[Stored], set[int]]:
    fresh: list[Stored] = []
    repeated: set[int] = set()
    seen: set[tuple[str, str]] = set()
    for position, row in enumerate(rows):
        _, kind, _, _, key, *_ = row
        if key is not None and (kind, key) in seen:
            repeated.add(position)
            continue
        if key is not None:
            seen.add((kind, key))
        fresh.append(row)
    return fresh, repeated
