"""A connection for the time of one command."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from orihon.cli.output import say
from orihon.cli.status import CommandFailed
from orihon.config import Settings, load
from orihon.db.migrate import require_current
from orihon.db.pool import Connection, Pool, open_pool
from orihon.db.server import database, reach


def located(settings: Settings) -> Settings:
    """The settings of an installation that has a library. Commands that look at one never make one.

    Raises:
        CommandFailed: there is none in the data directory; the text says where to find or how to start one.
    """
    if settings.database_url is None and not _has_cluster(settings.data):
        raise CommandFailed(_nothing_in(settings.data))
    return settings


def _has_cluster(data: Path) -> bool:
    try:
        return (data / "postgres" / "data").is_dir()
    except OSError:  # closed to us: who opens it says so
        return True


def _nothing_in(data: Path) -> str:
    from orihon.cli.demo import FOLDER, FOLDER_OF_ROOT

    text = (
        f"There is no library in {data.absolute()}, and nothing was made there. "
        "Is it elsewhere? Name its folder: ORIHON_DATA=/its/folder (or a database: DATABASE_URL). "
        "To start one here, run `orihon serve`; elsewhere, `orihon serve --data /a/folder`."
    )
    demos = [folder for folder in (FOLDER, FOLDER_OF_ROOT) if _has_cluster(folder)]
    return text + "".join(f" The demo's library is in ORIHON_DATA={folder.absolute()}." for folder in demos)


@asynccontextmanager
async def connected(doing: str) -> AsyncIterator[Connection]:
    """A connection to the database of this installation, whether or not Orihon runs.

    Raises:
        CommandFailed: there is no library.
        ConfigError, DatabaseError: in words.
    """
    async with database(located(load()), doing=f"orihon {doing}", say=say) as dsn:
        db = await reach(dsn)
        try:
            await require_current(db)
            yield db
        finally:
            await db.close()


@asynccontextmanager
async def pooled(doing: str, settings: Settings) -> AsyncIterator[Pool]:
    """The same as a pool, for what works in several transactions."""
    async with database(located(settings), doing=f"orihon {doing}", say=say) as dsn:
        pool = await open_pool(dsn, size=4)
        try:
            async with pool.acquire() as db:
                await require_current(db)
            yield pool
        finally:
            await pool.close()
