"""A connection for the time of one command."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from orihon.cli.output import say
from orihon.config import Settings, load
from orihon.db.migrate import require_current
from orihon.db.pool import Connection, Pool, open_pool
from orihon.db.server import database, reach


@asynccontextmanager
async def connected(doing: str, settings: Settings | None = None) -> AsyncIterator[Connection]:
    """A connection to the database of this installation, whether or not Orihon runs.

    Raises:
        ConfigError, DatabaseError: in words.
    """
    async with database(settings or load(), doing=f"orihon {doing}", say=say) as dsn:
        db = await reach(dsn)
        try:
            await require_current(db)
            yield db
        finally:
            await db.close()


@asynccontextmanager
async def pooled(doing: str, settings: Settings) -> AsyncIterator[Pool]:
    """The same as a pool, for what works in several transactions."""
    async with database(settings, doing=f"orihon {doing}", say=say) as dsn:
        pool = await open_pool(dsn, size=4)
        try:
            async with pool.acquire() as db:
                await require_current(db)
            yield pool
        finally:
            await pool.close()
