"""The whole program while a disk is full, the database is silent, or a worker is frozen; afterwards all is exact."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from tests.support.kept import Kept
from tests.support.outages import LARGE, SMALL, finishes_exactly, following, read, spent
from tests.support.serving import answers, free_port
from tests.support.waiting import eventually

from orihon.db.pool import TROUBLE

pytestmark = [pytest.mark.anyio]

ROOM = 400 * 1024 * 1024
"""Bytes of the small disk: a new database and its log of changes, and the pictures of the site several times over."""


@pytest.fixture
def data() -> Iterator[Path]:
    """A data directory that PostgreSQL's unprivileged user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-outage-"))
    folder.chmod(0o711)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


STORE_ROOM = 40 * 1024 * 1024
"""The same for the store alone."""

AWAY = "The database does not answer at the moment"


def others(orihon: Kept) -> dict[str, int]:
    """What lives beside PostgreSQL."""
    return {role: pid for role, pid in orihon.living().items() if not role.startswith("postgres")}


@contextmanager
def disk(folder: Path, room: int) -> Iterator[None]:
    """A disk of its own, of `room` bytes, at `folder`."""
    folder.mkdir(mode=0o711)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={room},mode=0711", "orihon-test", str(folder)],
        check=False, capture_output=True, text=True,
    )  # fmt: skip
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def small_disk(data: Path) -> Iterator[Path]:
    """The data directory on a disk of its own that can be filled."""
    with disk(data, ROOM):
        yield data


@pytest.fixture
def small_store(data: Path) -> Iterator[Path]:
    """The same, with the database's files on a disk that has room."""
    elsewhere = data.with_name("postgres")
    elsewhere.mkdir(mode=0o711)
    with disk(data, STORE_ROOM):
        (data / "postgres").symlink_to(elsewhere)
        yield data


def fill(ballast: Path) -> None:
    """Leave no byte on its disk."""
    for piece in (1024 * 1024, 512):
        with ballast.open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(piece))


async def test_a_store_without_room_says_so_and_goes_on_when_there_is_some(small_store: Path, tmp_path: Path) -> None:
    port = free_port()
    ballast = small_store / "ballast"
    async with following(small_store, tmp_path, port, SMALL) as (site, orihon):
        await asyncio.to_thread(fill, ballast)
        await eventually(lambda: _told(orihon))
        readyz = await read(port, "/readyz")
        mangas = await read(port, "/api/v1/mangas")
        assert await spent(orihon) == []
        ballast.unlink()
        await finishes_exactly(site, orihon, small_store)
        assert await spent(orihon) == []
    assert readyz == (200, '{"status":"ok"}'), "what is held can be read"
    assert mangas[0] == 200


async def _told(orihon: Kept) -> bool:
    """Whether a job that waits says why, and what to do."""
    return any("The disk is full" in reason and "Free" in reason for reason in await _reasons(orihon))


async def _reasons(orihon: Kept) -> list[str]:
    """What jobs that wait say of their last try."""
    async with orihon.database() as db:
        told = await db.fetch("SELECT last_error FROM jobs WHERE state = 'pending' AND last_error IS NOT NULL")
    return [record["last_error"] for record in told]


@pytest.mark.chaos
async def test_a_disk_that_is_full_and_freed_again(small_disk: Path, tmp_path: Path) -> None:
    """The whole data directory, the database's files included."""
    port = free_port()
    ballast = small_disk / "ballast"
    async with following(small_disk, tmp_path, port) as (site, orihon):
        await asyncio.to_thread(fill, ballast)
        await eventually(lambda: "disk is full" in orihon.output() or "No space left" in _log(small_disk), seconds=60)
        before = site.log.total
        # Long enough to burn five attempts of every job, if attempts were burnt.
        for _ in range(20):
            await asyncio.to_thread(fill, ballast)
            await asyncio.sleep(0.5)
            with suppress(*TROUBLE):
                assert [job for job in await spent(orihon) if job["state"] == "dead"] == []
                assert all("is full" in reason for reason in await _reasons(orihon))
        status, body = await read(port, "/readyz")
        assert status == 200 or AWAY in body, "the database reads without room, unless its log of changes found none"
        asked = site.log.total - before
        ballast.unlink()
        await finishes_exactly(site, orihon, small_disk)
        await eventually(lambda: answers(port), seconds=60)
    assert asked < 300, "a worker without room does not go on asking the site"


def _log(data: Path) -> str:
    with suppress(OSError):
        return (data / "postgres" / "postgres.log").read_text(errors="replace")
    return ""


@contextmanager
def kept_from_starting(data: Path) -> Iterator[None]:
    """PostgreSQL cannot read its own files, as when a disk is away."""
    closed = data / "postgres" / "data" / "global"
    mode = closed.stat().st_mode & 0o777
    closed.chmod(0)
    try:
        yield
    finally:
        closed.chmod(mode)


@pytest.mark.parametrize("seconds", [4, pytest.param(60, marks=pytest.mark.chaos)])
async def test_a_database_that_is_gone_for_a_while(data: Path, tmp_path: Path, seconds: int) -> None:
    """Killed, and it cannot start: nobody pays for it, everybody is told, and all goes on by itself."""
    port = free_port()
    async with following(data, tmp_path, port, LARGE if seconds > 10 else SMALL) as (site, orihon):
        parts = others(orihon)
        with kept_from_starting(data):
            os.kill(orihon.living()["postgres 1"], signal.SIGKILL)
            until = asyncio.get_running_loop().time() + seconds
            while asyncio.get_running_loop().time() < until:
                for path in ("/readyz", "/api/v1/mangas"):
                    status, body = await read(port, path)
                    assert status == 503, body
                    assert AWAY in json.loads(body)["error"]["message"]
                await asyncio.sleep(0.2)
        await finishes_exactly(site, orihon, data)
        await eventually(lambda: answers(port), seconds=60)
        assert others(orihon) == parts, "nobody had to be started again for it"
        assert await spent(orihon) == []


def freeze_database(orihon: Kept) -> list[psutil.Process]:
    """Stop every process of it; returns them."""
    server = psutil.Process(orihon.living()["postgres 1"])
    frozen = [server, *server.children(recursive=True)]
    for process in frozen:
        with suppress(psutil.Error):
            process.suspend()
    return frozen


@pytest.mark.chaos
async def test_a_database_that_says_nothing_for_a_while(data: Path, tmp_path: Path) -> None:
    """Stopped, not dead: connections stay open and nobody answers. Shorter than what the supervisor takes for stuck."""
    port = free_port()
    async with following(data, tmp_path, port, ORIHON_LEASE_SECONDS="60") as (site, orihon):
        frozen = freeze_database(orihon)
        try:
            readyz, mangas = await asyncio.gather(read(port, "/readyz"), read(port, "/api/v1/mangas"))
            parts = others(orihon)
        finally:
            for process in frozen:
                with suppress(psutil.Error):
                    process.resume()
        assert readyz[0] == mangas[0] == 503
        assert AWAY in readyz[1]
        assert AWAY in mangas[1]
        await finishes_exactly(site, orihon, data)
        assert others(orihon) == parts
        await eventually(lambda: answers(port), seconds=60)


@pytest.mark.chaos
async def test_a_database_that_says_nothing_for_good_is_woken(data: Path, tmp_path: Path) -> None:
    port = free_port()
    async with following(data, tmp_path, port) as (site, orihon):
        freeze_database(orihon)
        await eventually(lambda: "PostgreSQL answers again" in orihon.output(), seconds=60)
        assert "PostgreSQL does not answer for 15 s" in orihon.output()
        await finishes_exactly(site, orihon, data)
        await eventually(lambda: answers(port), seconds=60)


@pytest.mark.chaos
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


@pytest.mark.chaos
async def test_a_worker_that_is_frozen_for_good_is_replaced(data: Path, tmp_path: Path) -> None:
    port = free_port()
    async with following(data, tmp_path, port) as (site, orihon):
        frozen = [pid for role, pid in orihon.living().items() if role.startswith("worker")]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        await eventually(lambda: orihon.output().count("no sign of life") == len(frozen), seconds=60)
        await finishes_exactly(site, orihon, data)
