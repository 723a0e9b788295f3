"""Posts that a creator deletes are kept and marked (research/ingest-anchors 3.1 row 12 and 3.3 row 37); absence proves
something only at the end of a walk over the whole feed.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from tests.support.feeds import MEDIA, POSTS, SLUG, Ticking, follow, last, posts, walks
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.ingest.rules import Asked
from orihon.library import chapters
from orihon.library.posts import are_gone
from orihon.samplesite.creators import Creators, Post

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def whole(made: Line, source: UUID, mode: Asked = "backfill") -> None:
    """Walk over the whole feed, and tick after it if that is what follows."""
    async with made.pool.acquire() as db:
        await sources.run_now(db, source, mode)
    await made.drain()


def delete(made: Line, *numbers: int) -> list[Post]:
    """Posts that the creator deletes, by their places, newest first."""
    gone = [posts(made)[number] for number in numbers]
    return [made.site.creators.delete(SLUG, post.id) for post in gone]


async def marked(made: Line) -> set[str]:
    return {row["key"] for row in await made.pool.fetch("SELECT key FROM source_chapters WHERE dropped_at IS NOT NULL")}


async def told_as_gone(made: Line) -> set[str | None]:
    work_id = await made.pool.fetchval("SELECT id FROM works")
    async with made.pool.acquire() as db:
        listed = await chapters.in_reading_order(db, work_id, limit=100, offset=0)
    assert listed is not None
    return {chapter.title for chapter in listed.chapters if chapter.gone}


async def everything(made: Line) -> tuple[int, int]:
    row = await made.pool.fetchrow("SELECT (SELECT count(*) FROM chapters), (SELECT count(*) FROM pages)")
    return tuple(row)


@pytest.mark.parametrize("mode", ["backfill", "recovery"])
async def test_what_a_whole_walk_does_not_see_is_marked_and_kept(made: Line, mode: Asked) -> None:
    source = await follow(made)
    await made.drain()
    assert await marked(made) == set()
    gone = delete(made, 1, 4)
    made.chunk_seconds, made.clock = 4, Ticking()  # a chunk for each page: a boundary is no end
    await whole(made, source, mode)
    assert await marked(made) == {post.id for post in gone}
    assert await told_as_gone(made) == {post.title for post in gone}
    assert await everything(made) == (POSTS, POSTS * MEDIA)
    assert await made.pool.fetchval("SELECT last_error FROM sources") is None
    assert (mode, "continued") in await walks(made.pool)


async def test_a_tick_marks_only_when_it_comes_to_the_end(pool: Pool, tmp_path: Path) -> None:
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(30, 0)) as long:
        source = await follow(long, count=10)
        await long.drain()
        (gone,) = delete(long, 25)
        await long.walk_again(source)
        assert (await walks(pool))[-1] == ("tick", "caught_up")
        assert await marked(long) == set()
        await pool.execute("UPDATE sources SET whole_at = now() - interval '31 days'")
        await long.walk_again(source)
        assert (await walks(pool))[-1] == ("backfill", "end_of_list")
        assert await marked(long) == {gone.id}


async def test_a_tick_over_a_short_feed_sees_all_of_it(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    (gone,) = delete(made, 5)
    await made.walk_again(source)
    assert (await walks(made.pool))[-1] == ("tick", "end_of_list")
    assert await marked(made) == {gone.id}


@pytest.mark.parametrize("again", ["tick", "backfill"])
async def test_a_post_that_comes_back_is_marked_no_more(made: Line, again: str) -> None:
    source = await follow(made)
    await made.drain()
    (gone,) = delete(made, 2)
    await whole(made, source)
    assert await marked(made) == {gone.id}
    posts(made).insert(2, gone)
    if again == "tick":
        await made.walk_again(source)
    else:
        await whole(made, source)
    assert (await walks(made.pool))[-1][0] == again
    assert await marked(made) == set()
    assert await everything(made) == (POSTS, POSTS * MEDIA)


async def test_a_walk_that_was_cut_short_marks_nothing_until_a_recovery_has_seen_the_rest(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    gone = delete(made, 1, 5)
    made.chunk_seconds, made.clock = 4, Ticking()
    async with made.pool.acquire() as db:
        await sources.run_now(db, source, "backfill")
    await made.drain(most=1)
    await made.pool.execute("UPDATE walks SET outcome = NULL, ended_at = NULL WHERE outcome = 'continued'")
    assert await marked(made) == set()
    await made.drain()
    assert ("recovery", "end_of_list") in await walks(made.pool)
    assert await marked(made) == {post.id for post in gone}


async def test_a_recovery_alone_has_not_seen_what_stands_above_it(made: Line) -> None:
    """What the walk before it saw is not known: it was one of an earlier version, or it could not read every post."""
    source = await follow(made)
    await made.drain()
    made.chunk_seconds, made.clock = 4, Ticking()
    async with made.pool.acquire() as db:
        await sources.run_now(db, source, "backfill")
    await made.drain(most=1)
    await made.pool.execute("UPDATE walks SET outcome = NULL, ended_at = NULL WHERE outcome = 'continued'")
    await made.pool.execute("UPDATE sources SET whole_walk = NULL")
    await made.pool.execute("UPDATE source_chapters SET seen_walk = NULL")
    made.chunk_seconds = 600
    await made.drain(most=1)
    assert (await walks(made.pool))[-1] == ("recovery", "end_of_list")
    assert await marked(made) == set()


async def test_a_walk_that_a_limit_ended_marks_nothing(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    delete(made, 6)
    await made.pool.execute("UPDATE sources SET item_limit = 4")
    await whole(made, source)
    assert (await walks(made.pool))[-1][1] == "limit"
    assert await marked(made) == set()


async def test_a_walk_that_failed_marks_nothing(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    delete(made, 1)
    made.site.faults.set("missing_cursor", path=f"/api/creators/{SLUG}/posts")
    await whole(made, source)
    assert await marked(made) == set()


async def test_a_walk_that_could_not_read_every_post_marks_nothing(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    made.site.faults.set("poisoned_item", path=f"/api/creators/{SLUG}/posts", times=1)
    await whole(made, source)
    assert (await last(made.pool))["outcome"] == "end_of_list"
    assert (await last(made.pool))["counts"]["dropped"] > 0
    assert await marked(made) == set()


async def test_a_walk_that_misses_most_posts_marks_none_and_says_so(made: Line) -> None:
    """Research 3.1 row 3: an account that lost its rights sees a part of the feed."""
    source = await follow(made)
    await made.drain()
    gone = delete(made, 0, 1, 2, 3)
    await whole(made, source)
    assert await marked(made) == set()
    assert "only 3 of 7 posts" in await made.pool.fetchval("SELECT last_error FROM sources")
    assert await made.pool.fetchval("SELECT clean FROM sources")
    posts(made).insert(0, gone[0])
    await whole(made, source)
    assert await marked(made) == {post.id for post in gone[1:]}
    assert await made.pool.fetchval("SELECT last_error FROM sources") is None


async def test_an_empty_feed_marks_nothing(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    delete(made, *range(POSTS))
    await whole(made, source)
    assert await marked(made) == set()


@pytest.mark.parametrize(
    ("seen", "unseen", "gone"), [(0, 0, False), (0, 1, False), (5, 0, False), (5, 5, True), (5, 6, False)]
)
def test_most_posts_of_a_feed_are_not_gone_at_once(seen: int, unseen: int, gone: bool) -> None:
    assert are_gone(seen=seen, unseen=unseen) is gone
