"""The line end to end on loopback: a followed site becomes exactly the library it offers."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.exactness import differences
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.ingest.sources import SourceEdit
from orihon.jobs import queue
from orihon.jobs.payloads import CheckMedium, FetchChapter, FetchCover, PageRefetch, SyncTitle, WalkSource
from orihon.samplesite.catalogue import Given

pytestmark = pytest.mark.anyio


@pytest.fixture
async def small(pool: Pool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Line]:
    """A site of three works with four chapters of three pages each."""
    drawn = tmp_path_factory.getbasetemp() / "drawn"
    async with line(pool, tmp_path, drawn=drawn, works=3, chapters=4, pages=3) as made:
        yield made


async def fill(small: Line) -> None:
    ran = await small.drain()
    assert [one for one in ran if one.error] == []


async def exact(small: Line) -> None:
    assert await differences(small.pool, await small.manifest(), small.data) == []


async def walks(pool: Pool) -> list[tuple[str, str]]:
    rows = await pool.fetch("SELECT mode, outcome FROM walks ORDER BY started_at, id")
    return [(row["mode"], row["outcome"]) for row in rows]


async def test_a_followed_site_becomes_exactly_its_library(small: Line) -> None:
    await small.follow()
    await fill(small)
    await exact(small)
    assert await walks(small.pool) == [("backfill", "end_of_list")]


async def test_a_second_look_at_an_unchanged_site_stops_at_its_first_title(small: Line) -> None:
    source = await small.follow()
    await fill(small)
    small.site.log.clear()
    await small.walk_again(source)
    assert (await walks(small.pool))[-1] == ("tick", "caught_up")
    assert small.site.log.total == 2, "one page of the list and one title"
    await exact(small)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        pytest.param({"content": "on_open"}, {"content": "all"}, id="all chapters, after those that were opened"),
        pytest.param({"content": "wanted"}, {"content": "all"}, id="all chapters, after those that were wanted"),
        pytest.param({"byte_budget": 1}, {"byte_budget": None}, id="a budget that was used up, and is none now"),
        pytest.param({"byte_budget": 1}, {"byte_budget": 10**9}, id="a budget that was used up, and is raised"),
    ],
)
@pytest.mark.parametrize("paused", [False, True])
async def test_a_source_that_may_bring_more_brings_what_it_left_out(
    small: Line, first: dict[str, Any], then: dict[str, Any], paused: bool
) -> None:
    """Of every title, although a walk that looks for news stops at the first."""
    source = await small.follow(**first)
    await fill(small)
    await small.walk_again(source)
    assert (await walks(small.pool))[-1] == ("tick", "caught_up")
    async with small.pool.acquire() as db, db.transaction():
        if paused:
            await sources.pause(db, source)
        assert await sources.edit(db, source, SourceEdit(**then))
    if paused:
        assert [one.payload for one in await small.drain() if isinstance(one.payload, WalkSource)] == []
        async with small.pool.acquire() as db, db.transaction():
            assert await sources.edit(db, source, SourceEdit(paused=False))
            await sources.run_now(db, source)
    await fill(small)
    await exact(small)


@pytest.mark.parametrize(
    "then",
    [
        pytest.param({"content": "wanted"}, id="it is to bring less"),
        pytest.param({"byte_budget": 10**9}, id="its budget was never used up"),
        pytest.param({"content": "all", "name": "Another"}, id="nothing that matters"),
    ],
)
async def test_any_other_change_of_a_source_asks_the_site_for_nothing(small: Line, then: dict[str, Any]) -> None:
    source = await small.follow()
    await fill(small)
    small.site.log.clear()
    async with small.pool.acquire() as db, db.transaction():
        assert await sources.edit(db, source, SourceEdit(**then))
    await fill(small)
    assert small.site.log.total == 0


@pytest.mark.parametrize("back", [False, True])
async def test_a_title_whose_list_lost_or_regained_a_chapter_does_not_hide_the_news_below_it(
    small: Line, back: bool
) -> None:
    """The site shows it on top for that, and nothing else of it has changed."""
    catalogue = small.site.catalogue
    upper, lower = catalogue.works[1], catalogue.works[2]
    source = await small.follow()
    await fill(small)
    gone = catalogue.remove_chapter(upper.slug, upper.chapters[0].key)
    if back:
        catalogue.touch(upper.slug)
        await small.walk_again(source)
        upper.chapters.insert(0, gone)
    catalogue.add_chapter(lower.slug, number="99")
    catalogue.touch(upper.slug)
    await small.walk_again(source)
    assert (await walks(small.pool))[-1] == ("tick", "caught_up")
    assert await small.pool.fetchval("SELECT page_count FROM chapters WHERE number = 99") == 3


async def test_news_arrives_and_nothing_is_fetched_twice(small: Line) -> None:
    source = await small.follow()
    await fill(small)
    work = small.site.catalogue.works[-1].slug
    small.site.catalogue.add_chapter(work, number="99")
    small.site.log.clear()
    await small.walk_again(source)
    await exact(small)
    images = small.site.log.under("/img/")
    assert len(images) == 3, "only the new chapter's"
    assert set(images.values()) == {1}, "each image once"


async def test_a_renamed_work_keeps_its_identity_and_its_pages(small: Line) -> None:
    source = await small.follow()
    await fill(small)
    slug = small.site.catalogue.works[0].slug
    query = "SELECT work_id FROM source_works WHERE key = $1"
    before = await small.pool.fetchval(query, slug)
    small.site.catalogue.rename(slug, "Another Name Entirely")
    small.site.catalogue.touch(slug)
    await small.walk_again(source)
    assert await small.pool.fetchval(query, slug) == before
    await exact(small)


async def test_a_chapter_that_has_its_pages_is_not_asked_for_again(small: Line) -> None:
    """AN-15."""
    source = await small.follow()
    await fill(small)
    small.site.log.clear()
    chapter = await small.pool.fetchval("SELECT chapter_id FROM source_chapters LIMIT 1")
    async with small.pool.acquire() as db:
        await queue.enqueue(db, FetchChapter(source_id=source, chapter_id=chapter))
    ran = await small.drain()
    assert [(type(one.payload), one.error) for one in ran] == [(FetchChapter, None)]
    assert not small.site.log.under("/")


async def test_covers_that_are_all_there_are_not_queued_again(small: Line) -> None:
    """AN-25."""
    source = await small.follow()
    await fill(small)
    await small.walk_again(source)
    assert await small.pool.fetchval("SELECT count(*) FROM jobs WHERE kind = 'fetch_cover'") == 3
    assert not await small.pool.fetchval("SELECT count(*) FROM jobs WHERE kind = 'fetch_cover' AND state <> 'done'")


async def test_a_changed_cover_replaces_the_old_one(small: Line) -> None:
    source = await small.follow()
    await fill(small)
    slug = small.site.catalogue.works[0].slug
    small.site.catalogue.change_cover(slug)
    small.site.catalogue.touch(slug)
    await small.walk_again(source)
    await exact(small)
    assert await small.pool.fetchval("SELECT count(*) FROM covers") == 3


async def test_a_cover_that_failed_is_brought_later_although_walks_stop_early(small: Line) -> None:
    """crawler-core 8.6: the back-fill."""
    work = small.site.catalogue.works[-1]
    good = work.cover
    small.site.catalogue.change_cover(work.slug, Given(b"<html>Please sign in</html>", "image/jpeg"))
    source = await small.follow()
    ran = await small.drain()
    assert [type(one.payload) for one in ran if one.error] == [FetchCover]
    error = await small.pool.fetchval("SELECT cover_error FROM source_works WHERE key = $1", work.slug)
    assert "HTML" in error or "web page" in error or "sign" in error
    await small.pool.execute("UPDATE jobs SET state = 'dead' WHERE state = 'pending' AND kind = 'fetch_cover'")
    work.cover = good
    await small.walk_again(source)
    await exact(small)


GIVEN_UP = """
    INSERT INTO jobs (lane, kind, payload, line, dedupe_key, state, last_error)
    SELECT lane, kind, payload, line, dedupe_key, 'dead', 'the site was down' FROM jobs WHERE state = 'pending'
 RETURNING kind
"""


async def test_what_succeeds_makes_earlier_failures_of_the_same_moot(small: Line) -> None:
    """Else a person is told for weeks of chapters, covers and images that are there."""
    await small.follow()
    await small.drain(most=1)
    given_up = {row["kind"] for row in await small.pool.fetch(GIVEN_UP)}
    await small.drain(only=lambda payload: not isinstance(payload, CheckMedium))
    given_up |= {row["kind"] for row in await small.pool.fetch(GIVEN_UP)}
    await small.retry_now()
    await fill(small)
    assert given_up == {"fetch_chapter", "fetch_cover", "check_medium"}
    assert await small.pool.fetchval("SELECT count(*) FROM jobs WHERE state = 'dead'") == 0


async def test_one_bad_page_keeps_the_whole_chapter_out_until_it_is_mended(small: Line) -> None:
    """All or nothing; research 3.1 row 16: the other chapters do not suffer."""
    work = small.site.catalogue.works[0]
    chapter = work.chapters[0]
    small.site.catalogue.replace_page(work.slug, chapter.key, 2, b"<html><title>Log in</title></html>", "image/jpeg")
    await small.follow()
    failed = [one for one in await small.drain() if one.error]
    assert [type(one.payload) for one in failed] == [FetchChapter]
    row = await small.pool.fetchrow(
        "SELECT page_count, content_error FROM chapters c JOIN source_chapters s ON s.chapter_id = c.id"
        " WHERE s.work_key = $1 AND s.key = $2",
        work.slug, chapter.key,
    )  # fmt: skip
    assert row is not None
    assert row["page_count"] == 0
    assert row["content_error"]
    assert await small.pool.fetchval("SELECT count(*) FROM chapters WHERE page_count > 0") == 11
    small.site.catalogue.mend_page(work.slug, chapter.key, 2)
    await small.retry_now()
    await fill(small)
    await exact(small)


async def test_a_title_that_fails_in_a_walk_is_fetched_by_a_job_of_its_own(small: Line) -> None:
    """docs/decisions/0003."""
    slug = small.site.catalogue.works[1].slug
    hidden = small.site.catalogue._works.pop(slug)
    await small.follow()
    ran = await small.drain()
    assert SyncTitle in [type(one.payload) for one in ran]
    small.site.catalogue._works[slug] = hidden
    await small.retry_now()
    await fill(small)
    assert hidden.title in [row["title"] for row in await small.pool.fetch("SELECT title FROM works")]
    await exact(small)


async def test_an_empty_chapter_list_where_there_were_chapters_changes_nothing(small: Line) -> None:
    """AN-21, crawler-core 8.2 step 2."""
    source = await small.follow()
    await fill(small)
    work = small.site.catalogue.works[0]
    chapters, work.chapters = work.chapters, []
    small.site.catalogue.touch(work.slug)
    await small.walk_again(source)
    counts = await small.pool.fetchval("SELECT counts FROM walks ORDER BY started_at DESC LIMIT 1")
    assert counts["skipped"] == 1
    assert await small.pool.fetchval("SELECT count(*) FROM source_chapters WHERE dropped_at IS NOT NULL") == 0
    work.chapters = chapters
    await small.retry_now()
    await fill(small)
    await exact(small)


async def test_a_vanished_chapter_is_kept_and_no_longer_listed(small: Line) -> None:
    source = await small.follow()
    await fill(small)
    work = small.site.catalogue.works[0]
    gone = small.site.catalogue.remove_chapter(work.slug, work.chapters[1].key)
    small.site.catalogue.touch(work.slug)
    await small.walk_again(source)
    dropped = await small.pool.fetch(
        "SELECT s.key, c.page_count FROM source_chapters s JOIN chapters c ON c.id = s.chapter_id"
        " WHERE s.dropped_at IS NOT NULL"
    )
    assert [(row["key"], row["page_count"]) for row in dropped] == [(gone.key, 3)]


@pytest.mark.parametrize(("content", "chapters"), [("all", 12), ("wanted", 0), ("on_open", 0)])
async def test_what_is_fetched_is_what_the_source_is_asked_to_bring(small: Line, content: str, chapters: int) -> None:
    await small.follow(content=content)
    await fill(small)
    assert await small.pool.fetchval("SELECT count(*) FROM chapters") == 12
    assert await small.pool.fetchval("SELECT count(*) FROM chapters WHERE page_count > 0") == chapters


async def test_a_byte_budget_ends_fetching_and_says_so(small: Line) -> None:
    await small.follow(byte_budget=1)
    await fill(small)
    ready = await small.pool.fetchval("SELECT count(*) FROM chapters WHERE page_count > 0")
    assert ready == 1, "the one that crossed the line is whole"
    assert "byte budget" in await small.pool.fetchval(
        "SELECT content_error FROM chapters WHERE content_error IS NOT NULL LIMIT 1"
    )


async def test_chapters_arrive_in_reading_order(small: Line) -> None:
    """crawler-daemon-reader 17.2."""
    await small.follow()
    ran = await small.drain()
    order = [one.payload.chapter_id for one in ran if isinstance(one.payload, FetchChapter)]
    rows = await small.pool.fetch("SELECT id, work_id, sort_key FROM chapters")
    place = {row["id"]: (row["work_id"], row["sort_key"]) for row in rows}
    for work in {work for work, _ in place.values()}:
        keys = [place[chapter][1] for chapter in order if place[chapter][0] == work]
        assert keys == sorted(keys)


async def test_a_chapter_with_too_many_pages_fails_before_anything_is_downloaded(small: Line) -> None:
    """crawler-core 8.8 step 4."""
    small.max_pages = 2
    await small.follow()
    failed = [one for one in await small.drain() if isinstance(one.payload, FetchChapter)]
    assert len(failed) == 12
    assert all("3 pages" in str(one.error) for one in failed)
    assert [path for path in small.site.log.under("/img/") if "cover" not in path] == []


async def test_a_damaged_page_is_fetched_again_once_and_keeps_its_id(small: Line) -> None:
    """DESIGN ruling 20."""
    work = small.site.catalogue.works[0]
    chapter = work.chapters[0]
    small.site.catalogue.replace_page(work.slug, chapter.key, 1, _grey(await small.picture(work, chapter, 1)))
    await small.follow()
    await small.drain(only=lambda payload: not isinstance(payload, PageRefetch))
    before = await small.pool.fetchrow("SELECT id, damage FROM pages WHERE damage IS NOT NULL")
    assert before is not None
    small.site.catalogue.mend_page(work.slug, chapter.key, 1)
    await small.retry_now()
    await fill(small)
    after = await small.pool.fetchrow("SELECT id, damage FROM pages WHERE id = $1", before["id"])
    assert after is not None
    assert after["damage"] is None
    await exact(small)


async def test_a_page_that_is_damaged_twice_is_given_up_visibly(small: Line) -> None:
    work = small.site.catalogue.works[0]
    chapter = work.chapters[0]
    small.site.catalogue.replace_page(work.slug, chapter.key, 1, _grey(await small.picture(work, chapter, 1)))
    await small.follow()
    await fill(small)
    row = await small.pool.fetchrow("SELECT damage, refetches FROM pages WHERE damage IS NOT NULL")
    assert row is not None
    assert "damaged at the site, too" in row["damage"]
    assert row["refetches"] == 1
    assert await small.pool.fetchval("SELECT count(*) FROM jobs WHERE state <> 'done'") == 0


async def test_equal_pages_are_stored_once(small: Line) -> None:
    work, other = small.site.catalogue.works[:2]
    body = await small.picture(work, work.chapters[0], 1)
    for one in (work, other):
        small.site.catalogue.replace_page(one.slug, one.chapters[0].key, 2, body)
    await small.follow()
    await fill(small)
    shown = await small.pool.fetchval(
        "SELECT max(n) FROM (SELECT count(*) AS n FROM pages GROUP BY media_id) AS counted"
    )
    assert shown == 3
    assert await small.pool.fetchval("SELECT count(*) = count(DISTINCT sha256) FROM media")


async def test_removing_a_source_keeps_what_it_brought(small: Line) -> None:
    source = await small.follow()
    await fill(small)
    async with small.pool.acquire() as db, db.transaction():
        assert await sources.remove(db, source)
    assert await small.pool.fetchval("SELECT count(*) FROM pages") == 36
    assert await small.drain() == []


async def test_a_paused_source_is_not_walked(small: Line) -> None:
    source = await small.follow()
    async with small.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, sources.SourceEdit(paused=True))
    ran = await small.walk_again(source)
    assert [type(one.payload) for one in ran] == [WalkSource]
    assert small.site.log.total == 0


def _grey(body: bytes) -> bytes:
    """The head and the end of a picture with nonsense in between."""
    middle = len(body) // 2
    return body[:middle] + b"\xff\xd3" * 1500 + body[middle + 3000 :]
