"""The protocol that every adapter speaks, and the errors it may raise.

Adapters are pure: they ask a `Fetcher` for documents and turn them into records. They never see the database,
the store or the network, so that each is tested against recorded responses.

A catalogue (list, title, chapters, pages) is one shape of source, not the only one. A feed (one creator's posts with
their media) will be a protocol of its own beside `Adapter`: the same `start()` and cursor, and one method that gives a
page of posts, each with its media, where `listing`, `title` and `pages` take three requests. Nothing here has to change
for that: `Fetcher`, `Document`, `Cursor`, the errors and the registry say nothing about titles, the walk engine knows
only cursors and items, and `AdapterKind.offers` says which kinds of source an adapter can serve, so that the engine
picks the handler.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from orihon.sources.records import ChapterRef, Cursor, ListingPage, PageRef, SourceKind, Title, TitleRef


class Document(msgspec.Struct, frozen=True):
    """A fetched document: where it finally came from, its status and its bytes."""

    url: str
    status: int
    content_type: str
    body: bytes


class Fetcher(Protocol):
    """The door to the network, as adapters see it: paced, guarded, capped."""

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        """Fetch a document; it answered with success, everything else is an error.

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


class Adapter(Protocol):
    """One catalogue site, made by the registry from a source's URL and settings."""

    def start(self) -> Cursor:
        """The cursor of the first (newest) page of the listing."""
        ...

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

    async def pages(self, fetcher: Fetcher, chapter: ChapterRef) -> tuple[PageRef, ...]:
        """The pages of a chapter, in order, never empty, no number twice."""
        ...


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
    """A key of a source's settings, for people."""

    name: str
    about: str


class AdapterKind(Protocol):
    """What the registry knows about a kind of adapter before a source exists."""

    @property
    def name(self) -> str:
        """How a source names it."""
        ...

    @property
    def about(self) -> str:
        """One sentence for people."""
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

    def open(self, url: str, settings: Mapping[str, object]) -> Adapter:
        """Validate the settings and make the adapter.

        Raises:
            BadSettings: naming the key that is wrong and what it should be.
        """
        ...
