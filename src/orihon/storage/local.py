"""The store on a local disk.

A file is written under a temporary name in `staging/`, flushed to the disk, and renamed into its place, so that a key
either names whole bytes or nothing. Staging and store lie on one file system: a rename between two would be a copy.
"""

import asyncio
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self
from uuid import uuid4

from orihon.storage.errors import BadKey, StorageError, in_words

_KEY = re.compile(r"[a-z0-9][a-z0-9_-]*(/[a-z0-9][a-z0-9_-]*)*(\.[a-z0-9]{1,8})?")
_LONGEST_KEY = 200


def checked(key: str) -> str:
    """A key that names a place in the store: lower-case words, digits and slashes, and one ending.

    Raises:
        BadKey: anything else, so that no key can lead out of the store.
    """
    if len(key) > _LONGEST_KEY or _KEY.fullmatch(key) is None:
        raise BadKey(f"{key[:80]!r} is no storage key. Keys are made by the program; this one did not come from it.")
    return key


class Staged:
    """A file that is being written. Discard it on every path that does not keep it; discarding twice does no harm."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        with in_words("opening a temporary file"):
            # Unbuffered: chunks come in large pieces, and a write is all that may fail for want of space.
            self._file = path.open("xb", buffering=0)

    def write(self, chunk: bytes) -> None:
        """Append bytes.

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

    def flush(self) -> None:
        """Bring the bytes to the disk and close the file."""
        if not self._file.closed:
            with in_words("flushing a download"):
                os.fsync(self._file.fileno())
            self._file.close()

    def discard(self) -> None:
        """Remove what was written, unless it was kept."""
        self._file.close()
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
        await asyncio.to_thread(self._keep, staged, self.path(key))

    def _keep(self, staged: Staged, target: Path) -> None:
        try:
            staged.flush()
            with in_words("keeping a download"):
                _make_folders(target.parent, self.root)
                staged.path.replace(target)
                _sync_folder(target.parent)
        except StorageError:
            staged.discard()
            raise

    async def exists(self, key: str) -> bool:
        """Whether a key names bytes."""
        return await asyncio.to_thread(self.path(key).is_file)

    async def delete(self, key: str) -> bool:
        """Remove a key's bytes; whether there were any."""
        return await asyncio.to_thread(self._delete, self.path(key))

    def _delete(self, target: Path) -> bool:
        with in_words("removing a file"):
            try:
                target.unlink()
            except FileNotFoundError:
                return False
        return True

    def keys(self, prefix: str) -> Iterator[tuple[str, os.stat_result]]:
        """Every key below a folder with its file's facts; files that vanish meanwhile are passed over."""
        for folder, _, names in os.walk(self.root / checked(prefix)):
            for name in names:
                path = Path(folder, name)
                try:
                    yield str(path.relative_to(self.root)), path.stat()
                except FileNotFoundError:
                    continue

    def clear_staging(self, older_than: float, *, now: float | None = None) -> int:
        """Remove leftovers of processes that are gone, untouched for `older_than` seconds; returns how many."""
        limit = (time.time() if now is None else now) - older_than
        removed = 0
        for path in self._staging.iterdir():
            try:
                if path.stat().st_mtime < limit:
                    path.unlink()
                    removed += 1
            except FileNotFoundError:
                continue
        return removed


def _make_folders(folder: Path, root: Path) -> None:
    """Make a folder below the root; each new name is flushed in the folder that holds it."""
    if folder.is_dir():
        return
    _make_folders(folder.parent, root)
    folder.mkdir(exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
