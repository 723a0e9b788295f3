"""Research 3.2: files on the wire."""

from pathlib import Path

import pytest
from tests.support.line import Line, line
from tests.support.rows import errors, rounds, wrong

from orihon.db.pool import Pool
from orihon.fetch.errors import Gone, Placeholder
from orihon.samplesite import html

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("fault", ["placeholder", "placeholder_redirect"])
async def test_a_stand_in_is_never_a_page(small: Line, fault: str) -> None:
    """3.2 row 21: known by its bytes, or by where the redirect leads."""
    small.site.faults.set(fault, path="/img/*")
    await small.follow()
    ran = await small.drain()
    assert set(errors(ran)) == {Placeholder}
    assert await small.pool.fetchval("SELECT count(*) FROM media") == 0
    assert "removed" in await small.pool.fetchval("SELECT content_error FROM chapters LIMIT 1")
    small.site.faults.clear()
    await rounds(small)
    assert await wrong(small) == []


async def test_a_stand_in_is_never_a_page_of_a_post(pool: Pool, tmp_path: Path) -> None:
    """3.2 row 21 for feeds."""
    async with line(pool, tmp_path, works=1, chapters=0, posts=2) as made:
        made.site.faults.set("placeholder", path="/media/*", times=4)
        source = await made.follow(adapter="sample_feed", url=made.site.feed_url("creator-1"), settings={})
        await made.drain()
        assert await pool.fetchval("SELECT count(*) FROM media") == 0
        await made.walk_again(source)
        assert await pool.fetchval("SELECT count(*) FROM pages") == 4


async def test_a_cut_image_goes_on_where_it_stopped(small: Line) -> None:
    """3.2 row 22, curator D6: what has arrived is not sent again."""
    small.site.faults.set("cut_body", path="/img/*", each=1)
    await small.follow()
    assert errors(await small.drain()) == []
    images = [seen for seen in small.site.log.latest if seen.path.startswith("/img/")]
    assert all(seen.range for seen in images if seen.fault is None)
    assert {seen.status for seen in images if seen.range} == {206}
    assert await wrong(small) == []


async def test_a_whole_answer_to_a_range_is_not_appended_in_the_store(small: Line) -> None:
    """3.2 row 23, curator D7: no doubled bytes."""
    small.site.faults.set("cut_body", path="/img/*", each=1)
    small.site.faults.set("range_ignored", path="/img/*", each=1)
    await small.follow()
    assert errors(await small.drain()) == []
    assert small.site.log.faults["range_ignored"] == small.site.log.faults["cut_body"] > 0
    assert await wrong(small) == []


async def test_an_expired_address_is_read_anew_and_burns_no_attempt(small: Line) -> None:
    """3.2 row 26: the chapter is read again for fresh addresses, within its job."""
    small.site.faults.set("expired_address", path="/read/*", each=1)
    await small.follow()
    assert errors(await small.drain()) == []
    assert set(small.site.log.under("/read/").values()) == {2}
    assert await wrong(small) == []


async def test_a_page_that_is_gone_is_said_and_waits(small: Line) -> None:
    """3.2 rows 27 and 30: all or nothing, by crawler-core 8.8; the reason names the page, and no page is asked for in a
    loop."""
    work = small.site.catalogue.works[0]
    chapter = work.chapters[0]
    gone = html.page_url(work, chapter, 2, chapter.pages[1])
    small.site.faults.set("not_found", path=gone)
    await small.follow()
    assert errors(await small.drain()) == [Gone]
    assert small.site.log.count(gone) == 1
    said = await small.pool.fetchval("SELECT content_error FROM chapters WHERE content_error IS NOT NULL")
    assert gone in said
    small.site.faults.clear()
    await rounds(small)
    assert await wrong(small) == []
