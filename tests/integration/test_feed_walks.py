"""Walks over a creator's feed: modes, chunks, limits, ends (curator 2.3 to 2.11 and 12.1, DESIGN section 7)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.feeds import MEDIA, POSTS, SLUG, Ticking, again, asked, counts, follow, last, posts, same, walks
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import journal, sources
from orihon.ingest.journal import End
from orihon.ingest.rules import Outcome
from orihon.ingest.sources import SourceEdit
from orihon.samplesite.creators import Creators

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def test_a_feed_is_walked_to_its_end_and_reads_like_any_other_work(made: Line) -> None:
    source = await follow(made)
    ran = await made.drain()
    assert [one.error for one in ran if one.error] == []
    assert await walks(made.pool) == [("backfill", "end_of_list")]
    await same(made)
    told = await counts(made.pool)
    assert (told["discovered"], told["new"], told["media_new"], told["media_held"]) == (POSTS, POSTS, 14, 0)
    assert await made.pool.fetchval("SELECT count(*) FROM source_media WHERE media_id IS NOT NULL") == 14
    assert await made.pool.fetchval("SELECT count(*) FROM media WHERE state = 'verified'") == 14
    assert await made.pool.fetchval("SELECT bytes_fetched FROM sources") == await made.pool.fetchval(
        "SELECT sum(size) FROM media"
    )
    work = await made.pool.fetchrow("SELECT id, kind, title FROM works")
    assert work is not None
    assert (work["kind"], work["title"]) == ("feed", "Creator 1")
    async with made.pool.acquire() as db:
        (overview,) = await sources.overviews(db, source)
    assert (overview.works, overview.chapters, overview.chapters_ready) == (1, POSTS, POSTS)


async def test_a_tick_over_a_feed_that_is_held_asks_for_nothing_and_stops_early(pool: Pool, tmp_path: Path) -> None:
    """C1: twenty posts in a row, and the walk ends; it leaves no cursor behind (C9, ruling 9)."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(30, 1)) as made:
        source = await follow(made, count=10)
        await made.drain()
        made.site.log.clear()
        await made.walk_again(source)
        assert (await walks(pool))[-1] == ("tick", "caught_up")
        assert asked(made) == {}
        told = await counts(pool)
        assert (told["discovered"], told["media_held"], told["media_new"], told["pages"]) == (20, 20, 0, 2)
        row = await pool.fetchrow("SELECT clean, recovery_cursor FROM sources")
        assert row is not None
        assert tuple(row) == (True, None)


async def test_a_second_backfill_downloads_nothing(made: Line) -> None:
    """C2."""
    source = await follow(made)
    await made.drain()
    made.site.log.clear()
    await again(made, source, "backfill")
    assert (await walks(made.pool))[-1] == ("backfill", "end_of_list")
    assert asked(made) == {}
    assert (await counts(made.pool))["media_held"] == 14


async def test_a_full_time_box_cuts_a_post_before_its_next_medium(pool: Pool, tmp_path: Path) -> None:
    """C6, D18: the rest of the post is neither seen nor failed, and the next chunk goes on with it."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(2, 9)) as made:
        await follow(made)
        made.chunk_seconds, made.clock = 6, Ticking()
        await made.drain(most=1)
        assert await walks(pool) == [("backfill", "continued")]
        held = await pool.fetchval("SELECT count(*) FROM source_media")
        assert 0 < held < 9
        assert await pool.fetchval("SELECT count(*) FROM source_failures") == 0
        assert await pool.fetchval("SELECT page_count FROM chapters") == held
        assert (await last(pool))["cursor"] is None, "the top is walked again"
        made.chunk_seconds = 60
        await made.drain()
        told = await counts(pool)
        assert (told["discovered"], told["media_new"], told["pages"]) == (2, 18, 1)
        assert set(asked(made).values()) == {1}, "nothing was fetched twice"
        await same(made)


async def test_chunks_that_get_nowhere_pause_the_source_with_a_reason(made: Line) -> None:
    """curator 2.9: two in a row, and a person is asked."""
    source = await follow(made)
    made.chunk_seconds = 0
    await made.drain()
    assert await walks(made.pool) == [("backfill", "continued"), ("backfill", "stalled")]
    assert (await last(made.pool))["failure"] == "stalled"
    async with made.pool.acquire() as db:
        (overview,) = await sources.overviews(db, source)
    assert overview.source.paused
    assert overview.next_run_at is None
    assert "resume it" in (overview.source.last_error or "")
    made.chunk_seconds = 60
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(paused=False))
    await made.walk_again(source)
    assert (await walks(made.pool))[-1] == ("backfill", "end_of_list")
    await same(made)


async def test_a_walk_of_too_many_chunks_waits_for_a_person_and_then_goes_on(made: Line) -> None:
    """curator 2.9: the cap is 200 chunks."""
    source = await follow(made)
    made.chunk_seconds, made.clock = 5, Ticking()
    await made.drain(most=1)
    await made.pool.execute("UPDATE walks SET chunk = 199")
    await made.drain()
    assert (await last(made.pool))["outcome"] == "stalled"
    assert "200 parts" in (await last(made.pool))["error"]
    made.chunk_seconds = 600
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(paused=False))
    await made.walk_again(source)
    await same(made)


async def test_a_walk_that_crashed_resumes_at_its_last_cursor(made: Line) -> None:
    """C8, 2.6: a kill costs the page that was walked, and no page before it is read again."""
    source = await follow(made)
    made.chunk_seconds, made.clock = 12, Ticking()
    await made.drain(most=1)
    assert await made.pool.fetchval("SELECT recovery_cursor FROM sources") == (await last(made.pool))["cursor"]
    await made.pool.execute("UPDATE walks SET outcome = NULL, ended_at = NULL")
    made.site.log.clear()
    made.chunk_seconds = 600
    await made.drain()
    assert [outcome for _, outcome in await walks(made.pool)] == ["interrupted", "end_of_list", "end_of_list"]
    await same(made)
    assert source is not None


async def test_a_creator_who_is_not_there_is_no_empty_success(made: Line) -> None:
    """C24."""
    await follow(made, "nobody")
    (ran,) = await made.drain()
    assert ran.error is not None
    assert ((await last(made.pool))["outcome"], (await last(made.pool))["failure"]) == ("failed", "not_found")
    assert await made.pool.fetchval("SELECT count(*) FROM works") == 0


@pytest.mark.parametrize(
    ("fault", "failure"),
    [
        pytest.param("renamed_field", "drift", id="C7 renamed field"),
        pytest.param("missing_cursor", "drift", id="missing cursor"),
        pytest.param("repeated_cursor", "drift", id="repeated cursor"),
        pytest.param("login_redirect", "auth", id="login redirect"),
    ],
)
async def test_a_page_that_is_not_what_it_should_be_ends_the_walk_by_name(made: Line, fault: str, failure: str) -> None:
    source = await follow(made)
    await made.drain()
    made.site.faults.set(fault, path=f"/api/creators/{SLUG}/posts")
    async with made.pool.acquire() as db, db.transaction():
        await sources.run_now(db, source, "backfill")
    await made.drain(most=1)
    assert ((await last(made.pool))["outcome"], (await last(made.pool))["failure"]) == ("failed", failure)
    await same(made)
    made.site.faults.clear()
    await made.retry_now()
    await made.drain()
    assert (await last(made.pool))["clean"]


async def test_an_empty_feed_proves_nothing(made: Line) -> None:
    """DESIGN ruling 14: some were seen before."""
    source = await follow(made)
    await made.drain()
    kept = posts(made)[:]
    posts(made).clear()
    (ran,) = await made.walk_again(source)
    assert "proves nothing" in str(ran.error)
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == POSTS
    posts(made).extend(kept)
    await made.retry_now()
    await made.drain()
    assert (await last(made.pool))["clean"]


async def test_a_pause_is_seen_at_the_next_page(made: Line) -> None:
    """C12, C14: the posts before the boundary are held, nothing after it; resuming goes on there."""
    source = await follow(made)
    made.chunk_seconds, made.clock = 12, Ticking()
    await made.drain(most=1)
    held = await made.pool.fetchval("SELECT count(*) FROM chapters")
    assert 0 < held < POSTS
    made.chunk_seconds = 600
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(paused=True))
    await made.drain()
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == held
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(paused=False))
    await made.walk_again(source)
    await same(made)


async def test_the_byte_budget_ends_a_walk_between_two_images(made: Line) -> None:
    source = await follow(made, byte_budget=1)
    await made.drain()
    assert (await walks(made.pool))[-1] == ("backfill", "limit")
    assert await made.pool.fetchval("SELECT count(*) FROM media") <= 4
    assert "byte budget" in (await last(made.pool))["error"]
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(byte_budget=None))
    await made.walk_again(source)
    await same(made)


async def test_a_host_that_asks_for_a_pause_is_left_alone_and_no_medium_is_blamed(made: Line) -> None:
    await follow(made)
    made.site.faults.set("too_many_requests", path="/media/*")
    await made.drain(most=1)
    assert (await last(made.pool))["failure"] == "rate_limited"
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    made.site.faults.clear()


async def test_counts_are_shown_while_a_page_is_walked_and_never_after_its_end(made: Line) -> None:
    """C18, C19: guarded by the row that runs."""
    source = await follow(made)
    made.chunk_seconds, made.clock = 12, Ticking()
    await made.drain(most=1)
    async with made.pool.acquire() as db, db.transaction():
        begun = await journal.begin(db, source)
        assert begun is not None
        begun.counts.media_new = 99
        await journal.tell(db, begun, source, begun.counts)
        assert (await counts(made.pool))["media_new"] != 99, "another connection sees what is committed"
    assert (await counts(made.pool))["media_new"] == 99
    async with made.pool.acquire() as db, db.transaction():
        begun.counts.media_new = 14
        await journal.close(db, begun, source, End(outcome=Outcome.END_OF_LIST))
        begun.counts.media_new = 77
        await journal.tell(db, begun, source, begun.counts)
    assert (await counts(made.pool))["media_new"] == 14


@pytest.mark.parametrize(("given", "called"), [(None, "Wren & Söhne"), ("My own name", "My own name")])
async def test_a_source_without_a_name_is_called_after_its_creator(
    pool: Pool, tmp_path: Path, given: str | None, called: str
) -> None:
    """Once: what a person calls it later stays, and so does the name when the creator takes another."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(2, 0)) as made:
        made.site.creators.creator(SLUG).name = "Wren & Söhne"
        source = await follow(made, name=given)
        await made.drain()
        assert await pool.fetchval("SELECT name FROM sources") == called
        made.site.creators.creator(SLUG).name = "Somebody else"
        await made.walk_again(source)
        assert await pool.fetchval("SELECT name FROM sources") == called
