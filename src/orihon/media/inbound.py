"""Bytes on their way in: written, hashed and, when they are all there, judged."""

import hashlib
from mmap import ACCESS_READ, mmap
from typing import Literal

import msgspec

from orihon.media.errors import MediaError, NotAnImage
from orihon.media.probe import MOST_PIXELS, probe
from orihon.media.sniff import PREFIX, Format, name, sniff
from orihon.storage.local import Staged


class Probed(msgspec.Struct, frozen=True, kw_only=True):
    """What the bytes of a whole image are. `size` in bytes; `width` and `height` in pixels as shown."""

    sha256: bytes
    size: int
    format: Format
    width: int
    height: int
    orientation: int


class Opaque(msgspec.Struct, frozen=True, kw_only=True):
    """A whole file that is no image of an accepted format. It is kept as it is, and nobody looks into it."""

    sha256: bytes
    size: int
    format: Literal["file"] = "file"
    width: None = None
    height: None = None
    orientation: int = 1


Judged = Probed | Opaque
"""What a file of a post may be: some creators attach their pictures."""


class Inbound:
    """Feeds a staged file. The verdict does not depend on how the bytes are cut into chunks."""

    def __init__(self, staged: Staged, *, most_pixels: int = MOST_PIXELS) -> None:
        self._staged = staged
        self._most_pixels = most_pixels
        self._hash = hashlib.sha256()
        self._prefix = b""

    def write(self, chunk: bytes) -> None:
        """Take the next bytes.

        Raises:
            StorageFull, StorageError: they could not be written.
        """
        if len(self._prefix) < PREFIX:
            self._prefix += chunk[: PREFIX - len(self._prefix)]
        self._hash.update(chunk)
        self._staged.write(chunk)

    def finish(self) -> Probed:
        """Judge the whole file.

        Raises:
            MediaError: the bytes are no whole image of an accepted format; the text says what they are.
        """
        found = _format(self._prefix)
        with self._staged.path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            return _probed(data, found, self._hash.digest(), self._most_pixels)

    def finish_file(self) -> Judged:
        """The same for a file that may be anything but nothing.

        Raises:
            NotAnImage: it is empty.
        """
        try:
            return self.finish()
        except MediaError:
            return _opaque(self._hash.digest(), self._staged.size)


def judge(body: bytes, *, most_pixels: int = MOST_PIXELS) -> Probed:
    """Judge a whole file that is in memory, as `Inbound` would.

    Raises:
        MediaError: the bytes are no whole image of an accepted format; the text says what they are.
    """
    return _probed(body, _format(body[:PREFIX]), hashlib.sha256(body).digest(), most_pixels)


def judge_file(body: bytes, *, most_pixels: int = MOST_PIXELS) -> Judged:
    """Judge a whole file that is in memory, as `Inbound.finish_file` would.

    Raises:
        NotAnImage: it is empty.
    """
    try:
        return judge(body, most_pixels=most_pixels)
    except MediaError:
        return _opaque(hashlib.sha256(body).digest(), len(body))


def _opaque(sha256: bytes, size: int) -> Opaque:
    if size == 0:
        raise NotAnImage("nothing")
    return Opaque(sha256=sha256, size=size)


def _format(prefix: bytes) -> Format:
    found = sniff(prefix)
    if found is None:
        raise NotAnImage(name(prefix))
    return found


def _probed(data: bytes | mmap, found: Format, sha256: bytes, most_pixels: int) -> Probed:
    header = probe(data, found, most_pixels=most_pixels)
    return Probed(
        sha256=sha256,
        size=len(data),
        format=found,
        width=header.width,
        height=header.height,
        orientation=header.orientation,
    )
