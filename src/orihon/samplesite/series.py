"""What is known of each sample work before anything is drawn: `series.toml`, checked."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Literal

import msgspec

Colour = tuple[int, int, int]
Direction = Literal["ltr", "rtl", "vertical"]
Status = Literal["Ongoing", "Completed", "Hiatus", "Cancelled"]


class Palette(msgspec.Struct, frozen=True):
    """Five colours from dark to light, and one that stands out."""

    ink: Colour
    deep: Colour
    middle: Colour
    light: Colour
    accent: Colour


class Series(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of `series.toml`."""

    slug: str
    title: str
    latin: str | None = None
    alt: tuple[str, ...]
    authors: tuple[str, ...]
    artists: tuple[str, ...]
    genres: tuple[str, ...]
    tags: tuple[str, ...]
    status: Status | None = None
    direction: Direction
    colour: bool
    palette: tuple[str, str, str, str, str]
    motif: str
    lettering: Literal["amatic", "fredoka", "roboto"]
    cast: tuple[str, str, str]
    places: tuple[str, ...]
    things: tuple[str, ...]
    wants: tuple[str, ...]
    chapters: int
    pages: tuple[int, int]
    decimals: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    shuffled: bool = False
    cover: bool = True
    description: str

    @property
    def colours(self) -> Palette:
        """The palette as RGB."""
        return Palette(*(_rgb(text) for text in self.palette))

    @property
    def lettered(self) -> str:
        """The title in letters that the fonts of the demo have."""
        return self.latin or self.title


def _rgb(text: str) -> Colour:
    return int(text[0:2], 16), int(text[2:4], 16), int(text[4:6], 16)


@cache
def all_series() -> tuple[Series, ...]:
    """Every series, newest update first."""
    document = tomllib.loads(files("orihon.samplesite").joinpath("series.toml").read_text(encoding="utf-8"))
    return tuple(msgspec.convert(document["series"], list[Series]))


@cache
def series(slug: str) -> Series:
    """The series of that name. KeyError if there is none."""
    for one in all_series():
        if one.slug == slug:
            return one
    raise KeyError(slug)
