"""Real images as works: what `--with DIR` adds to the catalogue.

Each sub-folder with images is a work; its own sub-folders are chapters, or else its images are the only one. Names sort
as people count (`2.jpg` before `10.jpg`). A file is an image by its content. A `work.toml` in the folder of a work may
say `title`, `direction` (`ltr`, `rtl`, `vertical`), `author` and `description`; without it the title is the folder's
name, and the direction a guess from the images: very tall ones scroll, pages scanned in shades of grey are taken for
manga (right to left), the rest reads left to right.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Annotated

import msgspec
from PIL import Image as Pillow
from PIL import UnidentifiedImageError

from orihon.samplesite.catalogue import Chapter, Image, OnDisk, Work, chapter_key
from orihon.samplesite.series import Direction

_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
_TALL = 2.5
"""From this ratio of height to width on, an image is a strip and not a page; a double-length page has about 2.2."""


class BadFolder(Exception):
    """The folder, or a `work.toml` in it, cannot be used. The text says which and why."""


class About(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `work.toml`."""

    title: Annotated[str, msgspec.Meta(min_length=1)] | None = None
    direction: Direction | None = None
    author: str | None = None
    description: str | None = None


class _Found(msgspec.Struct, frozen=True):
    image: OnDisk
    grey: bool
    modified: float


def works(folder: Path) -> list[Work]:
    """The works of a folder, in the order of their names. Sub-folders without images are passed over.

    Raises:
        BadFolder: there is no such folder, or a `work.toml` says something unknown.
    """
    if not folder.is_dir():
        raise BadFolder(f"{folder} is not a folder. --with takes one that holds a sub-folder of images for each work.")
    root = folder.resolve()
    return [work for sub in _folders(root) if (work := _work(sub, root)) is not None]


def natural(name: str) -> list[tuple[int, int, str]]:
    """A sort key under which numbers inside names count: page2 comes before page10."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"(\d+)", name.casefold())]


def _work(folder: Path, root: Path) -> Work | None:
    about = _about(folder)
    groups: list[tuple[str | None, Sequence[_Found]]] = [
        (sub.name, found) for sub in _folders(folder) if (found := _images(sub, root))
    ]
    own = _images(folder, root)
    if own:
        groups.insert(0, (None, own))
    if not groups:
        return None
    every = [found for _, group in groups for found in group]
    updated = datetime.fromtimestamp(int(max(found.modified for found in every)), UTC)
    slug = _slug(folder.name)
    return Work(
        slug=slug,
        title=about.title or folder.name,
        updated=updated,
        authors=(about.author,) if about.author else (),
        direction=about.direction or guess_direction(every),
        description=about.description,
        cover=every[0].image,
        chapters=[
            _chapter(slug, number, name, found, updated)
            for number, (name, found) in reversed(list(enumerate(groups, start=1)))
        ],
    )


def _chapter(slug: str, number: int, name: str | None, found: Sequence[_Found], updated: datetime) -> Chapter:
    pages: list[Image] = [one.image for one in found]
    return Chapter(
        key=chapter_key("folder", slug, name),
        number=Decimal(number),
        title=name,
        uploader="A folder",
        uploaded=updated - timedelta(days=7) + timedelta(minutes=number),
        pages=pages,
    )


def guess_direction(found: Sequence[_Found]) -> Direction:
    """How a work reads, judged by what most of its images look like."""
    most = len(found) / 2
    if sum(one.image.height >= _TALL * one.image.width for one in found) > most:
        return "vertical"
    return "rtl" if sum(one.grey for one in found) > most else "ltr"


def _about(folder: Path) -> About:
    path = folder / "work.toml"
    if not path.is_file():
        return About()
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), About)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, msgspec.ValidationError) as error:
        raise BadFolder(f"{path}: {error}. It may say title, direction, author and description.") from error


def _folders(folder: Path) -> Iterator[Path]:
    # A link may lead out of the folder, or round in circles.
    for path in sorted(folder.iterdir(), key=lambda path: natural(path.name)):
        if path.is_dir() and not path.is_symlink() and not path.name.startswith("."):
            yield path


def _images(folder: Path, root: Path) -> Sequence[_Found]:
    names = sorted((path for path in folder.iterdir() if path.is_file()), key=lambda path: natural(path.name))
    return [found for path in names if path.resolve().is_relative_to(root) and (found := _image(path)) is not None]


def _image(path: Path) -> _Found | None:
    try:
        with Pillow.open(path, formats=_FORMATS) as opened:
            kind, (width, height), grey = opened.format or "", opened.size, opened.mode in ("1", "L", "LA", "I;16")
    except (UnidentifiedImageError, OSError, ValueError, Pillow.DecompressionBombError):
        return None
    image = OnDisk(path.resolve(), Pillow.MIME[kind], width, height)
    return _Found(image, grey, path.stat().st_mtime)


def _slug(name: str) -> str:
    readable = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    # Names in other scripts, and those that differ only in signs, need something that tells them apart.
    return readable if readable == name else f"{readable or 'work'}-{chapter_key('slug', name)[:4]}"
