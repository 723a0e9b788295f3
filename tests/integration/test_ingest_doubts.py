"""What titles show no more (ingest-anchors 3.1, rows 13 and 15), on the whole line."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.samplesite.site import SampleSite

pytestmark = pytest.mark.anyio


@pytest.fixture
async def shelf(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    async with line(pool, tmp_path, works=6, chapters=1, pages=1, per_page=3) as opened:
        for number, work in enumerate(opened.site.catalogue.works):
            work.authors = (f"Author {number}",)
        yield opened


async def authors(shelf: Line) -> list[list[str]]:
    return [record[0] for record in await shelf.pool.fetch("SELECT authors FROM works ORDER BY authors")]


def hide(site: SampleSite, *slugs: str) -> None:
    for work in site.catalogue.works:
        if not slugs or work.slug in slugs:
            work.authors = ()


async def test_a_field_that_all_titles_lose_is_kept_and_the_walk_says_so(shelf: Line) -> None:
    source = await shelf.follow()
    await shelf.drain()
    before = await authors(shelf)
    assert before == [[f"Author {number}"] for number in range(6)]
    hide(shelf.site)
    await shelf.walk_again(source)
    walk = await shelf.pool.fetchrow("SELECT outcome, failure, error FROM walks ORDER BY started_at DESC LIMIT 1")
    assert walk is not None
    assert (walk["outcome"], walk["failure"]) == ("caught_up", "drift")
    assert "authors" in walk["error"]
    assert "authors" in await shelf.pool.fetchval("SELECT last_error FROM sources")
    assert await authors(shelf) == before
    for number, work in enumerate(shelf.site.catalogue.works):
        work.authors = (f"Author {number}",)
    await shelf.walk_again(source)
    assert await shelf.pool.fetchval("SELECT last_error FROM sources") is None


async def test_a_field_that_one_title_loses_is_gone_after_the_same_walk(shelf: Line) -> None:
    source = await shelf.follow()
    await shelf.drain()
    newest = await shelf.pool.fetchval(
        "SELECT s.key FROM source_works s JOIN works w ON w.id = s.work_id WHERE w.authors = '{Author 0}'"
    )
    hide(shelf.site, newest)
    shelf.site.catalogue.touch(newest)
    await shelf.walk_again(source)
    assert await authors(shelf) == [[], *([f"Author {number}"] for number in range(1, 6))]
    assert await shelf.pool.fetchval("SELECT last_error FROM sources") is None
