"""Thumbnails: made when first asked for, kept in a cache that may be deleted at any time.

Widths, formats and fallbacks: public-api-auth section 7 with DESIGN ruling 2.
"""

import asyncio
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Literal
from uuid import uuid4

from orihon.media.decoder import Damaged, DecoderPool, DecoderUnavailable
from orihon.media.errors import MediaError
from orihon.media.sniff import Format

WIDTHS = (160, 320, 480, 640, 960)

Output = Literal["webp", "jpeg"]

EXTENSIONS: dict[Output, str] = {"webp": "webp", "jpeg": "jpg"}

_WEBP_TALLEST = 16383
_WEIGHT = re.compile(r"[01](\.\d{0,3})?")
_LONGEST_NUMBER = 10
_KEEP_SHARE = 0.9


class NoThumbnail(MediaError):
    """No thumbnail can be made, for good or at present; the original is served as it is."""


def snap(text: str | None) -> int | None:
    """The thumbnail width for what a client asked, snapped up; None for the original.

    Junk, zero and negative numbers mean the original; more than the largest width means the largest.
    """
    stripped = (text or "").strip()
    if not stripped.isascii() or not stripped.isdigit() or len(stripped) > _LONGEST_NUMBER:
        return None
    asked = int(stripped)
    if not 0 < asked < 2**32:
        return None
    return next((width for width in WIDTHS if width >= asked), WIDTHS[-1])


def negotiate(accept: str) -> Output:
    """WebP for clients that name it in `Accept` and like it no less than JPEG, JPEG for all others (RFC 9110 12.5.1).

    A wildcard is no promise of WebP: old clients send `*/*` and cannot show it.
    """
    weights = {}
    for entry in accept.lower().split(","):
        kind, *parameters = (part.strip() for part in entry.split(";"))
        weights[kind] = _weight(parameters)
    webp = weights.get("image/webp", 0.0)
    jpeg = next((weights[kind] for kind in ("image/jpeg", "image/*", "*/*") if kind in weights), 0.0)
    return "webp" if webp > 0 and webp >= jpeg else "jpeg"


def _weight(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q" and _WEIGHT.fullmatch(value.strip()):
            return float(value)
    return 1.0


def height_at(width: int, size: tuple[int, int]) -> int:
    """Height of a thumbnail of an image of this size."""
    return size[1] if width >= size[0] else round(size[1] * width / size[0])


class Thumbnails:
    """The cache of thumbnails below a folder, at most `most_bytes` large, give or take what arrives at once."""

    def __init__(self, folder: Path, decoder: DecoderPool, *, most_bytes: int) -> None:
        self._folder = folder
        self._decoder = decoder
        self._most_bytes = most_bytes
        self._making: dict[Path, asyncio.Task[Path]] = {}
        self._size: int | None = None
        self._counting = asyncio.Lock()

    def path(self, sha256: str, width: int, output: Output) -> Path:
        """Where a thumbnail is kept, or would be."""
        return self._folder / sha256[:2] / sha256[2:4] / sha256 / f"w{width}.{EXTENSIONS[output]}"

    async def get(
        self,
        sha256: str,
        original: Path,
        kind: Format,
        *,
        width: int,
        output: Output,
        size: tuple[int, int] | None = None,
    ) -> tuple[Path, Output]:
        """A thumbnail's file and format, made now if it is not there; asked for twice at once it is made once.

        A strip that is taller than WebP can hold (`size` in pixels tells) comes as JPEG.

        Raises:
            NoThumbnail: the original cannot be decoded, or there is no room for a copy.
        """
        if output == "webp" and size is not None and height_at(width, size) > _WEBP_TALLEST:
            output = "jpeg"
        target = self.path(sha256, width, output)
        if await asyncio.to_thread(_is_held, target):
            return target, output
        task = self._making.get(target)
        if task is None:
            task = asyncio.create_task(self._make(original, kind, width, output, target))
            self._making[target] = task
            task.add_done_callback(lambda done: self._made(target, done))
        # One that goes away must not spoil it for the others.
        return await asyncio.shield(task), output

    def _made(self, target: Path, done: "asyncio.Task[Path]") -> None:
        del self._making[target]
        # All who asked may be gone; then nobody else takes note of the error.
        if not done.cancelled():
            done.exception()

    async def _make(self, original: Path, kind: Format, width: int, output: Output, target: Path) -> Path:
        draft = target.with_name(f".{uuid4().hex}.{EXTENSIONS[output]}")
        try:
            await asyncio.to_thread(target.parent.mkdir, parents=True, exist_ok=True)
            answer = await self._decoder.thumbnail(original, kind, width=width, output=output, target=draft)
            if isinstance(answer, Damaged):
                raise NoThumbnail(answer.reason)
            made = draft.stat().st_size
            draft.replace(target)
        except DecoderUnavailable as error:
            raise NoThumbnail(str(error)) from error
        except FileNotFoundError as error:
            raise NoThumbnail("The cache was emptied at this moment; ask again.") from error
        except OSError as error:
            raise NoThumbnail(f"The thumbnail could not be kept: {error.strerror or error}.") from error
        finally:
            with suppress(OSError):
                draft.unlink(missing_ok=True)
        await self._grow(made)
        return target

    async def _grow(self, made: int) -> None:
        async with self._counting:
            if self._size is None:
                self._size = await asyncio.to_thread(self._measure)
            else:
                self._size += made
            if self._size > self._most_bytes:
                self._size = await asyncio.to_thread(self._shrink)

    def _measure(self) -> int:
        return sum(facts.st_size for _, facts in self._files())

    def _shrink(self) -> int:
        """Remove what was not read for longest until a tenth is free; returns what is left."""
        files = sorted(self._files(), key=lambda file: max(file[1].st_atime, file[1].st_mtime))
        total = sum(facts.st_size for _, facts in files)
        for path, facts in files:
            if total <= self._most_bytes * _KEEP_SHARE:
                break
            path.unlink(missing_ok=True)
            with suppress(OSError):
                path.parent.rmdir()
            total -= facts.st_size
        return total

    def _files(self) -> Iterator[tuple[Path, os.stat_result]]:
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = Path(folder, name)
                try:
                    yield path, path.stat()
                except FileNotFoundError:
                    continue


def _is_held(thumbnail: Path) -> bool:
    """An empty file is what a power cut leaves of one: the cache is not flushed, since it can be made again."""
    try:
        return thumbnail.stat().st_size > 0
    except OSError:
        return False
