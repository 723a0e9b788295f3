"""What adapters hand over: plain records, no bytes kept, no database, no network of their own."""

from decimal import Decimal
from typing import Literal

import msgspec

Cursor = dict[str, object]
"""Where a listing goes on; the adapter's own JSON object, opaque to everyone else."""

SourceKind = Literal["catalogue", "work", "feed"]
Status = Literal["ongoing", "completed", "hiatus", "cancelled"]
Direction = Literal["ltr", "rtl", "vertical"]


class TitleRef(msgspec.Struct, frozen=True, kw_only=True):
    """A title as a listing names it. `key` identifies it within its source for ever."""

    key: str
    title: str
    url: str


class ListingPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a listing, newest first.

    `next` is None only with positive evidence that the list ends here (DESIGN ruling 14); `dropped` counts
    entries that could not be read (no address or no title), the early sign of changed markup.
    """

    refs: tuple[TitleRef, ...]
    next: Cursor | None
    dropped: int = 0


class ChapterRef(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter as a title's list names it, in the order of that list (newest first)."""

    key: str
    url: str
    number: Decimal | None = None
    title: str | None = None


class Title(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that a title page says.

    `chapters` stand newest first, as listed; `chapters_dropped` counts entries of that list that have no address.
    """

    key: str
    title: str
    url: str
    alt_titles: tuple[str, ...] = ()
    description: str | None = None
    status: Status | None = None
    reading_direction: Direction | None = None
    authors: tuple[str, ...] = ()
    artists: tuple[str, ...] = ()
    genres: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    cover_url: str | None = None
    chapters: tuple[ChapterRef, ...] = ()
    chapters_dropped: int = 0


class PageRef(msgspec.Struct, frozen=True, kw_only=True):
    """Where the image of one page is to be had, and what to send as Referer."""

    number: int
    url: str
    referer: str | None = None
