"""A walk over a long list that is killed again and again: it ends complete, and asks for little twice."""

import contextlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.kept import Kept, kept
from tests.support.serving import free_port
from tests.support.waiting import eventually

from orihon.db.pool import TROUBLE
from orihon.ingest import sources
from orihon.ingest.sources import NewSource
from orihon.samplesite.site import SampleSite

pytestmark = [pytest.mark.anyio, pytest.mark.chaos]

TITLES = int(os.environ.get("CHAOS_TITLES", "10000"))
KILLS = 19
"""One after every twentieth of the list."""

MORE = 1.25
"""Requests, beside those of a walk that nobody disturbs."""


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's unprivileged user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-chaos-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


async def held(orihon: Kept) -> int:
    """Titles in the library; 0 while there is no database to ask."""
    try:
        async with orihon.database() as db:
            return int(await db.fetchval("SELECT CASE WHEN to_regclass('works') IS NULL THEN 0 ELSE 1 END")) and int(
                await db.fetchval("SELECT count(*) FROM works")
            )
    except TROUBLE:
        return 0


async def test_a_walk_that_is_killed_every_twentieth_of_its_way_ends_complete(data: Path, tmp_path: Path) -> None:
    async with (
        SampleSite(tmp_path, titles=TITLES) as site,
        kept(
            data,
            PORT=str(free_port()),
            ORIHON_PRIVATE_ORIGINS=site.origin,
            CRAWLER_RATE_MS="0",
            ORIHON_LEASE_SECONDS="3",
        ) as orihon,
    ):
        await eventually(lambda: "ready" in orihon.output(), seconds=120)
        async with orihon.database() as db, db.transaction():
            await sources.add(db, NewSource(url=site.url, settings={"profile": "sample"}, content="on_open"))
        for twentieth in range(1, KILLS + 1):
            share = TITLES * twentieth // (KILLS + 1)
            await eventually(lambda share=share: _at_least(orihon, share), seconds=600)
            # Both, since only one of them walks; what else may die is killed in `test_kills.py`.
            for role, pid in orihon.living().items():
                if role.startswith("worker"):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        await eventually(lambda: _at_least(orihon, TITLES), seconds=600)
        await eventually(orihon.quiet, seconds=300)
        assert await held(orihon) == TITLES
        pages = len(site.log.under("/works/page/")) + 1
        print(f"{site.log.total} requests for {TITLES} titles on {pages} pages, {KILLS} kills")
        assert site.log.total <= MORE * (TITLES + pages)


async def _at_least(orihon: Kept, titles: int) -> bool:
    return await held(orihon) >= titles
