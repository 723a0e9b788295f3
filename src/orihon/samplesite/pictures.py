"""Images as bytes: drawn when first asked for, then kept on disk, so that they never change again.

Exactness checks compare bytes, so a drawn image is written once under a name made from what it shows and the version of
the drawing code, and read from there ever after. Drawing happens in a few threads; two requests for one image draw it
once.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import msgspec

from orihon.samplesite import paper
from orihon.samplesite.catalogue import DrawnCover, DrawnPage, Given, Media, OnDisk, Packed, Swatch
from orihon.samplesite.dice import digest
from orihon.samplesite.drawing import draw
from orihon.samplesite.small import pack, swatch

VERSION = 1
"""Raise this when drawings change: older ones are then no longer served."""


class Picture(msgspec.Struct, frozen=True):
    """The bytes of an image, and what identifies them."""

    body: bytes
    content_type: str
    sha256: str


class Pictures:
    """The images of a site, kept under `folder`."""

    def __init__(self, folder: Path, *, threads: int = 2) -> None:
        self._folder = folder / f"v{VERSION}"
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="drawing")
        self._drawing: dict[Path, asyncio.Future[bytes]] = {}
        self._hashes: dict[Path, str] = {}

    async def get(self, image: Media) -> Picture:
        """The bytes of an image, or of another file.

        Raises:
            OSError: an image of the `--with` folder is gone, or the disk is full.
        """
        if isinstance(image, Given):
            return Picture(image.body, image.content_type, sha256(image.body).hexdigest())
        if isinstance(image, Swatch | Packed):  # Made in less time than a file is opened in.
            body = swatch(image) if isinstance(image, Swatch) else pack(image)
            return Picture(body, paper.content_type(image), sha256(body).hexdigest())
        if isinstance(image, OnDisk):
            body = await self._run(image.path.read_bytes)
            return Picture(body, image.content_type, sha256(body).hexdigest())
        path = self.path(image)
        body = await self._drawn(image, path)
        if path not in self._hashes:
            self._hashes[path] = sha256(body).hexdigest()
        return Picture(body, paper.content_type(image), self._hashes[path])

    def path(self, image: DrawnPage | DrawnCover) -> Path:
        """Where a drawn image is kept."""
        name = f"{digest(type(image).__name__, *msgspec.structs.astuple(image)):016x}"
        return self._folder / name[:2] / f"{name}.{paper.suffix(image)}"

    def close(self) -> None:
        """Let the threads end; images that are being drawn are finished and kept."""
        self._threads.shutdown()

    async def _drawn(self, image: DrawnPage | DrawnCover, path: Path) -> bytes:
        under_way = self._drawing.get(path)
        if under_way is None:
            under_way = asyncio.ensure_future(self._run(lambda: _read_or_draw(image, path)))
            self._drawing[path] = under_way
            under_way.add_done_callback(lambda _: self._drawing.pop(path, None))
        # A client that goes away must not take the drawing from the others who wait for it.
        return await asyncio.shield(under_way)

    async def _run(self, call: Callable[[], bytes]) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)


def _read_or_draw(image: DrawnPage | DrawnCover, path: Path) -> bytes:
    try:
        body = path.read_bytes()
    except FileNotFoundError:
        body = b""
    if body:  # An empty file is what a power cut leaves of one that was not yet on the disk.
        return body
    body = draw(image)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(body)
    temporary.replace(path)
    return body
