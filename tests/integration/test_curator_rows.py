"""Acceptance rows C1 to C26 of `curator` 12.1, each with the test that shows it; those without another are here.

C1  tick, all seen                 test_feed_walks (a_tick_over_a_feed_that_is_held_...)
C2  second backfill                test_feed_walks (a_second_backfill_downloads_nothing)
C3  in the store, not the ledger   test_feed_ledgers (what_the_ledger_forgot_...). Ruling 8: tier 2 is the store
C4  recovery, file gone            test_feed_ledgers (a_recovery_asks_again_...)
C5  budget between two pages       unit/test_walk_engine (a_line_that_is_out_of_time_...)
C6  budget inside a post           test_feed_walks (a_full_time_box_cuts_a_post_...)
C7  drift                          test_feed_walks (a_page_that_is_not_what_it_should_be_...[C7 renamed field])
C8  cursor in the database         test_feed_walks (a_walk_that_crashed_...), unit/test_walk_engine (steady cursors)
C9  a tick writes no cursor        test_feed_walks (a_tick_over_...). Ruling 9: a typed table; what a tick checkpoints
                                   is gone with its clean end
C10 counter over two chunks        unit/test_walk_engine (a_page_that_is_entered_again_...)
C11 lifecycle leaves the counter   test_what_ends_a_chunk_leaves_what_it_counted
C12 stop after the latch           test_feed_walks (a_pause_is_seen_at_the_next_page)
C13 never running                  test_a_walk_that_nobody_stopped_does_not_stop. There is no state to be absent: a
                                   source is followed unless it is paused, and no latch is needed
C14 the state is that of the row   test_feed_walks (a_pause_is_seen_at_the_next_page)
C15 dead after three walks         test_feed_ledgers (a_medium_that_always_fails_...), test_feed_files
C16 recovery of a dead medium      test_feed_ledgers (a_recovery_that_gets_...), test_feed_files
C17 clean download clears          test_feed_ledgers (a_medium_that_comes_at_the_second_try_...), test_feed_files
C18 live counts                    test_feed_walks (counts_are_shown_...)
C19 never after the end            test_feed_walks (counts_are_shown_...)
C20 preview                        test_a_preview_counts_what_is_new_and_brings_nothing
C21 preview's page limit           test_a_preview_ends_at_its_limit_and_says_that_more_follows
C22 the structured result          test_the_result_of_a_walk_is_real
C23 the same bytes twice           test_the_same_bytes_twice_are_one_medium_and_harm_no_transaction
C24 a creator who is not there     test_feed_walks (a_creator_who_is_not_there_...)
C25 base and adapter               test_the_engine_knows_no_kind_of_source
C26 an invalid medium              test_feed_ledgers (a_medium_that_comes_at_the_second_try_...). There is no quarantine
                                   folder: invalid bytes are never kept, and the ledger says why
"""

import inspect
from collections.abc import AsyncIterator, Collection
from pathlib import Path

import msgspec
import pytest
from tests.support.feeds import Ticking, asked, counts, follow, last, lost, posts, walks
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import journal, sources, walk
from orihon.ingest.catalogue import CatalogueLine
from orihon.ingest.feed import FeedLine
from orihon.ingest.journal import End
from orihon.ingest.rules import Outcome
from orihon.samplesite.catalogue import Swatch
from orihon.samplesite.creators import Attachment, Creators
from orihon.sources.preview import Preview, preview
from orihon.sources.registry import open_feed

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(7, 2)) as opened:
        yield opened


async def look(made: Line, *, pages: int) -> Preview:
    url = made.site.feed_url("creator-1")

    async def held(keys: Collection[str]) -> Collection[str]:
        async with made.pool.acquire() as db:
            return await sources.held_media(db, "sample_feed", url, keys)

    return await preview(open_feed("sample_feed", url, {"count": 3}), made.fetcher, pages=pages, held=held)


@pytest.mark.parametrize("outcome", [Outcome.CONTINUED, Outcome.STOPPED, Outcome.END_OF_LIST, Outcome.CAUGHT_UP])
async def test_what_ends_a_chunk_leaves_what_it_counted(made: Line, outcome: Outcome) -> None:
    """C11."""
    source = await follow(made)
    made.chunk_seconds, made.clock = 12, Ticking()
    await made.drain(most=1)
    async with made.pool.acquire() as db, db.transaction():
        begun = await journal.begin(db, source)
        assert begun is not None
        before = msgspec.structs.replace(begun.counts, entered=0)
        assert before.discovered > 0
        await journal.close(db, begun, source, End(outcome=outcome))
    told = msgspec.convert(await counts(made.pool), walk.Counts)
    assert msgspec.structs.replace(told, entered=0) == before


async def test_a_walk_that_nobody_stopped_does_not_stop(made: Line) -> None:
    """C13: its job alone is enough; no schedule and no earlier walk is needed."""
    await follow(made)
    await made.drain(most=0)
    await made.pool.execute("DELETE FROM job_schedules")
    await made.drain()
    assert await walks(made.pool) == [("backfill", "end_of_list")]
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == 7


async def test_a_preview_counts_what_is_new_and_brings_nothing(made: Line) -> None:
    """C20: in neither ledger; the sample shows only posts that have something new."""
    seen = await look(made, pages=9)
    assert seen.posts is not None
    assert (seen.posts.count, seen.posts.new, seen.posts.has_more) == (7, 14, False)
    assert await made.pool.fetchval("SELECT count(*) FROM sources") == 0
    await follow(made)
    await made.drain()
    fresh = made.site.creators.publish("creator-1", images=3)
    edited = posts(made)[5]
    edited.attachments.append(lost(edited))
    made.site.log.clear()
    seen = await look(made, pages=9)
    assert seen.posts is not None
    assert (seen.posts.count, seen.posts.new) == (8, 4)
    assert [post.key for post in seen.posts.posts] == [fresh.id, edited.id]
    assert (seen.posts.posts[0].title, seen.posts.posts[0].published_at) == (fresh.title, fresh.published)
    assert asked(made) == {}
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == 7


async def test_a_preview_ends_at_its_limit_and_says_that_more_follows(made: Line) -> None:
    """C21."""
    seen = await look(made, pages=2)
    assert seen.posts is not None
    assert (seen.posts.pages, seen.posts.count, seen.posts.has_more) == (2, 6, True)
    assert made.site.log.count("/api/creators/creator-1/posts") == 2


async def test_the_result_of_a_walk_is_real(made: Line) -> None:
    """C22: counts and place as values, not as text to be parsed, and equal to what is there."""
    broken = posts(made)[6]
    broken.attachments.append(lost(broken))
    await follow(made)
    made.chunk_seconds, made.clock = 12, Ticking()
    await made.drain(most=1)
    row = await last(made.pool)
    assert row["outcome"] == "continued"
    assert row["cursor"] is not None
    assert row["counts"]["discovered"] == await made.pool.fetchval("SELECT count(*) FROM chapters")
    made.chunk_seconds = 600
    await made.drain()
    told = await counts(made.pool)
    held = await made.pool.fetchval("SELECT count(*) FROM source_media")
    failed = await made.pool.fetchval("SELECT count(*) FROM source_failures")
    assert (told["media_new"], told["media_failed"]) == (held, failed) == (14, 1)


async def test_the_same_bytes_twice_are_one_medium_and_harm_no_transaction(made: Line) -> None:
    """C23: under two keys of one post, in two posts, and where the row is there already."""
    one, two = posts(made)[0], posts(made)[1]
    same = Swatch("the same")
    for post, name in ((one, "a.png"), (one, "b.png"), (two, "c.png")):
        post.attachments.append(Attachment(id=f"{post.id}-{name}", name=name, content=same))
    await follow(made)
    assert [ran.error for ran in await made.drain() if ran.error] == []
    assert await made.pool.fetchval("SELECT count(*) FROM media") == 15
    assert await made.pool.fetchval("SELECT count(*) FROM source_media") == 17
    assert await made.pool.fetchval("SELECT count(*) FROM pages") == 17


def test_the_engine_knows_no_kind_of_source() -> None:
    """C25: both lines offer what the engine asks for, and it names neither."""
    asked_for = {name for name in vars(walk.Line) if not name.startswith("_")}
    assert asked_for >= {"page", "keep"}
    for kind in (CatalogueLine, FeedLine):
        assert asked_for <= set(dir(kind))
    source = inspect.getsource(walk)
    assert "orihon.ingest.catalogue" not in source
    assert "orihon.ingest.feed" not in source
