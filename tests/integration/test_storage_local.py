"""The store on disk: whole bytes or nothing, whatever happens."""

import os
import resource
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from orihon.storage.errors import BadKey, StorageError, StorageFull
from orihon.storage.local import LocalStorage

pytestmark = pytest.mark.anyio

KEY = "media/ab/cd/abcd.jpg"


@pytest.fixture
def storage(tmp_path: Path) -> LocalStorage:
    return LocalStorage(tmp_path)


def left_behind(storage: LocalStorage) -> list[str]:
    return sorted(path.name for path in (storage.root / "staging").iterdir())


async def test_a_kept_file_is_whole_and_leaves_no_draft(storage: LocalStorage) -> None:
    with storage.stage() as staged:
        staged.write(b"one ")
        staged.write(b"two")
        await storage.keep(staged, KEY)
    assert storage.path(KEY).read_bytes() == b"one two"
    assert staged.size == 7
    assert left_behind(storage) == []


async def test_keeping_equal_bytes_again_changes_nothing(storage: LocalStorage) -> None:
    for _ in range(2):
        with storage.stage() as staged:
            staged.write(b"same")
            await storage.keep(staged, KEY)
    assert [kept.key for kept in storage.kept()] == [KEY]


def test_an_error_in_the_middle_leaves_nothing_behind(storage: LocalStorage) -> None:
    with pytest.raises(RuntimeError), storage.stage() as staged:
        staged.write(b"half")
        raise RuntimeError
    assert left_behind(storage) == []


@pytest.mark.parametrize(
    "key",
    [
        "../x", "media/../x", "/etc/passwd", "media//x", "media/x\x00.jpg", "media\\x", "", ".", "Media/x",
        "media/" + "x" * 300, "media/x.jpg/", "media/.hidden", "staging/x", "postgres/data/base", "media.jpg\n",
    ],
)  # fmt: skip
def test_no_key_leads_out_of_the_store(storage: LocalStorage, key: str) -> None:
    with pytest.raises(BadKey):
        storage.path(key)


async def test_deleting_twice_does_no_harm(storage: LocalStorage) -> None:
    with storage.stage() as staged:
        staged.write(b"x")
        await storage.keep(staged, KEY)
    assert await storage.delete(KEY) is True
    assert await storage.delete(KEY) is False


def test_old_leftovers_are_cleared_and_young_ones_left_alone(storage: LocalStorage) -> None:
    for name, age in (("old", 7200), ("young", 0)):
        path = storage.root / "staging" / name
        path.write_bytes(b"of a process that is gone")
        os.utime(path, (0, time.time() - age))
    assert storage.clear_staging(3600) == 1
    assert left_behind(storage) == ["young"]


async def test_a_download_that_still_runs_is_no_leftover_however_old_it_is(storage: LocalStorage) -> None:
    with storage.stage() as staged:
        staged.write(b"slow ")
        os.utime(staged.path, (0, 0))
        assert LocalStorage(storage.root).clear_staging(3600) == 0
        staged.write(b"but sure")
        await storage.keep(staged, KEY)
    assert storage.path(KEY).read_bytes() == b"slow but sure"


async def test_two_file_systems_are_named_as_the_reason(small_disk: Path, tmp_path: Path) -> None:
    """A rename cannot cross from one to the other; the system's own words help nobody."""
    (tmp_path / "media").symlink_to(small_disk)
    storage = LocalStorage(tmp_path)
    with pytest.raises(StorageError, match="two file systems"), storage.stage() as staged:
        staged.write(b"x")
        await storage.keep(staged, KEY)
    assert left_behind(storage) == []


@pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="tells folders by their descriptors, as Linux names them"
)
async def test_a_folder_that_another_made_is_flushed_before_it_is_relied_on(
    storage: LocalStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever made it may have died before its name was on the disk, and the file would go with it."""
    storage.path(KEY).parent.mkdir(parents=True)
    flushed: list[str] = []
    fsync = os.fsync

    def noted(descriptor: int) -> None:
        flushed.append(str(Path(f"/proc/self/fd/{descriptor}").readlink().relative_to(storage.root)))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    for expected in (["media/ab/cd", "media/ab", "media", "."], ["media/ab/cd"]):
        flushed.clear()
        with storage.stage() as staged:
            staged.write(b"x")
            await storage.keep(staged, KEY)
        assert flushed[1:] == expected


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of one megabyte."""
    mount = tmp_path / "small"
    mount.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", mount], check=False, capture_output=True
        ).returncode
    ):
        pytest.skip("needs the right to mount a small file system")
    yield mount
    subprocess.run(["umount", "-l", mount], check=True)


async def test_a_full_disk_is_said_in_words_and_leaves_nothing(small_disk: Path) -> None:
    storage = LocalStorage(small_disk)
    with pytest.raises(StorageFull, match="disk is full"), storage.stage() as staged:
        for _ in range(40):
            staged.write(b"x" * 65536)
    assert left_behind(storage) == []
    with storage.stage() as staged:
        staged.write(b"fits again")
        await storage.keep(staged, KEY)
    assert storage.path(KEY).read_bytes() == b"fits again"


def test_a_file_size_limit_counts_as_a_full_disk(storage: LocalStorage) -> None:
    """Quotas and limits answer with other numbers than a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with pytest.raises(StorageFull), storage.stage() as staged:
            staged.write(b"x" * 2000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert left_behind(storage) == []


@pytest.mark.parametrize("step", ["write", "fsync", "replace", "flush_folder"])
def test_a_kill_between_two_steps_leaves_whole_bytes_or_none(tmp_path: Path, step: str) -> None:
    """A real process is killed as it is about to take each step; a second one does the work again."""
    code = textwrap.dedent("""
        import asyncio, os, signal, sys
        from pathlib import Path
        from orihon.storage import local
        from orihon.storage.local import LocalStorage

        step = sys.argv[2]
        def killed(*_, **__):
            os.kill(os.getpid(), signal.SIGKILL)
        async def main():
            storage = LocalStorage(Path(sys.argv[1]))
            staged = storage.stage()
            if step == "write":
                killed()
            staged.write(b"whole")
            if step == "fsync":
                os.fsync = killed
            if step == "replace":
                Path.replace = killed
            if step == "flush_folder":
                local._flush = killed
            await storage.keep(staged, "media/ab/cd/abcd.jpg")
        asyncio.run(main())
    """)
    for what, code_expected in ((step, -signal.SIGKILL), ("none", 0)):
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path), what], check=False, timeout=30)
        assert done.returncode == code_expected
        kept = tmp_path / KEY
        assert not kept.exists() or kept.read_bytes() == b"whole"
    assert kept.read_bytes() == b"whole"
    LocalStorage(tmp_path).clear_staging(0, now=time.time() + 10)
    assert list((tmp_path / "staging").iterdir()) == []
