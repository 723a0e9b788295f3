"""SIGKILL at seeded moments while a site is crawled; afterwards the library equals the site exactly.

`CHAOS_SEED` chooses the moments and the victims; the seed in use is printed.
"""

import asyncio
import contextlib
import os
import random
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import pytest
from aiohttp import ClientSession
from tests.support.exactness import differences
from tests.support.waiting import eventually

from orihon.config import Settings
from orihon.db import leftovers
from orihon.db.pool import open_pool
from orihon.ingest import sources
from orihon.ingest.sources import NewSource
from orihon.samplesite.site import SampleSite
from orihon.supervisor.supervise import WORKER, Part, Supervisor

pytestmark = [pytest.mark.anyio]

SEED = int(os.environ.get("CHAOS_SEED", "20261202"))


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's unprivileged user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-chaos-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def alive(pid: int) -> bool:
    """Whether a process with this id runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Running:
    """Orihon under chaos: a supervisor with PostgreSQL and two workers."""

    def __init__(self, data: Path, site: SampleSite) -> None:
        self.data = data
        self.dsn = ""
        environment = {
            "ORIHON_DATA": str(data),
            "ORIHON_PRIVATE_ORIGINS": site.origin,
            "CRAWLER_RATE_MS": "0",
            "ORIHON_LEASE_SECONDS": "3",
        }
        self.supervisor = Supervisor(
            Settings(data=data, port=0, private_origins=(site.origin,)),
            parts=(Part("worker 1", WORKER.command), Part("worker 2", WORKER.command)),
            environment=environment,
            prepared=self._follow(site.url),
            longest_pause=0.5,
            ready=lambda _: None,
            say=print,
        )

    def _follow(self, url: str) -> Callable[[str], Awaitable[None]]:
        async def prepared(dsn: str) -> None:
            self.dsn = dsn
            pool = await open_pool(dsn, size=1)
            async with pool.acquire() as db, db.transaction():
                await sources.add(db, NewSource(url=url, settings={"profile": "sample"}, content="all"))
            await pool.close()

        return prepared

    def victims(self) -> list[int]:
        """Processes that may die: the workers and PostgreSQL."""
        children = [child.pid for child in self.supervisor.children if child.pid]
        told = leftovers.postmaster(self.data / "postgres/data")
        return [*children, told.pid] if told and alive(told.pid) else children

    async def quiet(self) -> bool:
        """Whether nothing is left to do."""
        try:
            db = await asyncpg.connect(self.dsn)
        except (OSError, asyncpg.PostgresError):
            return False
        try:
            await db.execute("UPDATE jobs SET scheduled_at = now() WHERE state = 'pending' AND attempts > 0")
            works = await db.fetchval("SELECT count(*) FROM works")
            busy = await db.fetchval(
                "SELECT count(*) FROM jobs WHERE state IN ('pending', 'running') AND lane <> 'maintenance'"
            )
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            return False
        finally:
            db.terminate()
        return bool(works) and busy == 0


@asynccontextmanager
async def running(data: Path, site: SampleSite) -> AsyncIterator[Running]:
    """Serve until the block ends."""
    made = Running(data, site)
    task = asyncio.create_task(made.supervisor.run())
    try:
        yield made
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def survive(data: Path, folder: Path, *, kills: int, works: int, chapters: int, pages: int) -> None:
    """Crawl a site under so many kills and compare."""
    print(f"CHAOS_SEED={SEED}")
    dice = random.Random(SEED)
    async with SampleSite(folder, works=works, chapters=chapters, pages=pages) as site, running(data, site) as orihon:
        await eventually(lambda: site.log.total > 0, seconds=120)
        for number in range(kills):
            # Moments are counted in requests, so that they fall into the work however fast the machine is.
            moment = site.log.total + dice.randint(3, max(4, works * chapters * pages // kills))
            with contextlib.suppress(TimeoutError):
                await eventually(lambda moment=moment: site.log.total >= moment, seconds=8)
            await eventually(orihon.victims)
            victim = dice.choice(orihon.victims())
            print(f"kill {number + 1}: process {victim} after {site.log.total} requests")
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        await eventually(orihon.quiet, seconds=180)
        async with ClientSession() as session, session.get(f"{site.origin}/manifest.json") as answer:
            manifest = await answer.read()
        pool = await open_pool(orihon.dsn, size=2)
        try:
            assert await differences(pool, manifest, data) == []
        finally:
            pool.terminate()


async def test_ten_kills_and_the_library_equals_the_site(data: Path, tmp_path: Path) -> None:
    await survive(data, tmp_path, kills=10, works=5, chapters=5, pages=8)


@pytest.mark.chaos
async def test_a_hundred_kills_and_the_library_equals_the_site(data: Path, tmp_path: Path) -> None:
    await survive(data, tmp_path, kills=100, works=20, chapters=10, pages=15)
