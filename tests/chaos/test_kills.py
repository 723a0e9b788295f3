"""SIGKILL at seeded moments while a site in trouble is crawled; afterwards the library equals the site exactly.

Whatever runs may die: the web process, a worker, the supervisor, PostgreSQL. Meanwhile the site publishes chapters, and
one in twenty of its answers is wrong. `CHAOS_SEED` chooses victims, moments, news and faults; it is printed.
"""

import contextlib
import os
import random
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from aiohttp import ClientSession
from msgspec.structs import replace
from tests.support.exactness import differences
from tests.support.kept import Kept, kept
from tests.support.serving import answers, free_port
from tests.support.waiting import eventually

from orihon.db.pool import TROUBLE, open_pool
from orihon.db.server import running
from orihon.ingest import sources
from orihon.ingest.sources import NewSource
from orihon.samplesite.creators import Creators
from orihon.samplesite.faults import Rule
from orihon.samplesite.site import SampleSite

pytestmark = [pytest.mark.anyio]

SEED = int(os.environ.get("CHAOS_SEED", "20261202"))

FAULTY = 0.05
"""The share of the answers that has a fault in it."""

CREATORS = ("creator-1", "creator-2")

# Those that a reader of the answer can tell. A list from which rows vanished looks like one that never had them.
FAULTS = (
    Rule(fault="too_many_requests", seconds=1),
    Rule(fault="server_error"),
    Rule(fault="hang_up"),
    Rule(fault="slow_body", seconds=1),
    Rule(fault="cut_body"),
    Rule(fault="zero_bytes"),
    Rule(fault="wrong_type"),
    Rule(fault="range_ignored"),
    Rule(fault="html_as_image"),
    Rule(fault="login_redirect"),
    Rule(fault="challenge"),
    Rule(fault="private_redirect"),
    Rule(fault="rows_missing"),
    Rule(fault="missing_cursor"),
    Rule(fault="repeated_cursor"),
    Rule(fault="expired_address"),
)

MOMENT = 3.0
"""Seconds after which a kill comes although the site was not asked for so much: everybody may wait for a dead one."""


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's unprivileged user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-chaos-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


class Chaos:
    """One run: dice, the site and what follows it."""

    def __init__(self, site: SampleSite, orihon: Kept, kills: int) -> None:
        self.site, self.orihon, self.kills = site, orihon, kills
        self.dice = random.Random(SEED)
        self.sources: list[UUID] = []
        self.published = 0
        self.killed = Counter[str]()

    async def follow(self) -> None:
        """Follow the site, once there is a database."""
        await eventually(self._database, seconds=120)
        async with self.orihon.database() as db, db.transaction():
            for new in (
                NewSource(url=self.site.url, settings={"profile": "sample"}, content="all"),
                *(NewSource(url=self.site.feed_url(slug), adapter="sample_feed", content="all") for slug in CREATORS),
            ):
                self.sources.append(await sources.add(db, new))

    async def _database(self) -> bool:
        try:
            async with self.orihon.database() as db:
                return bool(await db.fetchval("SELECT to_regclass('works') IS NOT NULL"))
        except TROUBLE:
            return False

    async def kill(self, number: int) -> None:
        """One kill, after so much work that all of them fall into it."""
        work = sum(3 + len(chapter.pages) for one in self.site.catalogue.works for chapter in one.chapters)
        moment = self.site.log.total + self.dice.randint(1, max(2, 2 * work // self.kills))
        with contextlib.suppress(TimeoutError):
            await eventually(lambda: self.site.log.total >= moment, seconds=MOMENT)
        await eventually(self.orihon.living)
        role, victim = self.dice.choice(sorted(self.orihon.living().items()))
        print(f"kill {number}: {role} ({victim}) after {self.site.log.total} requests", flush=True)
        with contextlib.suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        self.killed[role.split()[0]] += 1

    async def publish(self) -> None:
        """The site gets a chapter, a creator posts and edits, and somebody asks for news."""
        work = self.dice.choice(self.site.catalogue.works).slug
        self.published += 1
        self.site.catalogue.add_chapter(work, number=str(1000 + self.published))
        creator = self.dice.choice(CREATORS)
        self.site.creators.publish(creator, images=2)
        self.site.creators.edit(creator, self.dice.choice(self.site.creators.creator(creator).posts).id)
        await self.look()

    async def look(self) -> None:
        """Ask for walks, if there is a database to ask."""
        with contextlib.suppress(*TROUBLE):
            async with self.orihon.database() as db, db.transaction():
                for source in self.sources:
                    await sources.run_now(db, source)

    async def settle(self) -> None:
        """Wait until all is done, with one look at the site after the last kill."""
        await eventually(self.orihon.quiet, seconds=300)
        await self.look()
        await eventually(self.orihon.quiet, seconds=300)


async def survive(data: Path, folder: Path, *, kills: int, works: int, chapters: int, pages: int) -> None:
    """Crawl a site under so many kills and compare."""
    print(f"CHAOS_SEED={SEED}")
    port = free_port()
    async with (
        SampleSite(
            folder,
            works=works,
            chapters=chapters,
            pages=pages,
            creators=Creators.plain(posts=kills, media=3, creators=len(CREATORS)),
        ) as site,
        kept(
            data, PORT=str(port), ORIHON_PRIVATE_ORIGINS=site.origin, CRAWLER_RATE_MS="0", ORIHON_LEASE_SECONDS="3"
        ) as orihon,
    ):
        site.faults.replace([replace(rule, rate=FAULTY / len(FAULTS)) for rule in FAULTS], seed=SEED)
        chaos = Chaos(site, orihon, kills)
        await chaos.follow()
        await eventually(lambda: site.log.total > 0, seconds=120)
        for number in range(1, kills + 1):
            await chaos.kill(number)
            if chaos.dice.random() < 0.1:
                await chaos.publish()
        given = {rule.fault: times for rule, times in site.faults.given() if times}
        site.faults.clear()
        await chaos.settle()
        print(f"faults: {given}")
        print(f"killed: {dict(chaos.killed)}; supervisor started {orihon.starts} times; {site.log.total} requests")
        async with ClientSession() as session, session.get(f"{site.origin}/manifest.json") as answer:
            manifest = await answer.read()
        dsn = await running(data / "postgres")
        assert dsn is not None
        pool = await open_pool(dsn, size=2)
        try:
            assert await differences(pool, manifest, data) == []
        finally:
            pool.terminate()
        await eventually(lambda: answers(port))


async def test_ten_kills_and_the_library_equals_the_site(data: Path, tmp_path: Path) -> None:
    await survive(data, tmp_path, kills=10, works=5, chapters=5, pages=8)


@pytest.mark.chaos
async def test_a_hundred_kills_and_the_library_equals_the_site(data: Path, tmp_path: Path) -> None:
    await survive(data, tmp_path, kills=100, works=20, chapters=10, pages=15)
