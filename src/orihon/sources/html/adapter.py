"""The adapter: which documents are asked for, in which order."""

from collections.abc import AsyncIterator, Mapping

import msgspec

from orihon.sources.adapter import BadCursor, BadSettings, EmptyListing, Fetcher, LayoutChanged, Preset, Setting
from orihon.sources.html import addresses, loading, page, paging
from orihon.sources.html.listing import entries
from orihon.sources.html.page import Page
from orihon.sources.html.paging import Shown
from orihon.sources.html.profile import Kind, Paging, Profile
from orihon.sources.html.reader import announced, images, numbered, refuse_other_count
from orihon.sources.html.title import chapter_rows, facts, told_apart
from orihon.sources.records import ChapterRef, Cursor, ListingPage, PageRef, SourceKind, Title, TitleRef

# Documents of one chapter, or pages of one chapter list: above what sites have, below an endless chain.
MOST_DOCUMENTS = 3_000


class Place(msgspec.Struct, frozen=True, omit_defaults=True):
    """The cursor: the page of the listing, counted from 1, and its address where only a link tells it."""

    page: int = 1
    url: str | None = None


class HtmlAdapter:
    """A catalogue site, read as its profile says."""

    def __init__(self, url: str, profile: Profile) -> None:
        """Make the adapter.

        Raises:
            BadSettings: the address of the listing does not fit the profile.
        """
        self._profile = profile
        self._url = _listing_address(url, profile.listing.paging)

    @property
    def stand_ins(self) -> frozenset[str]:
        """Pictures that stand for removed ones; see `Adapter.stand_ins`."""
        return frozenset(self._profile.detect.stand_ins)

    def start(self) -> Cursor:
        """The first page of the listing."""
        return {"page": 1}

    async def listing(self, fetcher: Fetcher, cursor: Cursor) -> ListingPage:
        """One page of the listing; see `Adapter.listing`."""
        place = self._place(cursor)
        table = self._profile.listing
        read = await self._read(fetcher, self._address(place), "listing")
        refs, dropped = entries(read, table)
        if table.paging is None:
            if not refs:
                raise _empty(read, table.rows.text)
            return ListingPage(refs=refs, next=None, dropped=dropped)
        shown = paging.shown(read, table.paging, place.page)
        if table.paging.by == "link":
            # Where it leads is the site's word, and so is the number that it gives to what stands there.
            paging.refuse_another(read, shown, place.page)
        if not refs and not paging.shrunk(shown, place.page):
            raise _empty(read, table.rows.text)
        return ListingPage(refs=refs, next=None if shown.ends else self._after(read, shown, place), dropped=dropped)

    async def title(self, fetcher: Fetcher, ref: TitleRef) -> Title:
        """A title with its whole chapter list; see `Adapter.title`."""
        table = self._profile.title
        title: Title | None = None
        listed: list[ChapterRef] = []
        dropped = 0
        async for read in self._documents(fetcher, ref.url, "title", table.chapters.paging):
            title = title or facts(read, table, ref)
            rows = chapter_rows(read, table.chapters)
            listed += rows.refs
            dropped += rows.dropped
        if table.chapters.order == "oldest_first":
            listed.reverse()
        assert title is not None  # noqa: S101  the first document is always there
        return msgspec.structs.replace(title, chapters=told_apart(tuple(listed), ref.url), chapters_dropped=dropped)

    async def pages(self, fetcher: Fetcher, chapter: ChapterRef) -> tuple[PageRef, ...]:
        """The pages of a chapter; see `Adapter.pages`."""
        table = self._profile.reader
        found: list[PageRef] = []
        said: int | None = None
        async for read in self._documents(fetcher, chapter.url, "reader", table.paging):
            if table.count and said is None:
                said = announced(read, table.count)
            found += images(read, table)
        pages = numbered(found, table, chapter.url)
        if said is not None:
            refuse_other_count(pages, said, chapter.url)
        return pages

    async def _read(self, fetcher: Fetcher, url: str, kind: Kind, referer: str | None = None) -> Page:
        return page.read(await fetcher.get(url, referer=referer), self._profile.detect, kind)

    async def _documents(self, fetcher: Fetcher, url: str, kind: Kind, chain: Paging | None) -> AsyncIterator[Page]:
        """The page at an address and those that its links lead on to."""
        read = await self._read(fetcher, url, kind)
        yield read
        seen = {url, read.url}
        number = 1
        while chain and chain.link and not paging.shown(read, chain, number).ends:
            onward = paging.next_link(read, chain.link)
            if onward in seen or len(seen) > MOST_DOCUMENTS:
                raise LayoutChanged(f"The further pages of {url} lead in a circle, or without end, at {onward}.")
            read = await self._read(fetcher, onward, kind, referer=read.url)
            seen |= {onward, read.url}
            number += 1
            yield read

    def _place(self, cursor: Cursor) -> Place:
        try:
            place = msgspec.convert(cursor, Place)
        except msgspec.ValidationError as error:
            raise BadCursor(f"The kept place in the listing cannot be read: {error}. Walk from the top.") from error
        chain = self._profile.listing.paging
        if place.page < 1 or (place.page > 1 and (chain is None or (chain.by == "link" and not place.url))):
            raise BadCursor(
                "The kept place does not fit this site profile, which has changed since. Walk from the top."
            )
        return place

    def _address(self, place: Place) -> str:
        chain = self._profile.listing.paging
        if place.page == 1 or chain is None:
            return self._url
        if chain.by == "path":
            return addresses.with_path_number(self._url, (addresses.numbered_path(self._url) or 0) + place.page - 1)
        if chain.by == "query" and chain.query:
            number = addresses.query_number(self._url, chain.query)
            return addresses.with_query_number(
                self._url, chain.query, (1 if number is None else number) + place.page - 1
            )
        return place.url or self._url

    def _after(self, read: Page, shown: Shown, place: Place) -> Cursor:
        chain = self._profile.listing.paging
        if chain and chain.by == "link" and chain.link:
            return {"page": (shown.page or place.page) + 1, "url": paging.next_link(read, chain.link)}
        return {"page": place.page + 1}


class HtmlKind:
    """What the registry knows about this adapter."""

    name = "html"
    title = "A site that lists titles"
    about = "A catalogue site with HTML pages, described by a site profile."
    address = "The page that lists the newest titles first."
    offers: tuple[SourceKind, ...] = ("catalogue",)
    settings = (
        Setting("profile", "Site profile", "The name of a built-in site profile, or a whole profile as an object."),
        Setting("profile_toml", "Text of the profile", "A whole site profile as TOML text."),
    )

    def presets(self) -> tuple[Preset, ...]:
        """The built-in site profiles."""
        return tuple(_preset(name, loading.built_in(name)) for name in loading.built_in_names())

    def open(self, url: str, settings: Mapping[str, object]) -> HtmlAdapter:
        """Check address and settings and make the adapter; see `AdapterKind.open`."""
        return HtmlAdapter(url, loading.from_settings(settings))


def _preset(name: str, profile: Profile) -> Preset:
    return Preset(name, profile.name or name, profile.about, profile.hosts, {"profile": name})


def _listing_address(url: str, chain: Paging | None) -> str:
    address = addresses.resolve(url, url)
    if address is None:
        raise BadSettings(f"The address of a source is a whole http or https address, not “{url[:200]}”.")
    if chain and chain.by == "path" and addresses.numbered_path(address) is None:
        raise BadSettings(
            f"This site profile counts pages in the path, but {address} has no numeric segment such as `/1/`. "
            "Give the address of the listing's first page."
        )
    return address


def _empty(read: Page, rows: str) -> EmptyListing:
    return EmptyListing(
        f"{read.url} is whole but lists nothing (`{rows}`). That does not mean that the site is empty; what is held "
        "stays. If the list is there in a browser, its markup has changed: see `listing.rows`."
    )
