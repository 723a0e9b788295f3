"""Images on their way into the store, over real HTTP: held, written, judged, and kept in groups."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web
from msgspec.structs import replace
from tests.support.waiting import eventually

from orihon.config import Settings
from orihon.fetch.client import FetchClient
from orihon.ingest import download
from orihon.ingest.download import BadImage, Batch, Draft, Intake
from orihon.media.inbound import Inbound, judge
from orihon.storage.errors import StorageError
from orihon.storage.local import LocalStorage

pytestmark = pytest.mark.anyio

# The smallest whole GIF.
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)


def picture(number: int, size: int = 300) -> bytes:
    """A whole GIF with a comment of its own."""
    noise = random.Random(number).randbytes(size)
    blocks = b"".join(bytes((len(noise[at : at + 255]),)) + noise[at : at + 255] for at in range(0, size, 255))
    return GIF[:19] + b"!\xfe" + blocks + b"\x00" + GIF[19:]


PICTURES = {f"/{number}.gif": picture(number) for number in range(5)} | {"/long.gif": picture(9, 400_000)}
BODIES = PICTURES | {"/cut.gif": picture(7)[:-1], "/cut-long.gif": picture(8, 400_000)[:-1]}


@pytest.fixture
async def origin() -> AsyncIterator[str]:
    async def answer(request: web.Request) -> web.Response:
        return web.Response(body=BODIES[request.path])

    app = web.Application()
    app.router.add_get("/{name}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
async def fetcher(origin: str, tmp_path: Path) -> AsyncIterator[FetchClient]:
    settings = Settings(data=tmp_path, private_origins=(origin,), fetch_rate_ms=0)
    async with FetchClient(settings) as client:
        yield client


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path)


def left_behind(storage: LocalStorage) -> list[str]:
    return [path.name for path in (storage.root / "staging").iterdir()]


def kept(storage: LocalStorage) -> dict[str, bytes]:
    return {file.key: storage.path(file.key).read_bytes() for file in storage.kept()}


@pytest.fixture
def intake(fetcher: FetchClient, storage: LocalStorage) -> Intake:
    return Intake(fetcher=fetcher, storage=storage, max_bytes=1_000_000, max_file_bytes=1_000_000, pause=0)


async def draft(intake: Intake, url: str) -> Draft:
    return await intake.image(url, referer=None)


@pytest.mark.parametrize("held", [0, 1000, 1_000_000], ids=["all written", "long ones written", "all held"])
async def test_what_is_kept_does_not_depend_on_how_much_was_held(
    origin: str, intake: Intake, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    monkeypatch.setattr(download, "HELD", held)
    for path, body in PICTURES.items():
        arrived = await intake.stored_image(origin + path, referer=None)
        assert arrived.probed == judge(body)
        assert storage.path(arrived.key).read_bytes() == body
    assert left_behind(storage) == []


@pytest.mark.parametrize("held", [1, 10**6], ids=["written on the way", "held whole"])
async def test_the_operator_says_how_many_pixels_an_image_may_have(
    intake: Intake, origin: str, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch, held: int
) -> None:
    monkeypatch.setattr(download, "HELD", held)
    probed = judge(picture(1))
    pixels = probed.width * probed.height
    with pytest.raises(BadImage, match="ORIHON_MAX_IMAGE_PIXELS"):
        await replace(intake, max_pixels=pixels - 1).image(f"{origin}/1.gif", referer=None)
    kept = await replace(intake, max_pixels=pixels).stored_image(f"{origin}/1.gif", referer=None)
    assert kept.probed == probed


@pytest.mark.parametrize("path", ["/cut.gif", "/cut-long.gif"])
async def test_what_is_no_whole_image_leaves_nothing(
    origin: str, intake: Intake, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(download, "HELD", 1000)
    with pytest.raises(BadImage, match="end is missing"):
        await draft(intake, origin + path)
    assert left_behind(storage) == []


def test_bytes_in_memory_get_the_verdict_of_the_file(storage: LocalStorage) -> None:
    with storage.stage() as staged:
        inbound = Inbound(staged)
        inbound.write(picture(1))
        assert inbound.finish() == judge(picture(1))


async def test_a_batch_that_ends_well_has_kept_everything(
    origin: str, intake: Intake, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "GROUP", 2)
    async with Batch(storage) as batch:
        for path in PICTURES:
            await batch.add(await draft(intake, origin + path))
    assert sorted(kept(storage).values()) == sorted(PICTURES.values())
    assert left_behind(storage) == []


async def test_a_batch_that_ends_badly_leaves_no_drafts(origin: str, intake: Intake, storage: LocalStorage) -> None:
    with pytest.raises(BadImage):
        async with Batch(storage) as batch:
            for path in (*PICTURES, "/cut.gif"):
                await batch.add(await draft(intake, origin + path))
    assert left_behind(storage) == []


async def test_a_disk_that_fails_under_a_batch_is_said_and_leaves_no_drafts(
    origin: str, intake: Intake, storage: LocalStorage
) -> None:
    (storage.root / "media").write_text("a file where the store should be")
    with pytest.raises(StorageError):
        async with Batch(storage) as batch:
            for path in PICTURES:
                await batch.add(await draft(intake, origin + path))
    assert left_behind(storage) == []


async def test_a_cancelled_download_leaves_nothing(
    origin: str, intake: Intake, storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread that writes goes on after the cancellation; its file is thrown away when it is done."""
    flushing, go_on = asyncio.Event(), asyncio.Event()
    loop, flush = asyncio.get_running_loop(), os.fsync

    def slow(descriptor: int) -> None:
        loop.call_soon_threadsafe(flushing.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    task = asyncio.create_task(draft(intake, f"{origin}/1.gif"))
    await flushing.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await eventually(lambda: not left_behind(storage))


@pytest.mark.parametrize("step", ["fsync", "replace", "flush_folder"])
@pytest.mark.parametrize("times", [0, 2])
def test_a_kill_inside_a_batch_leaves_whole_bytes_or_none(tmp_path: Path, step: str, times: int) -> None:
    """A real process is killed as it takes a step for the first or the third file; a second one does the work again."""
    code = textwrap.dedent("""
        import asyncio, os, signal, sys
        from pathlib import Path
        from orihon.storage import local

        root, step, left = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])

        def deadly(real):
            def call(*arguments, **named):
                global left
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                left -= 1
                return real(*arguments, **named)
            return call

        async def main():
            storage = local.LocalStorage(root)
            files = []
            for number in range(3):
                staged = storage.stage()
                staged.write(b"whole" * (number + 1))
                files.append((staged, f"media/a{number}/cd/{number}.jpg"))
            if step == "fsync":
                os.fsync = deadly(os.fsync)
            if step == "replace":
                Path.replace = deadly(Path.replace)
            if step == "flush_folder":
                local._flush = deadly(local._flush)
            await storage.keep_all(files)
        asyncio.run(main())
    """)
    for what, expected in ((step, -signal.SIGKILL), ("none", 0)):
        done = subprocess.run([sys.executable, "-c", code, tmp_path, what, str(times)], check=False, timeout=60)
        assert done.returncode == expected
        found = {number: tmp_path / f"media/a{number}/cd/{number}.jpg" for number in range(3)}
        whole = [path.read_bytes() == b"whole" * (number + 1) for number, path in found.items() if path.exists()]
        assert all(whole)
    assert len(whole) == 3
