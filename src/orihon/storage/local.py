"""The store on a local disk.

A file is written under a temporary name in `staging/`, flushed to the disk, and renamed into its place, so that a key
either names whole bytes or nothing. Staging and store lie on one file system: a rename between two would be a copy.
"""

import asyncio
import fcntl
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self
from uuid import uuid4

from orihon.storage.errors import BadKey, StorageError, in_words

AREA = "media"
"""The folder below the data directory that keys lead into; everything else there is none of the store's business."""

_KEY = re.compile(rf"{AREA}(/[a-z0-9][a-z0-9_-]*)*(\.[a-z0-9]{{1,8}})?")
_LONGEST_KEY = 200


def checked(key: str) -> str:
    """A key that names a place in the store: lower-case words, digits and slashes, and one ending.

    Raises:
        BadKey: anything else, so that no key can lead out of the store.
    """
    if len(key) > _LONGEST_KEY or _KEY.fullmatch(key) is None:
        raise BadKey(f"{key[:80]!r} is no storage key. Keys are made by the program; this one did not come from it.")
    return key


class Kept(NamedTuple):
    """A file of the store: its key, bytes, and when it was written (seconds since 1970)."""

    key: str
    size: int
    written: float


class Staged:
    """A file that is being written. Discard it on every path that does not keep it; discarding twice does no harm.

    Its lock tells those who clear leftovers that somebody is still at it, however slowly.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self._flushed = False
        with in_words("opening a temporary file"):
            # Unbuffered: chunks come in large pieces, and a write is all that may fail for want of space.
            self._file = path.open("xb", buffering=0)
            # A file system without locks leaves only the file's age to go by.
            with suppress(OSError):
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def write(self, chunk: bytes) -> None:
        """Append bytes: into the page cache, which takes microseconds.

        Raises:
            StorageFull: no room; the file is gone.
        """
        try:
            with in_words("writing a download"):
                view = memoryview(chunk)
                while view:
                    view = view[self._file.write(view) :]
        except StorageError:
            self.discard()
            raise
        self.size += len(chunk)
        self._flushed = False

    def flush(self) -> None:
        """Bring the bytes to the disk, if they are not there yet."""
        if not self._flushed:
            with in_words("flushing a download"):
                os.fsync(self._file.fileno())
            self._flushed = True

    def release(self) -> None:
        """Let go of the file, wherever it is by now."""
        self._file.close()

    def discard(self) -> None:
        """Remove what was written, unless it was kept."""
        self.release()
        self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()


class LocalStorage:
    """Bytes by key below one data directory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._staging = root / "staging"
        # Folders whose names are on the disk. One that exists need not be: whoever made it may not have flushed it yet.
        self._durable = {root}
        with in_words("making the data directory"):
            self._staging.mkdir(parents=True, exist_ok=True)

    def stage(self) -> Staged:
        """Open a temporary file. Its name is random, so that two downloads never share one."""
        return Staged(self._staging / uuid4().hex)

    def path(self, key: str) -> Path:
        """Where a key's bytes are, or would be."""
        return self.root / checked(key)

    async def keep(self, staged: Staged, key: str) -> None:
        """Put a staged file in its place; on disk when this returns. Keeping equal bytes again changes nothing.

        Raises:
            StorageFull, StorageError: nothing is left behind.
        """
        await self.keep_all([(staged, key)])

    async def keep_all(self, files: Sequence[tuple[Staged, str]]) -> None:
        """Put staged files in their places: all on disk when this returns, and cheaper than one after the other.

        Raises:
            StorageFull, StorageError: nothing is left in staging; those that had found their places stay there.
        """
        await asyncio.to_thread(self._keep, [(staged, self.path(key)) for staged, key in files])

    def _keep(self, files: Sequence[tuple[Staged, Path]]) -> None:
        try:
            for staged, _ in files:
                staged.flush()
            with in_words("keeping a download"):
                for staged, target in files:
                    target.parent.mkdir(parents=True, exist_ok=True)
                    staged.path.replace(target)
                self._make_durable({target.parent for _, target in files})
            for staged, _ in files:
                staged.release()
        except StorageError:
            for staged, _ in files:
                staged.discard()
            raise

    def _make_durable(self, folders: set[Path]) -> None:
        """Flush the names in folders, and their own names in those above, where that was not done before.

        All after the renames: a journal commits them and new folders at once, so that the further flushes find no
        work.
        """
        for folder in folders:
            _flush(folder)
        while new := {folder for folder in folders if folder not in self._durable}:
            above = {folder.parent for folder in new}
            for folder in above:
                _flush(folder)
            self._durable.update(new)
            folders = above

    async def exists(self, key: str) -> bool:
        """Whether a key names bytes.

        Raises:
            StorageError: the disk does not say.
        """
        path = self.path(key)

        def look() -> bool:
            with in_words("looking for a file"):
                return path.is_file()

        return await asyncio.to_thread(look)

    async def missing(self, keys: list[str]) -> list[str]:
        """Those of some keys that name no bytes."""
        paths = [(key, self.path(key)) for key in keys]
        return await asyncio.to_thread(lambda: [key for key, path in paths if not path.is_file()])

    async def delete(self, key: str) -> bool:
        """Remove a key's bytes; whether there were any."""
        return await asyncio.to_thread(self.remove, key)

    def remove(self, key: str) -> bool:
        """The same for those who are in a thread already."""
        path = self.path(key)
        with in_words("removing a file"):
            try:
                path.unlink()
            except FileNotFoundError:
                return False
        return True

    def kept(self, prefix: str = AREA) -> Iterator[Kept]:
        """Every file below a folder, but for strangers that no key can name and files that vanish meanwhile."""
        for folder, folders, names in os.walk(self.root / checked(prefix)):
            folders.sort()
            for name in names:
                path = Path(folder, name)
                key = path.relative_to(self.root).as_posix()
                if _KEY.fullmatch(key) is None:
                    continue
                try:
                    facts = path.stat()
                except FileNotFoundError:
                    continue
                yield Kept(key, facts.st_size, facts.st_mtime)

    def clear_staging(self, older_than: float, *, now: float | None = None) -> int:
        """Remove leftovers of processes that are gone, untouched for `older_than` seconds; returns how many.

        One that a living process still writes is left, whatever its age.
        """
        limit = (time.time() if now is None else now) - older_than
        removed = 0
        for path in self._staging.iterdir():
            with suppress(FileNotFoundError, BlockingIOError):
                if path.stat().st_mtime < limit:
                    with path.open("rb") as file:
                        _seize(file.fileno())
                        path.unlink()
                    removed += 1
        return removed


def _seize(descriptor: int) -> None:
    """Take a file's lock.

    Raises:
        BlockingIOError: its writer lives.
    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        # No locks on this file system: its age has to do.
        return


def _flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
