"""The protocol that every adapter speaks, and the errors it may raise.

Adapters are pure: they ask a `Fetcher` for documents and turn them into records. They never see the database,
the store or the network, so that each is tested against recorded responses.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

from orihon.sources.records import ChapterRef, Cursor, ListingPage, PageRef, Title, TitleRef


class Document(msgspec.Struct, frozen=True):
    """A fetched document: where it finally came from, its status and its bytes."""

    url: str
    status: int
    content_type: str
    body: bytes


class Fetcher(Protocol):
    """The door to the network, as adapters see it: paced, guarded, capped."""

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        """Fetch a document.

        Raises typed errors of `orihon.fetch` which adapters let pass.
        """
        ...


class SourceError(Exception):
    """An adapter could not read what it was given. The text says what happened and what to do."""


class Transient(SourceError):
    """A broken or half-rendered page; worth another try soon."""


class LayoutChanged(SourceError):
    """The page is whole but no longer looks as the adapter expects."""


class LoginRequired(SourceError):
    """The site answered with a login page."""


class Challenge(SourceError):
    """The site wants proof of a human (a bot check)."""


class BadSettings(SourceError):
    """Settings of a source that its adapter cannot use. The text names the key."""


class Adapter(Protocol):
    """One site or platform, made by the registry from a source's URL and settings."""

    def start(self) -> Cursor:
        """The cursor of the first (newest) page of the listing."""
        ...

    async def listing(self, fetcher: Fetcher, cursor: Cursor) -> ListingPage:
        """One page of the listing."""
        ...

    async def title(self, fetcher: Fetcher, ref: TitleRef) -> Title:
        """A title with its whole chapter list."""
        ...

    async def pages(self, fetcher: Fetcher, chapter: ChapterRef) -> tuple[PageRef, ...]:
        """The pages of a chapter, in order, never empty."""
        ...


class AdapterKind(Protocol):
    """What the registry knows about a kind of adapter before a source exists."""

    name: str

    def open(self, url: str, settings: Mapping[str, object]) -> Adapter:
        """Validate the settings and make the adapter.

        Raises:
            BadSettings: naming the key that is wrong and what it should be.
        """
        ...
