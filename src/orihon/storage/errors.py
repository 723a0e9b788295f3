"""What can go wrong with the disk."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager


class StorageError(Exception):
    """Bytes could not be written or read. The text says what to do."""


class StorageFull(StorageError):
    """No room. Nothing half-written is left behind."""


class Vanished(StorageError):
    """A file that was just stored is gone again: a sweep took it before a row named it."""


class BadKey(StorageError):
    """A key that does not name a place in the store."""


# A file size limit (EFBIG) and a quota (EDQUOT) are a full disk to whoever has to make room.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def in_words(doing: str) -> Iterator[None]:
    """Turn the system's errors into ours."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise StorageFull(
                f"The disk is full ({doing}). Free some space or move the data directory; what was not kept "
                "is fetched again by itself."
            ) from error
        if error.errno == errno.EXDEV:
            raise StorageError(
                f"`media` and `staging` lie on two file systems ({doing}), between which a file cannot be renamed. "
                "Put the whole data directory on one of them."
            ) from error
        raise StorageError(
            f"The disk failed ({doing}): {error.strerror or error}. Check the data directory."
        ) from error
