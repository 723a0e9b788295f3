"""What an adapter would bring in, shown before a source exists.

Of a catalogue one listing page, one title and one chapter are read, of a feed its creator and the newest pages; no
image is fetched and nothing is kept. What is missing is said in words, so that somebody who writes a site profile knows
what to look at.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Literal

import msgspec

from orihon.sources.adapter import Adapter, AnyAdapter, FeedAdapter, Fetcher, SourceError
from orihon.sources.records import ChapterRef, Cursor, ListingPage, PageRef, Post, PostPage, Title, TitleRef

SHOWN = 10

FEED_PAGES = 3
"""Pages of a feed that are looked at (curator 2.12)."""

Held = Callable[[Collection[str]], Awaitable[Collection[str]]]
"""Which of some media, by key, the library has or has given up already."""


async def _nothing(keys: Collection[str]) -> Collection[str]:
    return ()


Step = Literal["listing", "title", "pages", "creator", "posts"]


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """Where reading ended, the kind of error, and its text."""

    step: Step
    kind: str
    text: str


class ListingSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The first listing page: how many entries, how many unreadable ones, where it goes on, and the first entries."""

    count: int
    dropped: int
    next: Cursor | None
    refs: tuple[TitleRef, ...]


class ChaptersSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The chapter list of that title: how many, how many without a number, and the first ones."""

    count: int
    unnumbered: int
    refs: tuple[ChapterRef, ...]


class PagesSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The pages of one chapter: how many, and the first ones."""

    chapter: ChapterRef
    count: int
    refs: tuple[PageRef, ...]


class PostsSeen(msgspec.Struct, frozen=True, kw_only=True):
    """The newest posts of a feed: how many on how many pages, their images and files, where it goes on.

    `new` counts the media that a walk would fetch; `posts` are the first of those that have any. `has_more`: the feed
    goes on below what was looked at.
    """

    pages: int
    count: int
    dropped: int
    images: int
    files: int
    new: int
    has_more: bool
    next: Cursor | None
    posts: tuple[Post, ...]


class Preview(msgspec.Struct, frozen=True, kw_only=True):
    """What was read. A part is None where an earlier one failed or gave nothing to go on with.

    `title.chapters` is empty; the first chapters stand in `chapters`. Of a feed `title` tells who posts.
    """

    listing: ListingSeen | None = None
    title: Title | None = None
    chapters: ChaptersSeen | None = None
    pages: PagesSeen | None = None
    posts: PostsSeen | None = None
    warnings: tuple[str, ...] = ()
    failure: Failure | None = None


async def preview(
    adapter: AnyAdapter,
    fetcher: Fetcher,
    *,
    expected: tuple[type[Exception], ...] = (),
    shown: int = SHOWN,
    pages: int = FEED_PAGES,
    held: Held = _nothing,
) -> Preview:
    """Read the first listing page, its first title, and one chapter of it; or a creator and the newest posts.

    `pages` of a feed are read at most; `held` tells which of its media are no news.

    `expected` are the errors of the fetcher: they end the preview as a failure, as those of the adapter do, and what
    was read before them is still shown. `shown` limits how many entries of each list are returned.
    """
    failures: tuple[type[Exception], ...] = (SourceError, *expected)
    if isinstance(adapter, FeedAdapter):
        return await _feed(adapter, fetcher, failures, shown, pages, held)
    return await _catalogue(adapter, fetcher, failures, shown)


async def _catalogue(adapter: Adapter, fetcher: Fetcher, failures: tuple[type[Exception], ...], shown: int) -> Preview:
    step: Step = "listing"
    seen = Preview()
    warnings: list[str] = []
    try:
        listing = await adapter.listing(fetcher, adapter.start())
        warnings += listing_warnings(listing)
        seen = msgspec.structs.replace(seen, listing=_listing_seen(listing, shown))
        if listing.refs:
            step = "title"
            title = await adapter.title(fetcher, listing.refs[0])
            warnings += title_warnings(title)
            seen = msgspec.structs.replace(
                seen, title=msgspec.structs.replace(title, chapters=()), chapters=_chapters_seen(title, shown)
            )
            if title.chapters:
                step = "pages"
                chapter = sample_chapter(title.chapters)
                pages = await adapter.pages(fetcher, chapter)
                warnings += pages_warnings(pages)
                seen = msgspec.structs.replace(
                    seen, pages=PagesSeen(chapter=chapter, count=len(pages), refs=pages[:shown])
                )
    except failures as error:
        failure = Failure(step=step, kind=type(error).__name__, text=str(error))
        seen = msgspec.structs.replace(seen, failure=failure)
    return msgspec.structs.replace(seen, warnings=tuple(warnings))


async def _feed(
    adapter: FeedAdapter,
    fetcher: Fetcher,
    failures: tuple[type[Exception], ...],
    shown: int,
    most: int,
    held: Held,
) -> Preview:
    step: Step = "creator"
    seen = Preview()
    try:
        seen = msgspec.structs.replace(seen, title=await adapter.creator(fetcher))
        step = "posts"
        read: list[PostPage] = []
        cursor: Cursor | None = adapter.start()
        while cursor is not None and len(read) < most:
            read.append(await adapter.posts(fetcher, cursor))
            cursor = read[-1].next
            # Each page is told at once: a later one that fails takes nothing back.
            found = await _posts_seen(read, shown, held)
            warnings = tuple(dict.fromkeys(text for page in read for text in posts_warnings(page)))
            seen = msgspec.structs.replace(seen, posts=found, warnings=warnings)
    except failures as error:
        seen = msgspec.structs.replace(seen, failure=Failure(step=step, kind=type(error).__name__, text=str(error)))
    return seen


def sample_chapter(chapters: Sequence[ChapterRef]) -> ChapterRef:
    """The newest chapter that has a number, since notices often have no pages; else the newest."""
    return next((chapter for chapter in chapters if chapter.number is not None), chapters[0])


def listing_warnings(listing: ListingPage) -> list[str]:
    """What is odd about a listing page."""
    found = []
    if listing.dropped:
        found.append(
            f"{listing.dropped} of {listing.dropped + len(listing.refs)} entries of the list have no address or no "
            "name and would be left out."
        )
    if len({ref.key for ref in listing.refs}) < len(listing.refs):
        found.append("Some entries of the list have the same key. That is right only if the list names a title twice.")
    if listing.next is None:
        found.append("The list ends on its first page. If the site has more pages, the paging is not described.")
    return found


def title_warnings(title: Title) -> list[str]:
    """What a title page does not tell, and what is odd about its chapters."""
    parts = (
        (title.cover_url, "no cover"),
        (title.description, "no description"),
        (title.authors or title.artists, "no authors and no artists"),
        (title.genres or title.tags, "no genres and no tags"),
        (title.status, "no status (or a word for it that is not known)"),
        (title.reading_direction, "no reading direction (it is then guessed from the pages)"),
    )
    found = [f"“{title.title}” has {text}." for value, text in parts if not value]
    chapters = title.chapters
    if not chapters:
        found.append(f"“{title.title}” has no chapters. If the site shows some, their rows are not found.")
    if title.chapters_dropped:
        found.append(f"{title.chapters_dropped} chapters have no address and would be left out.")
    if chapters and all(chapter.number is None for chapter in chapters):
        found.append("No chapter has a number. If their names hold one, the number's pattern does not fit.")
    numbers = [chapter.number for chapter in chapters if chapter.number is not None]
    if len(numbers) > 1 and numbers[0] < numbers[-1]:
        found.append("The first chapter has a lower number than the last: does the site list the oldest first?")
    return found


def pages_warnings(pages: Sequence[PageRef]) -> list[str]:
    """What is odd about the pages of a chapter."""
    found = []
    if len(pages) == 1:
        found.append("The chapter has one page. If the site shows one page at a time, its paging is not described.")
    if len({page.url for page in pages}) < len(pages):
        found.append("Several pages have the same image; perhaps the address of a placeholder is read.")
    missing = pages[-1].number - pages[0].number + 1 - len(pages) if pages else 0
    if missing > 0:
        found.append(f"{missing} page numbers are missing between {pages[0].number} and {pages[-1].number}.")
    return found


def posts_warnings(page: PostPage) -> list[str]:
    """What is odd about the newest posts of a feed."""
    found = []
    if page.dropped:
        found.append(f"{page.dropped} of {page.dropped + len(page.posts)} posts cannot be read and would be left out.")
    if not page.posts:
        found.append("The feed has no posts.")
    elif not any(post.images for post in page.posts):
        found.append("None of the newest posts has an image.")
    return found


async def _posts_seen(read: Sequence[PostPage], shown: int, held: Held) -> PostsSeen:
    # A pinned post stands on top besides its own place.
    posts = list({post.key: post for page in read for post in page.posts}.values())
    keys = {medium.key for post in posts for medium in post.media}
    new = keys - set(await held(keys))
    return PostsSeen(
        pages=len(read),
        count=len(posts),
        dropped=sum(page.dropped for page in read),
        images=sum(len(post.images) for post in posts),
        files=sum(len(post.files) for post in posts),
        new=len(new),
        has_more=read[-1].next is not None,
        next=read[-1].next,
        posts=tuple(post for post in posts if any(medium.key in new for medium in post.media))[:shown],
    )


def _listing_seen(listing: ListingPage, shown: int) -> ListingSeen:
    return ListingSeen(count=len(listing.refs), dropped=listing.dropped, next=listing.next, refs=listing.refs[:shown])


def _chapters_seen(title: Title, shown: int) -> ChaptersSeen:
    unnumbered = sum(chapter.number is None for chapter in title.chapters)
    return ChaptersSeen(count=len(title.chapters), unnumbered=unnumbered, refs=title.chapters[:shown])
