"""The whole of Orihon in real processes, started again whenever the supervisor dies, as a service manager does."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import psutil
from tests.support.serving import is_called

from orihon.db.pool import TROUBLE, connect
from orihon.db.server import running

SCRIPT = Path(__file__).with_name("chaos_serve.py")

_BUSY = "SELECT count(*) FROM jobs WHERE state IN ('pending', 'running') AND lane <> 'maintenance'"


class Kept:
    """A `serve` with a web process, two workers and PostgreSQL."""

    def __init__(self, data: Path, **settings: str) -> None:
        self.data = data
        self.log = data.parent / "serve.log"
        self.starts = 0
        self._settings = {"ORIHON_DATA": str(data), "ORIHON_DRAIN_SECONDS": "1", **settings}
        self._process: asyncio.subprocess.Process | None = None

    async def keep(self) -> None:
        """Run it, for ever."""
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        while True:
            with self.log.open("ab") as log:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-P", str(SCRIPT), env=environment | self._settings, stdout=log, stderr=log,
                    start_new_session=True,
                )  # fmt: skip
            self.starts += 1
            await self._process.wait()

    async def stop(self) -> None:
        """Stop it in order."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGTERM)
            await self._process.wait()

    def living(self) -> dict[str, int]:
        """Process ids of what lives now, by role."""
        if self._process is None or self._process.returncode is not None:
            return {}
        found = {"supervisor 1": self._process.pid}
        with contextlib.suppress(psutil.Error):
            children = psutil.Process(self._process.pid).children()
            for name in ("web", "worker", "postgres"):
                pids = [child.pid for child in children if is_called(child, name)]
                found |= {f"{name} {number}": pid for number, pid in enumerate(pids, start=1)}
        return found

    @asynccontextmanager
    async def database(self) -> AsyncIterator["asyncpg.Connection[asyncpg.Record]"]:
        """A connection of one's own; there may be no database at this moment.

        Raises:
            TROUBLE: there is none, or it went away.
        """
        dsn = await running(self.data / "postgres")
        if dsn is None:
            raise ConnectionError("no database runs")
        async with asyncio.timeout(10):
            db = await connect(dsn)
        try:
            yield db
        finally:
            db.terminate()

    async def quiet(self) -> bool:
        """Whether nothing is left to do. What waits for its next attempt gets it now."""
        try:
            async with self.database() as db:
                await db.execute("UPDATE jobs SET scheduled_at = now() WHERE state = 'pending' AND attempts > 0")
                return bool(await db.fetchval("SELECT count(*) FROM works")) and not await db.fetchval(_BUSY)
        except TROUBLE:
            return False

    def output(self) -> str:
        """What it said so far."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""


@asynccontextmanager
async def kept(data: Path, **settings: str) -> AsyncIterator[Kept]:
    """Keep it running until the block ends."""
    made = Kept(data, **settings)
    keeping = asyncio.create_task(made.keep())
    try:
        yield made
    finally:
        keeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await keeping
        await made.stop()
