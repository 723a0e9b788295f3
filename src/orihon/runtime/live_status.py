"""What is going on right now, in every process: leases in the database that expire with their writer.

`report` is the only way to write: a guard that removes its entry on any exit, and whose entry expires by itself when
the process dies. A guard never touches an entry that a newer one has taken over.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from datetime import datetime
from uuid import UUID, uuid4

import msgspec
import structlog

from orihon.db.pool import TROUBLE, Connection, Pool

log = structlog.get_logger(__name__)

_FAREWELL_SECONDS = 5.0


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds: `after` which work is worth showing, between writes (`every`), until an entry expires (`ttl`)."""

    after: float = 1.0
    every: float = 0.5
    ttl: float = 60.0


class Now(msgspec.Struct, frozen=True, kw_only=True):
    """How far something is. `total` None: unknown."""

    phase: str = "running"
    text: str | None = None
    done: int | None = None
    total: int | None = None


class Live(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is going on."""

    key: str
    kind: str
    now: Now
    started_at: datetime
    updated_at: datetime


# The hint is for streams that show sources; entries are written at most twice a second.
_WRITE = """
    WITH written AS (
        INSERT INTO live_status AS held (key, owner, kind, value, expires_at)
        VALUES ($1, $2, $3, $4::text::jsonb, now() + make_interval(secs => $5))
        ON CONFLICT (key) DO UPDATE
           SET owner = excluded.owner, kind = excluded.kind, value = excluded.value,
               started_at = CASE WHEN held.owner = excluded.owner THEN held.started_at ELSE now() END,
               updated_at = now(), expires_at = excluded.expires_at
         WHERE $6 OR held.owner = excluded.owner OR held.expires_at <= now()
        RETURNING key
    )
    SELECT pg_notify('sources', key) FROM written
"""

_REMOVE = """
    WITH removed AS (DELETE FROM live_status WHERE key = $1 AND owner = $2 RETURNING key)
    SELECT pg_notify('sources', key) FROM removed
"""

_READ = """
    SELECT key, kind, value::text AS value, started_at, updated_at
      FROM live_status WHERE expires_at > now() AND ($1::text IS NULL OR kind = $1)
  ORDER BY started_at, key
"""

_REAP = "DELETE FROM live_status WHERE expires_at <= now()"


class LiveStatus:
    """An entry while its guard is open."""

    def __init__(self, pool: Pool, key: str, kind: str, pace: Pace) -> None:
        self._pool = pool
        self._key = key
        self._kind = kind
        self._pace = pace
        self._owner: UUID = uuid4()
        self._now = Now()
        self._changed = asyncio.Event()
        self._written = False

    async def update(
        self,
        *,
        phase: str = "running",
        text: str | None = None,
        done: int | None = None,
        total: int | None = None,
    ) -> None:
        """Say how far things are. Never waits for the database; only the latest word is written."""
        shown = None if text is None else text.replace("\x00", " ")
        self._now = Now(phase=phase, text=shown, done=done, total=total)
        self._changed.set()

    async def publish(self) -> None:
        """Keep the entry up to date and alive until cancelled."""
        await asyncio.sleep(self._pace.after)
        while True:
            self._changed.clear()
            try:
                await self._write()
            except TROUBLE as error:
                # It is for people who watch; the work goes on without it.
                log.debug("live status not written", key=self._key, error=str(error))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._pace.ttl / 3):
                    await self._changed.wait()
            await asyncio.sleep(self._pace.every)

    async def _write(self) -> None:
        value = msgspec.json.encode(self._now).decode("utf-8", "replace")
        first = not self._written
        # Set before the statement: one that is cut off may have been carried out.
        self._written = True
        async with self._pool.acquire() as db:
            await db.execute(_WRITE, self._key, self._owner, self._kind, value, self._pace.ttl, first)

    async def remove(self) -> None:
        """Take the entry away, unless a newer one stands in its place."""
        if not self._written:
            return
        try:
            async with asyncio.timeout(_FAREWELL_SECONDS), self._pool.acquire() as db:
                await db.execute(_REMOVE, self._key, self._owner)
        except TROUBLE as error:
            log.debug("live status not removed; it expires", key=self._key, error=str(error))


@contextlib.asynccontextmanager
async def report(pool: Pool, key: str, *, kind: str, pace: Pace | None = None) -> AsyncIterator[LiveStatus]:
    """Show work under `key` while the block runs, once it takes longer than `pace.after`."""
    status = LiveStatus(pool, key, kind, pace or Pace())
    publisher = asyncio.create_task(status.publish(), name=f"live status {key}")
    try:
        yield status
    finally:
        # Shielded: the guard must also clean up when it is left by cancellation.
        await asyncio.shield(_close(publisher, status))


async def _close(publisher: "asyncio.Task[None]", status: LiveStatus) -> None:
    # More than once if need be: a cancellation that meets the end of a database call can get lost.
    while not publisher.done():
        publisher.cancel()
        await asyncio.wait([publisher], timeout=1.0)
    await status.remove()


async def read(db: "Connection | Pool", *, kind: str | None = None) -> list[Live]:
    """Everything that is going on, oldest first; entries of dead processes are left out."""
    return [
        Live(
            key=record["key"],
            kind=record["kind"],
            now=msgspec.json.decode(record["value"], type=Now),
            started_at=record["started_at"],
            updated_at=record["updated_at"],
        )
        for record in await db.fetch(_READ, kind)
    ]


async def reap(db: "Connection | Pool") -> int:
    """Delete the entries that dead processes left; returns how many."""
    return int((await db.execute(_REAP)).split()[-1])
