"""PostgreSQL that runs and does not answer: the supervisor notices, says so, and gets it going again."""

import asyncio
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import asyncpg
import pytest
from tests.support.waiting import eventually

from orihon.config import from_environment
from orihon.db import leftovers
from orihon.supervisor.database import Database
from orihon.supervisor.service import keep_alive

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that PostgreSQL's user can get to."""
    made = Path(tempfile.mkdtemp(prefix="orihon-silence-"))
    made.chmod(0o711 if os.geteuid() == 0 else 0o700)
    yield made
    shutil.rmtree(made, ignore_errors=True)


@asynccontextmanager
async def supervised(folder: Path, said: list[str], *options: str) -> AsyncIterator[Database]:
    """A server that is watched while the block runs."""
    settings = from_environment({"ORIHON_DATA": str(folder / "data")})
    database = Database(settings, said.append, most_silent=5.0, ends_within=1.0)
    database.server.options = options
    await database.start()
    watching = asyncio.create_task(keep_alive(database, said.append))
    try:
        yield database
    finally:
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
        await database.stop(10)


def freeze(database: Database) -> None:
    """Stop every process of it."""
    for pid in leftovers.servers(database.server.cluster):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)


async def test_a_server_that_somebody_stopped_is_woken(folder: Path) -> None:
    said: list[str] = []
    async with supervised(folder, said) as database:
        before = database.server.pid
        freeze(database)
        assert not await database.server.answers(1.0)
        await eventually(lambda: "PostgreSQL answers again" in said)
        assert database.server.pid == before, "nothing had to be started again"
        assert await database.server.answers(10.0)
    assert any("does not answer for 5 s" in line for line in said)


async def test_a_server_that_hangs_is_started_again(folder: Path) -> None:
    """Nobody gets in while the roles are locked, and no waking helps."""
    said: list[str] = []
    async with supervised(folder, said) as database:
        hanging = database.server.pid
        held = await asyncpg.connect(database.server.dsn())
        locked = held.transaction()
        await locked.start()
        await held.execute("LOCK TABLE pg_authid IN ACCESS EXCLUSIVE MODE")
        assert not await database.server.answers(1.0)
        await eventually(
            lambda: any("it did not answer for 5 s, so it was stopped" in line for line in said), seconds=40
        )
        await eventually(lambda: database.server.answers(5.0), seconds=40)
        assert database.server.pid != hanging
        held.terminate()


async def test_what_runs_out_of_connections_still_answers(folder: Path) -> None:
    """A refusal comes from a server that lives; killing it would make things worse."""
    few = ("max_connections=4", "superuser_reserved_connections=0", "max_wal_senders=0")
    async with supervised(folder, [], *few) as database:
        held = []
        with suppress(asyncpg.TooManyConnectionsError):
            while True:
                held.append(await asyncpg.connect(database.server.dsn()))
        assert await database.server.answers(10.0)
        for connection in held:
            connection.terminate()


async def test_a_frozen_server_can_be_stopped_at_once(folder: Path) -> None:
    async with supervised(folder, []) as database:
        freeze(database)
        async with asyncio.timeout(10):
            await database.stop(30)
        assert leftovers.servers(database.server.cluster) == {}
