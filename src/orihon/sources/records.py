"""What adapters hand over: plain records, no bytes kept, no database, no network of their own."""

from datetime import datetime
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


MediumKind = Literal["image", "file"]


class PostMedium(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a post, and where it is to be had for now.

    `key` identifies it within its source for ever; where a platform tells that the bytes behind an address were
    exchanged, the key changes with them. Sizes are what the platform says, which proves nothing.
    """

    key: str
    url: str
    name: str
    kind: MediumKind = "image"
    size: int | None = None
    width: int | None = None
    height: int | None = None
    referer: str | None = None


class Post(msgspec.Struct, frozen=True, kw_only=True):
    """A post of a feed, with its media in the order in which it shows them; no two have one key.

    `url` leads back to it: `FeedAdapter.pages` finds the post by it and the key. The post counts as edited when
    anything but `pinned` and the addresses differs from what is held. `published_at` has a time zone.
    """

    key: str
    url: str
    title: str | None = None
    text: str = ""
    published_at: datetime
    edited_at: datetime | None = None
    pinned: bool = False
    tags: tuple[str, ...] = ()
    media: tuple[PostMedium, ...] = ()

    @property
    def images(self) -> tuple[PostMedium, ...]:
        """Those that are pages: the first is page 1."""
        return tuple(medium for medium in self.media if medium.kind == "image")

    @property
    def files(self) -> tuple[PostMedium, ...]:
        """Those that are attachments."""
        return tuple(medium for medium in self.media if medium.kind == "file")


class PostPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page of a feed, newest first. `next` and `dropped` as in `ListingPage`."""

    posts: tuple[Post, ...]
    next: Cursor | None
    dropped: int = 0
