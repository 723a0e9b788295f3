"""The whole program while a disk is full, the database is silent, or a worker is frozen; afterwards all is exact."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from tests.support.outages import finishes_exactly, following, read
from tests.support.serving import answers, free_port
from tests.support.waiting import eventually

from orihon.db.pool import TROUBLE

pytestmark = [pytest.mark.anyio, pytest.mark.chaos]

ROOM = 400 * 1024 * 1024
"""Bytes of the small disk: a new database and its log of changes, and the pictures of the site several times over."""


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's unprivileged user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-outage-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def small_disk(data: Path) -> Iterator[Path]:
    """The data directory on a disk of its own that can be filled."""
    data.mkdir(mode=0o711)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={ROOM},mode=0711", "orihon-test", str(data)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield data
    subprocess.run(["umount", "--lazy", str(data)], check=True)


async def test_a_disk_that_is_full_and_freed_again(small_disk: Path, tmp_path: Path) -> None:
    """The whole data directory, the database's files included."""
    port = free_port()
    ballast = small_disk / "ballast"

    def fill() -> None:
        with ballast.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(1024 * 1024))
        with ballast.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(512))

    async with following(small_disk, tmp_path, port) as (site, orihon):
        await asyncio.to_thread(fill)
        await eventually(lambda: "disk is full" in orihon.output() or "No space left" in _log(small_disk), seconds=60)
        before = site.log.total
        # Long enough to burn five attempts of every job, if attempts were burnt.
        for _ in range(20):
            await asyncio.to_thread(fill)
            await asyncio.sleep(0.5)
            with suppress(*TROUBLE):
                async with orihon.database() as db:
                    assert await db.fetchval("SELECT count(*) FROM jobs WHERE state = 'dead'") == 0
        asked = site.log.total - before
        ballast.unlink()
        await finishes_exactly(site, orihon, small_disk)
        await eventually(lambda: answers(port), seconds=60)
    assert asked < 300, "a worker without room does not go on asking the site"


def _log(data: Path) -> str:
    with suppress(OSError):
        return (data / "postgres" / "postgres.log").read_text(errors="replace")
    return ""


async def test_a_database_that_says_nothing_for_a_while(data: Path, tmp_path: Path) -> None:
    """Stopped, not dead: connections stay open and nobody answers."""
    port = free_port()
    async with following(data, tmp_path, port) as (site, orihon):
        server = psutil.Process(orihon.living()["postgres 1"])
        frozen = [server, *server.children(recursive=True)]
        for process in frozen:
            with suppress(psutil.Error):
                process.suspend()
        try:
            readyz, mangas = await asyncio.gather(read(port, "/readyz"), read(port, "/api/v1/mangas"))
            parts = {role: pid for role, pid in orihon.living().items() if not role.startswith("postgres")}
        finally:
            for process in frozen:
                with suppress(psutil.Error):
                    process.resume()
        assert readyz[0] == mangas[0] == 503
        assert "The database does not answer at the moment" in readyz[1]
        assert "The database does not answer at the moment" in mangas[1]
        await finishes_exactly(site, orihon, data)
        assert {role: pid for role, pid in orihon.living().items() if not role.startswith("postgres")} == parts
        await eventually(lambda: answers(port), seconds=60)


async def test_a_frozen_worker_that_wakes_again_changes_nothing_and_says_so(data: Path, tmp_path: Path) -> None:
    port = free_port()
    async with following(data, tmp_path, port) as (site, orihon):
        zombie = orihon.living()["worker 1"]
        os.kill(zombie, signal.SIGSTOP)
        # Past its lease, and not yet so long that the supervisor takes it for stuck.
        await asyncio.sleep(8)
        os.kill(zombie, signal.SIGCONT)
        await eventually(lambda: "lease lost" in orihon.output(), seconds=20)
        await finishes_exactly(site, orihon, data)
        assert orihon.living()["worker 1"] == zombie


async def test_a_worker_that_is_frozen_for_good_is_replaced(data: Path, tmp_path: Path) -> None:
    port = free_port()
    async with following(data, tmp_path, port) as (site, orihon):
        frozen = [pid for role, pid in orihon.living().items() if role.startswith("worker")]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        await eventually(lambda: orihon.output().count("no sign of life") == len(frozen), seconds=60)
        await finishes_exactly(site, orihon, data)
