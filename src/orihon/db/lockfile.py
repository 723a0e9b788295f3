"""A lock file that names its holder and is free again when that process dies, however it dies."""

import fcntl
import os
from pathlib import Path

import msgspec


class Holder(msgspec.Struct, frozen=True):
    """Who holds a lock: process id, what it is doing in words, and a mark that its children carry."""

    pid: int
    doing: str
    mark: str = ""


class LockHeld(Exception):
    """The lock belongs to another live process, or to one that wrote no name yet (`holder` is None)."""

    def __init__(self, path: Path, holder: Holder | None) -> None:
        super().__init__(f"{path} is locked by {holder}")
        self.path = path
        self.holder = holder


class FileLock:
    """An exclusive `flock` on a file that stays on disk.

    The kernel drops it with the process, so there is nothing stale to judge. The file is never deleted: a second
    process may already wait on it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor: int | None = None

    @property
    def held(self) -> bool:
        """Whether this object holds it."""
        return self._descriptor is not None

    def acquire(self, doing: str, mark: str = "") -> Holder | None:
        """Take the lock at once.

        Returns:
            The holder before us if it died without giving the lock back.

        Raises:
            LockHeld: another process has it.
            OSError: the file cannot be opened.
        """
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            _give_to_owner_of_folder(descriptor, self.path.parent)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            raise LockHeld(self.path, _read(self.path)) from None
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        before = _read(self.path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, msgspec.json.encode(Holder(os.getpid(), doing, mark)), 0)
        return before

    def release(self) -> None:
        """Give the lock back; harmless when it is not held."""
        if self._descriptor is not None:
            os.ftruncate(self._descriptor, 0)
            os.close(self._descriptor)
            self._descriptor = None


def holder(path: Path) -> Holder | None:
    """Who holds the lock now, or None. Takes nothing and changes nothing."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(path) or Holder(0, "starting")
    finally:
        os.close(descriptor)
    return None


def _read(path: Path) -> Holder | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Holder)
    except (OSError, msgspec.DecodeError):
        return None


def _give_to_owner_of_folder(descriptor: int, folder: Path) -> None:
    """Root may run one command on a user's data; the user must be able to open the file afterwards."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.fchown(descriptor, owner.st_uid, owner.st_gid)
