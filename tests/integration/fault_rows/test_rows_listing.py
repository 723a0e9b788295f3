"""Research 3.1: session, listing and pacing."""

import pytest
from tests.support.line import Line, Ran
from tests.support.rows import PER_PAGE, TITLES, errors, held, outcomes, rounds, wrong

from orihon.fetch.errors import HttpStatus, Refused, UnexpectedHtml
from orihon.jobs.payloads import FetchChapter
from orihon.samplesite import html
from orihon.sources.adapter import EmptyListing, LayoutChanged

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("fault", ["login_redirect", "challenge"])
async def test_a_walk_that_is_turned_away_fails_loudly(long: Line, fault: str) -> None:
    """3.1 rows 1 and 7: never "nothing new", and asked once, not again and again."""
    long.site.faults.set(fault)
    await long.follow()
    ran = await long.drain()
    assert errors(ran) == [UnexpectedHtml]
    assert await outcomes(long) == ["failed"]
    said = await long.pool.fetchval("SELECT last_error FROM sources")
    assert ("sign-in" if fault == "login_redirect" else "bot check") in said
    assert long.site.log.count("/works/") == 1
    assert await long.pool.fetchval("SELECT clean FROM sources") is False


@pytest.mark.parametrize("fault", ["empty_page", "rows_missing", "missing_cursor"])
@pytest.mark.parametrize("page", ["/works/", "/works/page/3/"], ids=["first page", "third page"])
async def test_a_walk_that_is_told_nothing_keeps_what_is_held(long: Line, fault: str, page: str) -> None:
    """3.1 rows 2, 8, 10 and 11, DESIGN ruling 14: absence proves nothing."""
    source = await long.follow()
    await long.drain()
    long.site.faults.set(fault, path=page)
    await long.pool.execute("UPDATE sources SET clean = false")
    await long.walk_again(source)
    (error,) = errors(await _again(long))
    assert issubclass(error, LayoutChanged)
    assert (await outcomes(long))[-1] == "failed"
    assert await held(long) == TITLES
    assert await long.pool.fetchval("SELECT clean FROM sources") is False


async def _again(made: Line) -> list[Ran]:
    await made.retry_now()
    return await made.drain()


async def test_a_walk_that_is_signed_out_in_the_middle_goes_on_from_there(long: Line) -> None:
    """3.1 row 4: what was read stays read, what was not is not taken for read."""
    long.site.faults.set("login_redirect", path="/works/page/3/", times=1)
    await long.follow()
    assert errors(await long.drain()) == [UnexpectedHtml]
    assert await held(long) == 2 * PER_PAGE
    await rounds(long)
    assert await held(long) == TITLES
    assert long.site.log.count("/works/page/4/") == 1
    assert await long.pool.fetchval("SELECT clean FROM sources") is True


@pytest.mark.parametrize("fault", ["too_many_requests", "too_many_requests_dated"])
async def test_a_pause_that_a_site_asks_for_costs_no_attempt_and_no_place(long: Line, fault: str) -> None:
    """3.1 row 5: as seconds and as a date."""
    await long.follow()
    await long.drain(most=2)
    long.site.faults.set(fault, path="/works/page/3/", times=1, seconds=40)
    assert errors(await long.drain()) == []
    row = await long.pool.fetchrow(
        "SELECT attempts, extract(epoch FROM scheduled_at - now())::float8 AS wait FROM jobs WHERE state = 'pending'"
    )
    assert row is not None
    assert row["attempts"] == 0
    assert 30 < row["wait"] <= 41
    assert await held(long) == 2 * PER_PAGE
    asked = long.site.log.total
    await long.retry_now()
    await long.drain()
    assert long.site.log.total == asked, "the whole host is left alone"
    assert (await outcomes(long))[-1] == "continued"


async def test_a_list_that_leads_back_is_no_end(long: Line) -> None:
    """3.1 row 8: a circle is a failure, and the titles behind it are not taken for read."""
    long.site.faults.set("repeated_cursor", path="/works/page/3/")
    await long.follow()
    long.chunk_seconds = 60
    ran = await long.drain()
    assert LayoutChanged in errors(ran)
    assert (await outcomes(long))[-1] == "failed"
    assert await long.pool.fetchval("SELECT clean FROM sources") is False
    long.site.faults.clear()
    await rounds(long)
    assert await held(long) == TITLES


async def test_a_place_that_is_gone_is_forgotten(long: Line) -> None:
    """3.1 row 9: the kept page is no more, for instance since the list has shrunk; the walk begins anew."""
    await long.follow()
    await long.drain(most=3)
    await long.pool.execute("UPDATE walks SET outcome = 'interrupted'")
    for work in list(long.site.catalogue.works)[4:]:
        long.site.catalogue.remove(work.slug)
    await rounds(long)
    assert (await outcomes(long))[-1] in ("end_of_list", "caught_up")
    assert await long.pool.fetchval("SELECT clean FROM sources") is True


async def test_a_list_that_fails_in_the_middle_is_no_end(long: Line) -> None:
    """3.1 row 11."""
    long.site.faults.set("server_error", path="/works/page/3/", times=1)
    await long.follow()
    assert errors(await long.drain()) == [HttpStatus]
    assert (await outcomes(long))[-1] == "failed"
    await rounds(long)
    assert await held(long) == TITLES


@pytest.mark.parametrize("path", ["/works/", "/works/*-*/", "/read/*"], ids=["list", "title", "reader"])
async def test_a_redesign_is_a_failure_in_words(small: Line, path: str) -> None:
    """3.1 rows 13 and 14: nothing is taken for empty because it has another name."""
    small.site.faults.set("renamed_field", path=path)
    await small.follow()
    ran = await small.drain()
    assert set(errors(ran)) & {LayoutChanged, EmptyListing}
    assert await small.pool.fetchval("SELECT count(*) FROM pages") == 0
    small.site.faults.clear()
    await rounds(small)
    assert await wrong(small) == []


@pytest.mark.parametrize("fault", ["server_error", "poisoned_item", "html_as_image", "private_redirect"])
async def test_one_bad_item_costs_nobody_else_anything(small: Line, fault: str) -> None:
    """3.1 row 16: isolated, said, and given up visibly."""
    first = small.site.catalogue.works[0]
    bad = html.chapter_url(first, first.chapters[0])
    image = html.page_url(first, first.chapters[0], 2, first.chapters[0].pages[1])
    small.site.faults.set(fault, path=image if fault == "html_as_image" else bad)
    await small.follow()
    ran = await rounds(small, 12)
    assert {type(one.payload) for one in ran if one.error} == {FetchChapter}
    if fault == "private_redirect":
        assert set(errors(ran)) == {Refused}
    counts = await small.pool.fetch("SELECT page_count, content_error FROM chapters ORDER BY page_count")
    assert [row["page_count"] for row in counts] == [0, 3, 3, 3]
    assert counts[0]["content_error"]
    assert await small.pool.fetchval("SELECT count(*) FROM jobs WHERE state = 'dead'") == 1


async def test_chapters_that_were_unreadable_for_a_moment_are_looked_at_again(small: Line) -> None:
    """3.1 row 16: the other chapters are kept, and the walk that ends here does not have the last word."""
    small.site.faults.set("poisoned_item", path="/works/*-*/", each=1)
    await small.follow()
    assert errors(await small.drain()) == []
    assert await outcomes(small) == ["end_of_list"]
    assert await wrong(small) == []


async def test_a_title_that_comes_without_its_chapters_is_looked_at_again(small: Line) -> None:
    """3.1 row 2, wherever in the list it stands: later walks stop above it."""
    source = await small.follow()
    await small.drain()
    last = small.site.catalogue.works[-1]
    small.site.catalogue.add_chapter(last.slug, number="9", pages=1)
    small.site.catalogue.touch(small.site.catalogue.works[-1].slug)
    small.site.faults.set("empty_page", path=html.work_url(last), each=1)
    await small.pool.execute("UPDATE sources SET clean = false")
    await small.walk_again(source)
    await rounds(small)
    assert await wrong(small) == []
