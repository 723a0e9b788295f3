"""Kinds of jobs that only tests know, and a worker that runs while a block does."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping, Sequence
from uuid import UUID, uuid4

import asyncpg

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.notify import Bus
from orihon.db.pool import Connection, Pool, open_pool
from orihon.jobs import leases, queue
from orihon.jobs.handlers import Entry, Handler, registry
from orihon.jobs.lane import Lane, Timing
from orihon.jobs.leases import Leased
from orihon.jobs.payloads import Payload
from orihon.jobs.worker import Worker


class Plain(Payload, frozen=True, kw_only=True, tag="plain"):
    """A job without any key."""

    lane = "test"
    number: int = 0


class Unique(Payload, frozen=True, kw_only=True, tag="unique"):
    """At most one in flight per name."""

    lane = "test"
    name: str

    def dedupe_key(self) -> str:
        return self.name


class Coalescing(Payload, frozen=True, kw_only=True, tag="coalescing"):
    """At most one in flight per name; asked for again while it runs, it runs once more."""

    lane = "test"
    coalesce = True
    name: str

    def dedupe_key(self) -> str:
        return self.name


class Keyed(Payload, frozen=True, kw_only=True, tag="keyed"):
    """At most one runs per platform."""

    lane = "test"
    platform: str
    number: int = 0

    def concurrency_key(self) -> str:
        return self.platform


class Lined(Payload, frozen=True, kw_only=True, tag="lined"):
    """Takes turns with those of other sources."""

    lane = "test"
    source: str
    number: int = 0

    def line(self) -> str:
        return self.source


class Brief(Payload, frozen=True, kw_only=True, tag="brief"):
    """May run for a blink only."""

    lane = "test"
    time_limit = 0.05


class Elsewhere(Payload, frozen=True, kw_only=True, tag="elsewhere"):
    """A job of another lane."""

    lane = "other"


FAST = Timing(
    window=1.5,
    beat=0.3,
    linger=0.0,
    trouble=0.05,
    reclaim=0.1,
    schedule=0.1,
    clock=0.1,
    returning=0.1,
    stuck=0.1,
    drain=5.0,
    unknown=60.0,
)
"""A worker's life in fast motion."""


@contextlib.asynccontextmanager
async def shared_database(server: EmbeddedPostgres) -> AsyncIterator[str]:
    """A database for many quick tests; `emptied` makes it new for each."""
    name = f"q_{uuid4().hex}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE orihon_template STRATEGY file_copy")
    try:
        yield server.dsn(name)
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


@contextlib.asynccontextmanager
async def emptied(dsn: str) -> AsyncIterator[Pool]:
    """A pool on a shared database without jobs."""
    opened = await open_pool(dsn)
    try:
        await opened.execute("TRUNCATE jobs, job_turns, job_waiters, job_schedules, live_status")
        yield opened
    finally:
        try:
            # Not cut off: a connection on its way back to the pool would complain about that.
            async with asyncio.timeout(10):
                await opened.close()
        except TimeoutError:
            opened.terminate()


async def row(db: "Connection | Pool", job_id: UUID) -> asyncpg.Record:
    """A job as it stands."""
    record = await db.fetchrow("SELECT *, leased_until > now() AS leased FROM jobs WHERE id = $1", job_id)
    assert record is not None
    return record


async def states(db: "Connection | Pool") -> dict[str, int]:
    """How many jobs are in each state."""
    return {r["state"]: r["n"] for r in await db.fetch("SELECT state, count(*) AS n FROM jobs GROUP BY state")}


async def all_done(db: "Connection | Pool", jobs: int) -> bool:
    """Whether there are so many jobs, each of them done."""
    return await states(db) == {"done": jobs}


async def put(db: Connection, payload: Payload, **options: int) -> UUID:
    """Queue a job that must be new."""
    result = await queue.enqueue(db, payload, **options)  # type: ignore[arg-type]  # only `priority` is passed
    assert isinstance(result, queue.Enqueued)
    return result.id


async def lease_one(db: Connection, lane: str = "test") -> Leased:
    """Lease the next job, which must exist."""
    (leased,) = await leases.lease(db, lane, 1)
    return leased


async def lapse(db: "Connection | Pool", *ids: UUID) -> None:
    """Let leases run out, as if their worker had vanished minutes ago."""
    await db.execute("UPDATE jobs SET leased_until = now() - interval '2 minutes' WHERE id = ANY ($1)", list(ids))


@contextlib.asynccontextmanager
async def working(
    dsn: str,
    pool: Pool,
    handlers: Sequence[tuple[type[Payload], Handler]],
    *,
    lanes: Sequence[Lane] = (Lane(name="test", concurrency=2),),
    timing: Timing = FAST,
    bus: Bus | None = None,
) -> AsyncIterator[Worker]:
    """A worker that runs while the block does and drains after it; its own failure fails the test."""
    entries: Mapping[str, Entry] = registry(handlers, kinds=[kind for kind, _ in handlers])
    worker = Worker(dsn=dsn, pool=pool, lanes=lanes, handlers=entries, timing=timing, bus=bus)
    running = asyncio.create_task(worker.run())
    try:
        yield worker
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
