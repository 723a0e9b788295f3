"""The adapter: which documents are asked for, in which order."""

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import quote, urldefrag, urlsplit

import msgspec
from msgspec import Meta

from orihon.sources.adapter import BadCursor, BadSettings, Fetcher, LayoutChanged, Preset, Setting
from orihon.sources.records import ChapterRef, Cursor, PageRef, Post, PostPage, SourceKind, Title
from orihon.sources.sample_feed import wire

MOST_COUNT = 50
"""Posts that the site gives at a time."""

MOST_PAGES = 100
"""Pages of the feed that are looked through for one post."""


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings: how many posts a page of the feed has."""

    count: Annotated[int, Meta(ge=1, le=MOST_COUNT)] = 20


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cursor: the site's own, None at the top."""

    cursor: str | None = None


_STAND_INS = frozenset(("fdca24dceb56379bb9e2158a3fdf69b6b711ca3ec6526b53a891ed3d343a14a8",))


class SampleFeed:
    """One creator of the sample site."""

    def __init__(self, url: str, options: Options) -> None:
        self._url = url
        self._options = options

    @property
    def stand_ins(self) -> frozenset[str]:
        """The picture that the sample site shows for removed ones; see `Paged.stand_ins`."""
        return _STAND_INS

    def start(self) -> Cursor:
        """The newest posts."""
        return {}

    async def creator(self, fetcher: Fetcher) -> Title:
        """Who posts; see `FeedAdapter.creator`."""
        return wire.creator(await fetcher.get(self._url), self._url)

    async def posts(self, fetcher: Fetcher, cursor: Cursor) -> PostPage:
        """One page of posts; see `FeedAdapter.posts`."""
        try:
            place = msgspec.convert(cursor, Place)
        except msgspec.ValidationError as error:
            raise BadCursor(f"The kept place in the feed cannot be read: {error}. Walk from the top.") from error
        read = await self._read(fetcher, self._address(place.cursor))
        following: Cursor | None = None if read.next is None else {"cursor": read.next}
        return PostPage(posts=read.posts, next=following, dropped=read.dropped)

    async def pages(self, fetcher: Fetcher, chapter: ChapterRef) -> tuple[PageRef, ...]:
        """The images of a post; see `Paged.pages`."""
        post = await self.post(fetcher, chapter)
        return tuple(PageRef(number=number, url=one.url) for number, one in enumerate(post.images, 1))

    async def post(self, fetcher: Fetcher, chapter: ChapterRef) -> Post:
        """A post, looked for from where it stood; see `FeedAdapter.post`."""
        address = urldefrag(chapter.url).url
        for _ in range(MOST_PAGES):
            read = await self._read(fetcher, address)
            for post in read.posts:
                if post.key == chapter.key:
                    return post
            if read.next is None:
                break
            address = self._address(read.next)
        raise LayoutChanged(f"{self._url} does not show this post any more. What is held of it stays.")

    async def _read(self, fetcher: Fetcher, address: str) -> wire.Read:
        return wire.page(await fetcher.get(address), address)

    def _address(self, cursor: str | None) -> str:
        below = f"&cursor={quote(cursor, safe='')}" if cursor is not None else ""
        return f"{self._url}/posts?count={self._options.count}{below}"


class SampleFeedKind:
    """What the registry knows about this adapter."""

    name = "sample_feed"
    title = "A creator of the sample site"
    about = "A creator of the sample site: a feed of posts as JSON. An example of how feeds are followed."
    address = "The creator in the API of the sample site, as in http://host/api/creators/name."
    offers: tuple[SourceKind, ...] = ("feed",)
    settings = (
        Setting("count", "Posts at a time", "How many posts are asked for at a time; 20 if left out.", 1, MOST_COUNT),
    )

    def presets(self) -> tuple[Preset, ...]:
        """None: there is nothing to choose."""
        return ()

    def open(self, url: str, settings: Mapping[str, object]) -> SampleFeed:
        """Check address and settings and make the adapter; see `AdapterKind.open`."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "/api/creators/" not in parts.path:
            raise BadSettings(f"A creator's address looks like http://host/api/creators/name, not like “{url[:200]}”.")
        try:
            options = msgspec.convert(settings, Options)
        except msgspec.ValidationError as error:
            raise BadSettings(f"These settings cannot be used: {error}.") from error
        return SampleFeed(url.rstrip("/"), options)
