"""What `orihon source check` and the interface tell about a source before it exists."""

from decimal import Decimal

import pytest

from orihon.sources.adapter import Document, LayoutChanged
from orihon.sources.preview import listing_warnings, pages_warnings, preview, sample_chapter, title_warnings
from orihon.sources.records import ChapterRef, Cursor, ListingPage, PageRef, Title, TitleRef

pytestmark = pytest.mark.anyio

REF = TitleRef(key="a", title="A", url="https://s.example/a")


class Unreachable(Exception):
    """An error of the fetcher."""


class NoFetcher:
    async def get(self, url: str, *, referer: str | None = None) -> Document:
        raise AssertionError("this adapter needs none")


def chapter(number: int | None) -> ChapterRef:
    return ChapterRef(key=str(number), url=f"https://s.example/a/{number}", number=number and Decimal(number))


def page(number: int, url: str | None = None) -> PageRef:
    return PageRef(number=number, url=url or f"https://s.example/{number}.jpg")


class Given:
    """An adapter that returns, or raises, what it is given."""

    def __init__(self, listing: object, title: object = None, pages: object = None) -> None:
        self._given = {"listing": listing, "title": title, "pages": pages}
        self.asked: list[object] = []

    def start(self) -> Cursor:
        return {"page": 1}

    async def listing(self, fetcher: object, cursor: Cursor) -> ListingPage:
        return self._give("listing", cursor)

    async def title(self, fetcher: object, ref: TitleRef) -> Title:
        return self._give("title", ref.key)

    async def pages(self, fetcher: object, chapter: ChapterRef) -> tuple[PageRef, ...]:
        return self._give("pages", chapter.key)

    def _give(self, what: str, asked: object) -> object:  # type: ignore[misc]
        self.asked.append(asked)
        given = self._given[what]
        if isinstance(given, Exception):
            raise given
        return given


FULL = Title(
    key="a", title="A", url=REF.url, description="x", status="ongoing", reading_direction="rtl", authors=("B",),
    tags=("c",), cover_url="https://s.example/a.jpg", chapters=(chapter(None), chapter(2), chapter(1)),
)  # fmt: skip
LISTING = ListingPage(refs=(REF, REF), next={"page": 2}, dropped=1)


async def test_preview_reads_one_page_one_title_and_the_newest_numbered_chapter() -> None:
    adapter = Given(LISTING, FULL, (page(1), page(2)))
    seen = await preview(adapter, NoFetcher(), shown=1)
    assert adapter.asked == [{"page": 1}, "a", "2"]
    assert seen.listing is not None
    assert (seen.listing.count, seen.listing.refs, seen.listing.next) == (2, (REF,), {"page": 2})
    assert seen.chapters is not None
    assert (seen.chapters.count, seen.chapters.unnumbered) == (3, 1)
    assert seen.pages is not None
    assert (seen.pages.count, seen.pages.refs) == (2, (page(1),))
    assert seen.failure is None


@pytest.mark.parametrize(
    "error", [LayoutChanged("no rows"), Unreachable("no rows")], ids=lambda error: type(error).__name__
)
async def test_what_was_read_before_a_failure_is_still_shown(error: Exception) -> None:
    seen = await preview(Given(LISTING, error), NoFetcher(), expected=(Unreachable,))
    assert seen.listing is not None
    assert seen.title is None
    assert seen.failure is not None
    assert (seen.failure.step, seen.failure.kind, seen.failure.text) == ("title", type(error).__name__, "no rows")
    assert any("1 of 3 entries" in warning for warning in seen.warnings)


async def test_a_fault_of_the_program_is_not_shown_as_one_of_the_site() -> None:
    with pytest.raises(Unreachable):
        await preview(Given(Unreachable("x")), NoFetcher())


def test_newest_chapter_is_taken_where_none_has_a_number() -> None:
    assert sample_chapter((chapter(None), chapter(None))) == chapter(None)


BARE = ["no cover", "no description", "no authors", "no genres", "no status", "no reading", "no chapters"]
UNNUMBERED = Title(key="a", title="A", url=REF.url, chapters=(chapter(None),), chapters_dropped=2)


@pytest.mark.parametrize(
    ("title", "told"),
    [
        (Title(key="a", title="A", url=REF.url), BARE),
        (FULL, []),
        (UNNUMBERED, ["2 chapters have no address", "No chapter has a number"]),
        (Title(key="a", title="A", url=REF.url, chapters=(chapter(1), chapter(2))), ["oldest first"]),
    ],
    ids=["bare", "full", "unnumbered", "reversed"],
)
def test_each_missing_part_of_a_title_is_told(title: Title, told: list[str]) -> None:
    warnings = title_warnings(title)
    assert all(any(word in warning for warning in warnings) for word in told)
    assert bool(warnings) == bool(told)


def test_listing_that_ends_at_once_or_repeats_keys_is_told() -> None:
    assert any("ends on its first page" in text for text in listing_warnings(ListingPage(refs=(REF,), next=None)))
    assert any("same key" in text for text in listing_warnings(LISTING))
    assert listing_warnings(ListingPage(refs=(REF,), next={"page": 2})) == []


def test_odd_pages_are_told() -> None:
    assert any("one page" in text for text in pages_warnings([page(1)]))
    assert any("same image" in text for text in pages_warnings([page(1, "x"), page(2, "x")]))
    assert any("2 page numbers are missing between 1 and 4" in text for text in pages_warnings([page(1), page(4)]))
    assert pages_warnings([page(1), page(2)]) == []
