"""The profile `sample` fits the markup of the sample site, work by work."""

from urllib.parse import urlsplit

import pytest

from orihon.samplesite import Catalogue, html
from orihon.sources.adapter import Document
from orihon.sources.preview import preview
from orihon.sources.records import Cursor, TitleRef
from orihon.sources.registry import open_adapter

pytestmark = pytest.mark.anyio

SITE = "http://sample.example"
PER_PAGE = 12


class SampleSite:
    """The site's pages, without a server."""

    def __init__(self, catalogue: Catalogue) -> None:
        works = catalogue.works
        last = -(-len(works) // PER_PAGE)
        self._pages = {
            html.listing_url(page): html.listing(works[(page - 1) * PER_PAGE : page * PER_PAGE], page, last)
            for page in range(1, last + 1)
        }
        for work in works:
            self._pages[html.work_url(work)] = html.title(work)
            self._pages |= {html.chapter_url(work, chapter): html.reader(work, chapter) for chapter in work.chapters}

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        body = self._pages[urlsplit(url).path].encode()
        return Document(url=url, status=200, content_type="text/html; charset=utf-8", body=body)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue.sample()


async def test_whole_sample_site_is_read_as_its_catalogue_says(catalogue: Catalogue) -> None:
    site = SampleSite(catalogue)
    adapter = open_adapter("html", f"{SITE}/works/", {"profile": "sample"})
    refs: list[TitleRef] = []
    cursor: Cursor | None = adapter.start()
    while cursor is not None:
        listing = await adapter.listing(site, cursor)
        assert listing.dropped == 0
        refs += listing.refs
        cursor = listing.next
    works = catalogue.works
    assert [(ref.key, ref.title) for ref in refs] == [(work.slug, work.title) for work in works]
    for ref, work in zip(refs, works, strict=True):
        title = await adapter.title(site, ref)
        assert title.title == work.title
        assert title.alt_titles == tuple(work.alt_titles)
        assert (title.status or "").casefold() == (work.status or "").casefold()
        assert title.reading_direction == work.direction
        assert title.authors == tuple(work.authors)
        assert title.artists == tuple(work.artists)
        assert title.genres == tuple(work.genres)
        assert title.tags == tuple(tag.rpartition(" (")[0] or tag for tag in work.tags)
        assert title.cover_url == (work.cover and f"{SITE}{html.cover_url(work)}")
        assert [chapter.key for chapter in title.chapters] == [chapter.key for chapter in work.chapters]
        assert [chapter.title for chapter in title.chapters] == [chapter.label for chapter in work.chapters]
        assert [chapter.number for chapter in title.chapters] == [chapter.number for chapter in work.chapters]
        for chapter, made in zip(title.chapters, work.chapters, strict=True):
            pages = await adapter.pages(site, chapter)
            assert [page.url for page in pages] == [
                f"{SITE}{html.page_url(work, made, number, image)}" for number, image in enumerate(made.pages, start=1)
            ]


async def test_preview_of_the_sample_site_shows_each_part(catalogue: Catalogue) -> None:
    adapter = open_adapter("html", f"{SITE}/works/", {"profile": "sample"})
    seen = await preview(adapter, SampleSite(catalogue), shown=3)
    assert seen.failure is None
    assert seen.listing is not None
    assert (seen.listing.count, len(seen.listing.refs), seen.listing.dropped) == (PER_PAGE, 3, 0)
    assert seen.title is not None
    assert seen.title.title == catalogue.works[0].title
    assert seen.chapters is not None
    assert seen.pages is not None
    assert seen.pages.count >= len(seen.pages.refs) > 0
