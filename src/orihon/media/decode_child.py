"""The decoder process: one request per line in, one answer per line out, under memory and time limits.

Only this process loads libvips, and only the loaders of accepted formats are left enabled (DESIGN ruling 13).
"""

import os
import resource
import sys
from typing import Any

os.environ["VIPS_CONCURRENCY"] = "1"
os.environ["VIPS_BLOCK_UNTRUSTED"] = "1"

import msgspec
import pyvips

from orihon.media.decoder import Answer, Check, Damaged, Request, Seen, Thumbnail

MEMORY = 3 * 1024**3
CPU_SECONDS = 60

_LOADERS = {
    "jpeg": "VipsForeignLoadJpegFile",
    "png": "VipsForeignLoadPngFile",
    "webp": "VipsForeignLoadWebpFile",
    "gif": "VipsForeignLoadNsgifFile",
    "avif": "VipsForeignLoadHeifFile",
}
_LOAD = {
    "jpeg": pyvips.Image.jpegload,
    "png": pyvips.Image.pngload,
    "webp": pyvips.Image.webpload,
    "gif": pyvips.Image.gifload,
    "avif": pyvips.Image.heifload,
}
_HARMLESS = ("extraneous bytes before marker",)
_WHITE = [255, 255, 255]
_TALLEST = 100_000


def _limit() -> None:
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pyvips.operation_block_set("VipsForeignLoad", True)
    for loader in _LOADERS.values():
        pyvips.operation_block_set(loader, False)
    pyvips.cache_set_max(0)


def _allow_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + CPU_SECONDS, hard))


def _check(request: Check) -> Answer:
    # A warning is what a grey corner gives; some warnings are about bytes that no one sees.
    try:
        return _look(request, fail_on="warning")
    except pyvips.Error as error:
        if not any(harmless in str(error) for harmless in _HARMLESS):
            raise
        return _look(request, fail_on="error")


def _look(request: Check, *, fail_on: str) -> Seen:
    image = _LOAD[request.format](request.path, access="sequential", fail_on=fail_on)
    # One pass over every pixel; the small copy tells the colour.
    small = _rgb(image.thumbnail_image(24, height=24, size="force"))
    turned = image.autorot() if request.format != "avif" else image
    return Seen(width=turned.width, height=turned.height, color=_dominant(bytes(small.write_to_memory())))


def _thumbnail(request: Thumbnail) -> Answer:
    image = pyvips.Image.thumbnail(request.path, request.width, height=_TALLEST, size="down", fail_on="error")
    if request.output == "jpeg":
        _rgb(image).jpegsave(request.target, Q=82, keep="none", optimize_coding=True)
    else:
        image.webpsave(request.target, Q=80, keep="none", effort=2)
    return Seen(width=image.width, height=image.height, color=None)


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


def _answer(request: Request) -> Answer:
    _allow_time()
    try:
        return _check(request) if isinstance(request, Check) else _thumbnail(request)
    except pyvips.Error as error:
        detail = " ".join(str(error.detail or error).split())[:200]
        return Damaged(reason=f"The image is damaged: {detail}.")


def main() -> None:
    """Serve requests until standard input ends."""
    _limit()
    decoder = msgspec.json.Decoder(Request)
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(msgspec.json.encode(_answer(decoder.decode(line))) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
