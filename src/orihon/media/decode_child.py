"""The decoder process: one request per line in, one answer per line out, under memory and time limits.

Only this process loads libvips, and only the loaders of accepted formats are left enabled (DESIGN ruling 13).
"""

import logging
import os
import resource
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["VIPS_CONCURRENCY"] = "1"
os.environ["VIPS_BLOCK_UNTRUSTED"] = "1"

import msgspec
import pyvips

from orihon.media.decoder import Answer, Check, Damaged, Request, Seen, Thumbnail, Undone
from orihon.media.errors import TooManyPixels

MEMORY = 3 * 1024**3
"""Bytes that one image may take, at least; enough for the pixels that are accepted unless told otherwise."""

MEMORY_OF_PIXEL = 13
"""Bytes for each accepted pixel where that is more: twice what a progressive JPEG needs."""

CPU_SECONDS = 40

_LOADERS = {
    "jpeg": "VipsForeignLoadJpegFile",
    "png": "VipsForeignLoadPngFile",
    "webp": "VipsForeignLoadWebpFile",
    "gif": "VipsForeignLoadNsgifFile",
    "avif": "VipsForeignLoadHeifFile",
}
_LOAD: dict[str, Callable[..., Any]] = {
    "jpeg": pyvips.Image.jpegload,
    "png": pyvips.Image.pngload,
    "webp": pyvips.Image.webpload,
    "gif": pyvips.Image.gifload,
    "avif": pyvips.Image.heifload,
}

# Warnings of libjpeg about bytes that no one sees, or about what readers have put up with for thirty years.
_HARMLESS = (
    "extraneous bytes before marker",
    "bad ICC marker",
    "unknown JFIF revision",
    "Unknown Adobe color transform",
    "Invalid SOS parameters",
)

_SHRINK_ON_LOAD = ("jpeg", "webp")
_WHITE = [255, 255, 255]
_PROFILE = "icc-profile-data"
_SWATCH = 24
_PIECE = 1024 * 1024
_TALLEST = 65_500
"""Pixels that a JPEG can be high."""


def _limit(memory: int) -> None:
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    else:
        threading.Thread(target=_watch_memory, args=(memory,), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pyvips.operation_block_set("VipsForeignLoad", True)
    for loader in _LOADERS.values():
        pyvips.operation_block_set(loader, False)
    pyvips.cache_set_max(0)
    # Thousands of lines for one broken picture, which its answer sums up.
    logging.getLogger("pyvips").disabled = True


def _watch_memory(most: int) -> None:
    """End the process when it has grown too large: other systems than Linux do not keep to RLIMIT_AS."""
    unit = 1 if sys.platform == "darwin" else 1024
    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit < most:
        time.sleep(0.05)
    os.abort()


def _allow_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + CPU_SECONDS, hard))


def _check(request: Check) -> Answer:
    # A warning is what a grey corner gives. libjpeg puts only the first of a picture into words, so that one which
    # begins with a harmless warning has the benefit of the doubt.
    try:
        return _look(request, fail_on="warning")
    except pyvips.Error as error:
        if not any(harmless in str(error) for harmless in _HARMLESS):
            raise
        return _look(request, fail_on="error")


def _look(request: Check, *, fail_on: str) -> Seen:
    pyvips.vips_lib.vips_error_clear()
    image = _LOAD[request.format](request.path, access="sequential", fail_on=fail_on)
    # One pass over every pixel; the small copy tells the colour.
    small = _rgb(image.thumbnail_image(_SWATCH, height=_SWATCH, size="force", **_to_srgb(image)))
    pixels = bytes(small.write_to_memory())
    if fail_on == "warning" and (late := _late_warning()):
        raise pyvips.Error("the last rows", late)
    turned = image.autorot() if request.format != "avif" else image
    return Seen(width=turned.width, height=turned.height, color=_dominant(pixels))


def _late_warning() -> str:
    """What libjpeg said while it read the last rows: libvips looks for warnings before each row, and not after it."""
    said: bytes = pyvips.ffi.string(pyvips.vips_lib.vips_error_buffer())
    lines = said.decode(errors="replace").splitlines()
    return " ".join(line for line in lines if line.startswith("VipsJpeg: "))


def _thumbnail(request: Thumbnail) -> Answer:
    image = _shrunk(request)
    if request.output == "jpeg":
        made = _rgb(image).jpegsave_buffer(Q=82, keep="none", optimize_coding=True)
    else:
        made = image.webpsave_buffer(Q=80, keep="none", effort=2)
    # Written here, since a full disk is no damage of the picture.
    Path(request.target).write_bytes(made)
    return Seen(width=image.width, height=image.height, color=None)


def _shrunk(request: Thumbnail) -> Any:
    full = _LOAD[request.format](request.path, access="sequential", fail_on="error")
    size = {"height": _TALLEST, "size": "down", **_to_srgb(full)}
    if request.format in _SHRINK_ON_LOAD:
        return pyvips.Image.thumbnail(request.path, request.width, fail_on="error", **size)
    # By its own loader: libvips knows the still of an AVIF sequence, but not by its first bytes.
    return full.thumbnail_image(request.width, **size)


def _to_srgb(image: Any) -> dict[str, str]:
    """A copy leaves the colour profile behind, so its colours have to be converted; a broken profile is passed over."""
    return {"output_profile": "srgb"} if image.get_typeof(_PROFILE) else {}


def _rgb(image: Any) -> Any:
    if image.hasalpha():
        image = image.flatten(background=_WHITE)
    return image.colourspace("srgb").cast("uchar")


def _dominant(pixels: bytes) -> str:
    """The commonest of 512 coarse colours, as the mean of its pixels."""
    bins: dict[tuple[int, int, int], list[int]] = {}
    for red, green, blue in zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True):
        tally = bins.setdefault((red >> 5, green >> 5, blue >> 5), [0, 0, 0, 0])
        for index, value in enumerate((1, red, green, blue)):
            tally[index] += value
    count, *sums = max(bins.values())
    return "#" + "".join(f"{round(total / count):02x}" for total in sums)


def _judge_size(request: Request, most_pixels: int) -> None:
    image = _LOAD[request.format](request.path, access="sequential")
    if image.width * image.height > most_pixels:
        raise TooManyPixels(image.width, image.height, most_pixels)


def _answer(request: Request, most_pixels: int) -> Answer | Undone:
    _allow_time()
    try:
        for again in (False, True):
            try:
                _judge_size(request, most_pixels)
                return _check(request) if isinstance(request, Check) else _thumbnail(request)
            except pyvips.Error:
                if again:
                    raise
                # A disk that fails looks like a picture that is damaged. If its bytes can be read, only a second look
                # that fails, too, is about the picture.
                _read(Path(request.path))
    except pyvips.Error as error:
        # People read this; where files lie is none of their business.
        detail = " ".join(str(error.detail or error).replace(request.path, "the file").split())[:200]
        return Damaged(reason=f"The image is damaged: {detail}.")
    except TooManyPixels as error:
        return Damaged(reason=str(error))
    except OSError as error:
        return Undone(reason=f"The disk failed while the image was looked at: {error.strerror or error}.")
    raise AssertionError  # the second look returns or raises


def _read(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(_PIECE):
            pass


def main() -> None:
    """Serve requests until standard input ends. The one argument: how many pixels an image may have."""
    most_pixels = int(sys.argv[1])
    _limit(max(MEMORY, MEMORY_OF_PIXEL * most_pixels))
    decoder = msgspec.json.Decoder(Request)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(_answer(decoder.decode(line), most_pixels)) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
