"""The machine's clock is set back by an hour, or ahead by days, under the whole program, running or at rest.

PostgreSQL, the workers and the web process see the same clock (`tests/support/false_clock.py`).
"""

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.false_clock import FalseClock, library
from tests.support.kept import Kept
from tests.support.outages import finishes_exactly, following, spent
from tests.support.serving import answers, free_port
from tests.support.waiting import eventually

from orihon.samplesite.site import SampleSite

pytestmark = [pytest.mark.anyio, pytest.mark.chaos]

GOES_ON = 60
"""Seconds within which work that was due goes on."""

SAYS = "the clock of the database was set back"

# One at a time would hide it: paced hosts wait by the database's clock, too.
PACED = {"CRAWLER_RATE_MS": "20"}


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's unprivileged user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-clock-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def clock(data: Path) -> FalseClock:
    found = library()
    if found is None:
        pytest.skip("libfaketime is not installed (Debian: apt install faketime), so no clock can be set")
    return FalseClock(found, data.parent / "clock")


async def behind(orihon: Kept) -> timedelta:
    """How much earlier the database's clock is than the latest time that workers saw."""
    async with orihon.database() as db:
        found: timedelta = await db.fetchval("SELECT seen - now() FROM clock")
        return found


async def goes_on(site: SampleSite, orihon: Kept) -> None:
    """There was something left to do, and it is done."""
    before = site.log.total
    await eventually(lambda: SAYS in orihon.output() and site.log.total >= before + 40, seconds=GOES_ON)
    assert await spent(orihon) == []


async def test_set_back_while_it_runs(data: Path, clock: FalseClock, tmp_path: Path) -> None:
    port = free_port()
    async with following(data, tmp_path, port, **PACED, **clock.environment) as (site, orihon):
        clock.set("-1h")
        await goes_on(site, orihon)
        await finishes_exactly(site, orihon, data)
        await eventually(lambda: answers(port), seconds=60)
        assert await behind(orihon) < timedelta(seconds=5)


async def test_set_back_while_it_rests(data: Path, clock: FalseClock, tmp_path: Path) -> None:
    """As on a board without a battery: everything is killed, and starts again an hour ago."""
    port = free_port()
    async with following(data, tmp_path, port, **PACED, **clock.environment) as (site, orihon):
        victims = orihon.living()
        clock.set("-1h")
        for pid in victims.values():
            os.kill(pid, signal.SIGKILL)
        await goes_on(site, orihon)
        await finishes_exactly(site, orihon, data)
        await eventually(lambda: answers(port), seconds=60)
        assert await behind(orihon) < timedelta(seconds=5)


async def test_set_ahead_while_it_runs(data: Path, clock: FalseClock, tmp_path: Path) -> None:
    """As by the first NTP of such a board: all leases lapse at once, those of the living, too, and a sweep is due."""
    port = free_port()
    async with following(data, tmp_path, port, **PACED, **clock.environment) as (site, orihon):
        clock.set("+2d")
        await finishes_exactly(site, orihon, data)
        await eventually(lambda: answers(port), seconds=60)
        assert await spent(orihon) == []
        assert SAYS not in orihon.output()
