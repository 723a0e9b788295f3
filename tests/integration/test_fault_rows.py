"""What a robust ingester must survive (research/ingest-anchors, 3.1 to 3.3), row by row, for catalogues.

A row is shown by the test that names it here or, where the fault is not one of the whole line, by a test elsewhere:

3.1  1 login instead of a list       test_a_walk_that_is_turned_away_fails_loudly[login_redirect]
     2 an empty list                 test_a_walk_that_is_told_nothing_keeps_what_is_held,
                                     test_a_title_that_comes_without_its_chapters_is_looked_at_again
     3 only free parts               (feeds)
     4 signed out in the middle      test_a_walk_that_is_signed_out_in_the_middle_goes_on_from_there
     5 429 storm                     test_a_pause_that_a_site_asks_for_costs_no_attempt_and_no_place; test_fetch_pacing,
                                     unit/test_fetch_rules (clamped)
     6 pacing                        unit/test_fetch_pacing_rules, test_fetch_pacing; unit/test_fetch_easing (slower
                                     while a site is slow or busy, jitter)
     7 challenge                     test_a_walk_that_is_turned_away_fails_loudly[challenge]; test_fetch_http
     8 cursor lost, repeated         test_a_list_that_leads_back_is_no_end; test_ingest_walks (a_crash_is_recovered_...)
     9 the way on has expired        test_a_place_that_is_gone_is_forgotten
    10 no pagination object          test_a_walk_that_is_told_nothing_keeps_what_is_held[missing_cursor]
    11 an error is no end            test_a_list_that_fails_in_the_middle_is_no_end
    12 stopped too early             test_ingest_walks (limit_reached_is_not_clean, a_crash_is_recovered_...),
                                     test_names_and_times (the whole walk of the month)
    13 redesign                      test_a_redesign_is_a_failure_in_words; unit/test_sources_expectations
    14 a relation is renamed         test_a_redesign_is_a_failure_in_words
    15 a field is missing            unit/test_sources_expectations (title_bare), unit/test_walk_doubts,
                                     test_ingest_doubts
    16 one bad item                  test_one_bad_item_costs_nobody_else_anything,
                                     test_chapters_that_were_unreadable_for_a_moment_are_looked_at_again
    17 fewer pages than announced    test_whatever_every_address_...[vanished_rows], unit/test_sources_walks
    18 collaborators                 (feeds)
    19 a link that deletes           test_fetch_http (nothing_is_sent_that_was_not_meant_to_be)
3.2 20 HTML as an image              test_whatever_every_address_...[html_as_image]; test_fetch_http
    21 a stand-in                    test_a_stand_in_is_never_a_page
    22 truncated                     test_a_cut_image_goes_on_where_it_stopped; test_ingest_line (a_damaged_page_...)
    23 200 to a range                test_a_whole_answer_to_a_range_is_not_appended_in_the_store
    24 zero bytes                    test_whatever_every_address_...[zero_bytes]
    25 done, file missing            test_ingest_download (a_kill_...), test_media_store (a_row_is_never_made_...)
    26 a signed address expired      test_an_expired_address_is_read_anew_and_burns_no_attempt
    27 404                           test_a_page_that_is_gone_is_said_and_waits
    28 archives, external links      test_feed_files (archives; links are of platforms yet to come)
    29 kinds that are skipped        test_feed_files
    30 order, a missing page         test_whatever_every_address_...[changed_order], test_a_page_that_is_gone_...
3.3 31 names too long in bytes       test_names_of_any_length_are_kept
    32 a wrong ending                test_a_wrong_ending_is_no_reason_to_fetch_again
    33 one name for all              every chapter here has its 001.jpg; test_ingest_line (equal_pages_...)
    34 NFC and NFD                  test_names_and_times
    35 time                          test_names_and_times
    36 deleted files return          test_ingest_line (equal_pages_are_stored_once), test_tombstones
    37 gone at the source            test_what_a_site_removes_is_kept; test_ingest_line (a_vanished_chapter_...);
                                     test_feed_gone
    38 mixed case                    test_library_following (names_that_differ_only_in_case_...)

UNSEEN are the faults that no reader can tell from a site that changed: half a list, a list in another order, a
work that says it has no chapters. They end right as soon as the title is read again.
"""

from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest
from tests.support.exactness import differences
from tests.support.line import Line, Ran, line

from orihon.db.pool import Pool
from orihon.fetch.client import Limits
from orihon.fetch.errors import Gone, HttpStatus, Placeholder, Refused, UnexpectedHtml
from orihon.jobs.payloads import FetchChapter
from orihon.samplesite import html
from orihon.samplesite.catalogue import Given, Swatch
from orihon.samplesite.faults import FAULTS
from orihon.samplesite.small import swatch
from orihon.sources.adapter import EmptyListing, LayoutChanged

pytestmark = pytest.mark.anyio

LIMITS = Limits(read=0.3, total=5.0)
TITLES, PER_PAGE = 12, 3


@pytest.fixture
async def small(pool: Pool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Line]:
    """Two works with two chapters of three pages each, one work on each page of the list."""
    drawn = tmp_path_factory.getbasetemp() / "drawn-rows"
    async with line(pool, tmp_path, drawn=drawn, limits=LIMITS, works=2, chapters=2, pages=3, per_page=1) as made:
        await made.manifest()
        made.site.log.clear()
        yield made


@pytest.fixture
async def long(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """Twelve titles on four pages, with nothing to fetch in them, walked page by page."""
    async with line(pool, tmp_path, limits=LIMITS, titles=TITLES, per_page=PER_PAGE) as made:
        made.chunk_seconds = 0
        yield made


async def rounds(made: Line, most: int = 9) -> list[Ran]:
    """Drain, and let what failed try again at once, until nothing waits."""
    ran: list[Ran] = []
    for _ in range(most):
        ran += await made.drain()
        if not await made.pool.fetchval("SELECT count(*) FROM jobs WHERE state = 'pending'"):
            break
        await made.retry_now()
    return ran


def errors(ran: list[Ran]) -> list[type[Exception]]:
    return [type(one.error) for one in ran if one.error is not None]


async def wrong(made: Line) -> list[str]:
    return await differences(made.pool, await made.manifest(), made.data)


async def held(made: Line) -> int:
    count: int = await made.pool.fetchval("SELECT count(*) FROM source_works WHERE dropped_at IS NULL")
    return count


async def outcomes(made: Line) -> list[str]:
    return [row["outcome"] for row in await made.pool.fetch("SELECT outcome FROM walks ORDER BY started_at, id")]


# What is given where: everywhere, unless that takes the time of many pauses.
WHERE = {
    "too_many_requests": ("/works/", 0.0),
    "too_many_requests_dated": ("/works/", 0.0),
    "time_out": ("/*/*/00[12].*", 1.0),
    "slow_body": ("/img/*", 0.1),
}
UNSEEN = frozenset(("vanished_rows", "changed_order", "empty_page"))


@pytest.mark.parametrize("fault", sorted(FAULTS))
async def test_whatever_every_address_does_once_the_library_ends_exactly_right(small: Line, fault: str) -> None:
    path, seconds = WHERE.get(fault, ("*", None))
    small.site.faults.set(fault, path=path, each=1, seconds=seconds)
    source = await small.follow()
    await rounds(small)
    assert small.site.log.faults[fault] or fault == "range_ignored"
    if fault in UNSEEN:
        await small.pool.execute("UPDATE sources SET clean = false")
        await small.walk_again(source)
        await rounds(small)
    assert await wrong(small) == []
    served = small.site.log.served
    assert all(served[path] <= 2 for path in served if path.startswith("/img/")), "no storm"


async def test_whatever_mix_of_faults_there_is_the_library_ends_exactly_right(small: Line) -> None:
    for fault in sorted(FAULTS.keys() - UNSEEN - WHERE.keys()):
        small.site.faults.set(fault, rate=0.02)
    await small.follow()
    for _ in range(4):
        await rounds(small, 3)
    small.site.faults.clear()
    await small.pool.execute("UPDATE jobs SET state = 'pending', attempts = 0 WHERE state = 'dead'")
    await rounds(small)
    assert await wrong(small) == []


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


async def test_names_of_any_length_are_kept(small: Line) -> None:
    """3.3 row 31: no name becomes the name of a file."""
    work = small.site.catalogue.works[0]
    small.site.catalogue.rename(work.slug, "灯" * 160)
    work.chapters[0].title = "狐" * 120
    await small.follow()
    assert errors(await small.drain()) == []
    assert await wrong(small) == []
    assert all(len(file.key) < 100 for file in small.storage.kept())


async def test_a_wrong_ending_is_no_reason_to_fetch_again(small: Line) -> None:
    """3.3 row 32: an image is known by its content, and by its place in its chapter."""
    work = small.site.catalogue.works[0]
    png = swatch(Swatch("a png that is called a jpeg"))
    work.chapters[0].pages[0] = Given(png, "image/jpeg")
    source = await small.follow()
    await small.drain()
    assert await small.pool.fetchval("SELECT count(*) FROM media WHERE format = 'png' AND size = $1", len(png)) == 1
    small.site.log.clear()
    await small.pool.execute("UPDATE sources SET clean = false")
    await small.walk_again(source)
    assert small.site.log.under("/img/") == {}
    assert await wrong(small) == []


async def test_what_a_site_removes_is_kept(small: Line) -> None:
    """3.3 row 37: deletions are never mirrored."""
    source = await small.follow()
    await small.drain()
    small.site.catalogue.remove(small.site.catalogue.works[-1].slug)
    small.site.catalogue.add_chapter(small.site.catalogue.works[0].slug, number=Decimal(9), pages=1)
    await small.pool.execute("UPDATE sources SET clean = false")
    await small.walk_again(source)
    assert await small.pool.fetchval("SELECT count(*) FROM works") == 2
    assert await small.pool.fetchval("SELECT count(*) FROM pages") == 13
