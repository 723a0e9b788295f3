"""What an image of the site is before it is drawn: its size in pixels and its file format."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from orihon.samplesite.catalogue import DrawnCover, DrawnPage, Given, Image, Media, Packed, Swatch
from orihon.samplesite.dice import Dice
from orihon.samplesite.series import series

Format = Literal["jpeg", "png", "webp"]

COVER = (800, 1200)
PAGE = (840, 1230)
STRIP_WIDTH = 690
STRIP_HEIGHTS = (3000, 3400)
SWATCH = (24, 32)

CONTENT_TYPES: Mapping[Format, str] = {"jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp"}
SUFFIXES: Mapping[str, str] = {
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
    "image/gif": "gif",
    "image/avif": "avif",
}


class Sheet(msgspec.Struct, frozen=True):
    """A drawn image's size and format."""

    width: int
    height: int
    format: Format


def sheet(image: DrawnPage | DrawnCover) -> Sheet:
    """The paper on which an image is drawn.

    Nearly all are JPEG, as on real sites; one chapter in nine of the black-and-white works is PNG and one in eleven
    of the rest WebP.
    """
    kind = series(image.series)
    if isinstance(image, DrawnCover):
        return Sheet(*COVER, "jpeg")
    dice = Dice("paper", image.series, image.chapter)
    turn = dice.between(0, 98)
    if kind.direction == "vertical":
        height = Dice("strip", image.series, image.chapter, image.number).between(*STRIP_HEIGHTS)
        return Sheet(STRIP_WIDTH, height, "jpeg")
    return Sheet(*PAGE, ("png" if turn < 11 else "jpeg") if not kind.colour else ("webp" if turn < 9 else "jpeg"))


def size(image: Image) -> tuple[int, int] | None:
    """Width and height of an image, None for bytes that a test put there (they may be no image at all)."""
    if isinstance(image, Given):
        return None
    if isinstance(image, DrawnPage | DrawnCover):
        paper = sheet(image)
        return paper.width, paper.height
    if isinstance(image, Swatch):
        return SWATCH
    return image.width, image.height


def content_type(image: Media) -> str:
    """The media type under which an image or a file is served."""
    if isinstance(image, DrawnPage | DrawnCover):
        return CONTENT_TYPES[sheet(image).format]
    if isinstance(image, Swatch):
        return "image/png"
    if isinstance(image, Packed):
        return "application/zip"
    return image.content_type


def suffix(image: Image) -> str:
    """The ending of an image's address, without the dot."""
    return SUFFIXES.get(content_type(image), "jpg")
