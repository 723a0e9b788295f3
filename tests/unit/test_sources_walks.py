"""Which documents the html adapter asks for: listings, chapter lists and chapters over several pages."""

from pathlib import Path

import pytest

from orihon.sources.adapter import Adapter, BadCursor, Document, EmptyListing, EndUnproven, LayoutChanged, Transient
from orihon.sources.records import ChapterRef, Cursor, TitleRef
from orihon.sources.registry import open_adapter

pytestmark = pytest.mark.anyio

TITLE = TitleRef(key="uu", title="UU", url="https://s.example/uu/")
CHAPTER = ChapterRef(key="1", url="https://s.example/uu/1/")


class Pages:
    """A site as a dictionary."""

    def __init__(self, pages: dict[str, str]) -> None:
        self._pages = pages
        self.asked: list[tuple[str, str | None]] = []

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        self.asked.append((url, referer))
        return Document(
            url=url, status=200, content_type="text/html", body=f"<b id=logo></b>{self._pages[url]}".encode()
        )


def site(url: str = "https://s.example/list", *, listing: str = "", chapters: str = "", reader: str = "") -> Adapter:
    profile = f"""
        [detect]
        layout = "#logo"
        [listing]
        rows = "li a"
        {listing}
        [title.chapters]
        rows = "td a"
        {chapters}
        [reader]
        images = "img"
        {reader}
    """
    return open_adapter("html", url, {"profile_toml": profile})


async def walked(adapter: Adapter, pages: Pages, most: int = 10) -> list[str]:
    keys: list[str] = []
    cursor: Cursor | None = adapter.start()
    while cursor is not None and most:
        page = await adapter.listing(pages, cursor)
        keys += [ref.key for ref in page.refs]
        cursor, most = page.next, most - 1
    return keys


LIST = "<ul><li><a href=/{0}>{0}</a></ul>"


async def test_listing_goes_on_by_path_to_the_largest_number_shown() -> None:
    """crawler-support 9.4."""
    pages = Pages({f"https://s.example/list/{n}/x": LIST.format(n) + "<nav><a>1</a> <a>3</a></nav>" for n in (1, 2, 3)})
    adapter = site("https://s.example/list/1/x", listing='paging = { by = "path", pager = "nav" }')
    assert await walked(adapter, pages) == ["1", "2", "3"]


async def test_listing_goes_on_by_query_from_the_number_that_the_address_has() -> None:
    pages = Pages(
        {f"https://s.example/list?q=a&p={n}": LIST.format(n) + f"<nav>Page {n + 1} of 2</nav>" for n in (0, 1)}
    )
    paging = 'paging = { by = "query", query = "p", pager = "nav", says = "page {page} of {last}" }'
    assert await walked(site("https://s.example/list?q=a&p=0", listing=paging), pages) == ["0", "1"]


async def test_listing_goes_on_by_links_until_the_end_is_marked() -> None:
    paging = 'paging = { link = "a.next", pager = "nav", end = "a.next.off" }'
    pages = Pages(
        {
            "https://s.example/list": LIST.format("a") + "<nav><a class=next href=?after=a>Next</a></nav>",
            "https://s.example/list?after=a": LIST.format("b") + "<nav><a class='next off' href='#'>Next</a></nav>",
        }
    )
    assert await walked(site(listing=paging), pages) == ["a", "b"]


async def test_one_page_listing_is_what_a_profile_without_paging_says() -> None:
    assert await walked(site(), Pages({"https://s.example/list": LIST.format("a")})) == ["a"]


async def test_walk_goes_on_from_a_kept_cursor() -> None:
    paging = 'paging = { link = "a.next", pager = "nav" }'
    pages = Pages({"https://s.example/list?p=7": LIST.format("g") + "<nav>6 <b>7</b></nav>"})
    page = await site(listing=paging).listing(pages, {"page": 7, "url": "https://s.example/list?p=7"})
    assert [ref.key for ref in page.refs] == ["g"]
    assert page.next is None


@pytest.mark.parametrize("nav", ["<nav>1 <b>2</b></nav>", "<nav><a class=next>2</a> <b>2</b></nav>"])
async def test_missing_next_link_is_no_end(nav: str) -> None:
    """DESIGN ruling 14: the pager shows a second page."""
    pages = Pages({"https://s.example/list": LIST.format("a") + nav})
    with pytest.raises(LayoutChanged, match=r"no link to the next page|not another page"):
        await walked(site(listing='paging = { link = "a.next", pager = "nav" }'), pages)


@pytest.mark.parametrize("href", ["https://elsewhere.example/", "http://s.example/list", "/list", "javascript:x", "#"])
async def test_next_link_stays_on_the_site_and_leads_on(href: str) -> None:
    pages = Pages(
        {"https://s.example/list": LIST.format("a") + f"<nav><a class=next href='{href}'>x</a><b>2</b></nav>"}
    )
    with pytest.raises(LayoutChanged, match="not another page of the same site"):
        await walked(site(listing='paging = { link = "a.next", pager = "nav" }'), pages)


@pytest.mark.parametrize("cursor", [{"page": 0}, {"page": "x"}, {"page": 2}, {"page": 2, "url": 3}])
async def test_cursor_of_another_profile_is_refused(cursor: Cursor) -> None:
    with pytest.raises(BadCursor, match="Walk from the top"):
        await site(listing='paging = { link = "a", pager = "nav" }').listing(Pages({}), cursor)


async def test_one_key_for_every_title_is_a_fault_of_the_profile() -> None:
    pages = Pages({"https://s.example/list": "<li><a href=/show?id=1>A</a><li><a href=/show?id=2>B</a>"})
    with pytest.raises(LayoutChanged, match=r"same key `show`.*`listing.key`"):
        await walked(site(), pages)
    assert await walked(site(listing='key = { query = "id" }'), pages) == ["1", "2"]


async def test_chapter_list_spans_pages_and_is_handed_over_newest_first() -> None:
    row = "<table><tr><td><a href=/uu/{0}/>Chapter {0}</a></table>"
    pages = Pages(
        {
            "https://s.example/uu/": row.format(1) + row.format(2) + "<nav><a class=more href=?list=2>2</a></nav>",
            "https://s.example/uu/?list=2": row.format(3) + "<nav>1 <b>2</b></nav>",
        }
    )
    adapter = site(chapters='order = "oldest_first"\npaging = { link = "a.more", pager = "nav" }')
    title = await adapter.title(pages, TITLE)
    assert [chapter.key for chapter in title.chapters] == ["3", "2", "1"]
    assert pages.asked == [("https://s.example/uu/", None), ("https://s.example/uu/?list=2", "https://s.example/uu/")]


CHAPTERS_BY_QUERY = "<table><tr><td><a href=/read.php?id=2>Ch.2</a><tr><td><a href=/read.php?id=1>Ch.1</a></table>"


async def test_one_key_for_different_chapters_is_a_fault_of_the_profile() -> None:
    """crawler-daemon-reader 12.3: a whole list once ended as one chapter."""
    pages = Pages({TITLE.url: CHAPTERS_BY_QUERY})
    with pytest.raises(LayoutChanged, match=r"same key `read.php`.*`title.chapters.key`"):
        await site().title(pages, TITLE)
    title = await site(chapters='key = { query = "id" }').title(pages, TITLE)
    assert [chapter.key for chapter in title.chapters] == ["2", "1"]


async def test_one_chapter_under_a_changed_name_in_its_address_is_one_chapter() -> None:
    pages = Pages({TITLE.url: "<table><tr><td><a href=/c/5/new>Ch.5</a><tr><td><a href=/c/5/old>Ch.5</a></table>"})
    title = await site(chapters='key = { after = "c" }').title(pages, TITLE)
    assert [(chapter.key, chapter.url) for chapter in title.chapters] == [("5", "https://s.example/c/5/new")]


async def test_site_with_one_reading_direction_needs_no_selector_for_it() -> None:
    adapter = site(chapters='[title.reading_direction]\ndefault = "rtl"')
    title = await adapter.title(Pages({TITLE.url: "<p>anything</p>"}), TITLE)
    assert title.reading_direction == "rtl"


async def test_empty_chapter_list_needs_the_words_that_there_is_none() -> None:
    adapter = site(chapters='none = ".none"')
    empty = await adapter.title(Pages({TITLE.url: "<p class=none>None yet</p>"}), TITLE)
    assert empty.chapters == ()
    with pytest.raises(LayoutChanged, match="neither chapters"):
        await adapter.title(Pages({TITLE.url: ""}), TITLE)


async def test_chapter_with_one_page_per_document_is_read_to_the_proven_end() -> None:
    def document(number: int) -> str:
        onward = f"<a class=next href=?p={number + 1}>Next</a>"
        return f"<img src=spin.gif data-src=/i/{number}.jpg><nav>{number} of 3 {onward if number < 3 else ''}</nav>"

    pages = Pages({f"{CHAPTER.url}{'' if n == 1 else f'?p={n}'}": document(n) for n in (1, 2, 3)})
    adapter = site(reader='paging = { link = "a.next", pager = "nav", says = "{page} of {last}" }')
    found = await adapter.pages(pages, CHAPTER)
    assert [(page.number, page.url) for page in found] == [(n, f"https://s.example/i/{n}.jpg") for n in (1, 2, 3)]
    assert [page.referer for page in found] == [url for url, _ in pages.asked]


async def test_chapter_that_stops_before_its_end_is_a_failure() -> None:
    """DESIGN ruling 14: all pages or none."""
    pages = Pages({CHAPTER.url: "<img src=/1.jpg><nav>1 of 3</nav>"})
    with pytest.raises(EndUnproven, match="goes on"):
        await site(reader='paging = { link = "a.next", pager = "nav", says = "{page} of {last}" }').pages(
            pages, CHAPTER
        )


async def test_chapter_whose_pages_lead_in_a_circle_is_a_failure() -> None:
    def to(number: int) -> str:
        return f"<img src=/{number}.jpg><nav><a class=next href=?p={number}>x</a> <b>9</b></nav>"

    pages = Pages({CHAPTER.url: to(2), f"{CHAPTER.url}?p=2": to(3), f"{CHAPTER.url}?p=3": to(2)})
    with pytest.raises(LayoutChanged, match="in a circle"):
        await site(reader='paging = { link = "a.next", pager = "nav" }').pages(pages, CHAPTER)


async def test_example_of_the_documentation_reads_its_own_markup() -> None:
    document = (Path(__file__).parents[2] / "docs" / "site-profiles.md").read_text(encoding="utf-8")
    html = document.partition("```html")[2].partition("```")[0]
    profile = document.partition("```toml\n# A whole profile")[2].partition("```")[0]
    adapter = open_adapter("html", "https://comics.example/latest?page=1", {"profile_toml": profile})
    page = await adapter.listing(Pages({"https://comics.example/latest?page=1": html}), adapter.start())
    assert [(ref.key, ref.title) for ref in page.refs] == [("17", "The Folded Map")]
    assert page.next == {"page": 2}


async def test_lazy_images_are_read_from_the_attribute_that_holds_them() -> None:
    lazy = "<img src='data:image/gif;base64,R0' data-src=/1.jpg><img src=/2.jpg><img data-src=' '><img src='data:,x'>"
    found = await site().pages(Pages({CHAPTER.url: lazy}), CHAPTER)
    assert [(page.number, page.url) for page in found] == [
        (1, "https://s.example/1.jpg"),
        (2, "https://s.example/2.jpg"),
    ]


@pytest.mark.parametrize(
    ("says", "ends"),
    [("Page 3 of 2", True), ("Page 1 of 1", False), ("Page 3 of 1", False), ("Page 2 of 2", False)],
)
async def test_only_the_page_behind_the_last_may_be_empty(says: str, ends: bool) -> None:
    """DESIGN ruling 14: the list shrank by a page while it was walked; a site that has nothing all at once proves
    nothing."""
    adapter = site(
        "https://s.example/list/1", listing='paging = { by = "path", pager = "nav", says = "{page} of {last}" }'
    )
    pages = Pages({"https://s.example/list/3": f"<ul></ul><nav>{says}</nav>"})
    if ends:
        assert (await adapter.listing(pages, {"page": 3})).next is None
    else:
        with pytest.raises(EmptyListing):
            await adapter.listing(pages, {"page": 3})


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ("2 pages", None),
        ("14 pages", Transient),
        ("1 page", Transient),
        ("pages", LayoutChanged),
        (None, LayoutChanged),
    ],
)
async def test_chapter_has_as_many_pages_as_the_site_says(said: str | None, error: type[Exception] | None) -> None:
    """Research 3.1 row 17: only the first images of many."""
    adapter = site(reader='count = "p.count"')
    text = "" if said is None else f"<p class=count>{said}</p>"
    pages = Pages({CHAPTER.url: f"{text}<img src=/1.jpg><img src=/2.jpg>"})
    if error is None:
        assert len(await adapter.pages(pages, CHAPTER)) == 2
    else:
        with pytest.raises(error):
            await adapter.pages(pages, CHAPTER)


async def test_list_that_links_back_is_no_end() -> None:
    """Research 3.1 row 8: the second page's link leads to the second page under another address."""
    paging = 'paging = { link = "a.next", pager = "nav", says = "{page} of {last}" }'
    pages = Pages(
        {
            "https://s.example/list": LIST.format("a") + "<nav>1 of 3 <a class=next href=?p=2>Next</a></nav>",
            "https://s.example/list?p=2": LIST.format("b") + "<nav>2 of 3 <a class=next href=?p=02>Next</a></nav>",
            "https://s.example/list?p=02": LIST.format("b") + "<nav>2 of 3 <a class=next href=?p=2>Next</a></nav>",
        }
    )
    with pytest.raises(LayoutChanged, match=r"link to page 3 .* says that it is page 2"):
        await walked(site(listing=paging), pages)


async def test_list_may_be_followed_from_its_middle() -> None:
    paging = 'paging = { link = "a.next", pager = "nav", says = "{page} of {last}" }'
    pages = Pages(
        {
            "https://s.example/list?p=2": LIST.format("b") + "<nav>2 of 3 <a class=next href=?p=3>Next</a></nav>",
            "https://s.example/list?p=3": LIST.format("c") + "<nav>3 of 3</nav>",
        }
    )
    assert await walked(site("https://s.example/list?p=2", listing=paging), pages) == ["b", "c"]
