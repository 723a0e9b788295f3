"""The protocol that every adapter speaks, and the errors it may raise.

Adapters are pure: they ask a `Fetcher` for documents and turn them into records. They never see the database,
the store or the network, so that each is tested against recorded responses.

There are two shapes of source. A catalogue (`Adapter`) takes three requests to get to an image: list, title, pages. A
feed (`FeedAdapter`) tells everything of a post, its media included, on the page that lists it. Both start at a cursor
and can name the images of one chapter anew (`Paged`); which shape an adapter has is told by `AdapterKind.offers`.
"""

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import msgspec

from orihon.sources.records import (
    ChapterRef,
    Cursor,
    ListingPage,
    PageRef,
    Post,
    PostPage,
    SourceKind,
    Title,
    TitleRef,
)


class Document(msgspec.Struct, frozen=True):
    """A fetched document: where it finally came from, its status and its bytes."""

    url: str
    status: int
    content_type: str
    body: bytes


class Fetcher(Protocol):
    """The door to the network, as adapters see it: paced, guarded, capped."""

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        """Fetch a document; it answered with success, everything else is an error, rate limits included.

        Raises typed errors of `orihon.fetch` which adapters let pass.
        """
        ...


class SourceError(Exception):
    """An adapter could not read what it was given. The text says what happened and what to do."""


class Transient(SourceError):
    """A broken or half-rendered page; worth another try soon."""


class Unreadable(SourceError):
    """A document that is not read at all, because reading it could cost more than any real page does."""


class BadCursor(SourceError):
    """A kept place in a listing that this adapter, as it is set up now, cannot go on from. Start from the top."""


class LayoutChanged(SourceError):
    """The page is whole but no longer looks as the adapter expects."""


class EmptyListing(LayoutChanged):
    """A whole listing page without a single entry. That proves nothing about what the site has (DESIGN ruling 14)."""


class EndUnproven(LayoutChanged):
    """Nothing on the page says whether the list goes on; a missing pagination object is no end (DESIGN ruling 14)."""


class LoginRequired(SourceError):
    """The site answered with a login page, or as to somebody who is not signed in."""


class Challenge(SourceError):
    """The site wants proof of a human (a bot check)."""


class BadSettings(SourceError):
    """Settings of a source that its adapter cannot use. The text names the key."""


class UnknownAdapter(BadSettings):
    """No adapter has this name. The text lists those that exist."""


class Paged(Protocol):
    """What every adapter can do, made by the registry from a source's URL and settings."""

    @property
    def stand_ins(self) -> frozenset[str]:
        """SHA-256 (hex) of pictures that the site shows in place of removed ones."""
        ...

    def start(self) -> Cursor:
        """The cursor of the first (newest) page of the list."""
        ...

    async def pages(self, fetcher: Fetcher, chapter: ChapterRef) -> tuple[PageRef, ...]:
        """The pages of a chapter, in order, never empty, no number twice, with addresses that are good now."""
        ...


@runtime_checkable
class Adapter(Paged, Protocol):
    """One catalogue site."""

    async def listing(self, fetcher: Fetcher, cursor: Cursor) -> ListingPage:
        """One page of the listing.

        Raises:
            EmptyListing: the page is whole and lists nothing.
            EndUnproven: the page does not say whether the list goes on.
            BadCursor: the cursor is not of this adapter.
        """
        ...

    async def title(self, fetcher: Fetcher, ref: TitleRef) -> Title:
        """A title with its whole chapter list.

        The list may be empty: a page that was read between its frame and its rows looks just like a title without
        chapters, so an empty list says nothing about chapters that were listed before. No two chapters share a key.
        """
        ...


@runtime_checkable
class FeedAdapter(Paged, Protocol):
    """The posts of one creator.

    A cursor keeps its meaning while posts are published above it or deleted: it asks for what stands below a post.
    docs/platforms.md tells how, where a platform has nothing but page numbers.
    """

    async def creator(self, fetcher: Fetcher) -> Title:
        """Who posts: a title without chapters. Asked at the top of every walk."""
        ...

    async def post(self, fetcher: Fetcher, chapter: ChapterRef) -> Post:
        """A post as it is now, its media with addresses that are good now; asked for where one has run out.

        `chapter` has the post's key, and its `url` of when it was last recorded; a list has moved on since.

        Raises:
            LayoutChanged: the feed does not show it any more.
        """
        ...

    async def posts(self, fetcher: Fetcher, cursor: Cursor) -> PostPage:
        """One page of posts. A pinned post may stand on top besides its own place.

        Raises:
            EmptyListing: the page is whole, lists nothing, and says that more follows.
            EndUnproven: the page does not say whether the feed goes on.
            BadCursor: the cursor is not of this adapter.
        """
        ...


AnyAdapter = Adapter | FeedAdapter


class Preset(msgspec.Struct, frozen=True):
    """A ready-made value for a source's settings, for example a built-in site profile.

    `title` and `about` are for people. `hosts` are the sites that it is made for; empty: for all that are alike.
    """

    name: str
    title: str
    about: str
    hosts: tuple[str, ...]
    settings: dict[str, object]


class Setting(msgspec.Struct, frozen=True):
    """A key of a source's settings, for people.

    `title` is what a form calls it. `least` and `most`: it is a whole number between them; None: it is text.
    """

    name: str
    title: str
    about: str
    least: int | None = None
    most: int | None = None


class AdapterKind(Protocol):
    """What the registry knows about a kind of adapter before a source exists."""

    @property
    def name(self) -> str:
        """How a source names it."""
        ...

    @property
    def title(self) -> str:
        """What people choose it by: what a source of this kind is."""
        ...

    @property
    def about(self) -> str:
        """One sentence for people."""
        ...

    @property
    def address(self) -> str:
        """One sentence for people: which address a source of this kind has."""
        ...

    @property
    def offers(self) -> tuple[SourceKind, ...]:
        """The kinds of source that it can serve."""
        ...

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The keys that its settings may have."""
        ...

    def presets(self) -> tuple[Preset, ...]:
        """What it brings along."""
        ...

    def open(self, url: str, settings: Mapping[str, object]) -> AnyAdapter:
        """Validate the settings and make the adapter.

        Raises:
            BadSettings: naming the key that is wrong and what it should be.
        """
        ...
