"""What was seen, what fails, what is dead, and what the store has although no ledger says so (curator 2.4)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import ClientSession
from tests.support.feeds import (
    MEDIA,
    POSTS,
    SLUG,
    again,
    asked,
    counts,
    follow,
    last,
    lost,
    page_rows,
    posts,
    same,
    walks,
)
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.media.sweep import sweep
from orihon.samplesite.catalogue import Swatch
from orihon.samplesite.creators import Creators, Post

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def test_what_the_ledger_forgot_and_the_store_has_is_not_fetched_again(made: Line) -> None:
    """C3: tier 2 by the page at the medium's place; a hit back-fills the ledger."""
    source = await follow(made)
    await made.drain()
    await made.pool.execute("DELETE FROM source_media")
    made.site.log.clear()
    await again(made, source, "backfill")
    assert asked(made) == {}
    assert await made.pool.fetchval("SELECT count(*) FROM source_media WHERE media_id IS NOT NULL") == 14
    assert (await counts(made.pool))["media_held"] == 14
    await same(made)


async def test_a_recovery_asks_again_for_what_was_seen_and_is_gone(made: Line) -> None:
    """C4: the seen ledger is not believed, the store is; pages keep their ids."""
    source = await follow(made)
    await made.drain()
    key = await made.pool.fetchval("SELECT storage_key FROM media_locations ORDER BY storage_key LIMIT 1")
    (made.data / key).unlink()
    before = await made.pool.fetch("SELECT id FROM pages ORDER BY id")
    made.site.log.clear()
    await again(made, source, "backfill")
    assert asked(made) == {}, "a backfill believes the ledger"
    await again(made, source, "recovery")
    assert sum(asked(made).values()) == 1
    assert (await counts(made.pool))["media_new"] == 1
    await same(made)
    assert await made.pool.fetch("SELECT id FROM pages ORDER BY id") == before
    assert (await last(made.pool))["distrust"] is True
    await made.drain()
    assert (await walks(made.pool))[-1][0] == "tick"
    assert (await last(made.pool))["distrust"] is False


async def test_a_medium_that_always_fails_holds_nothing_back_and_is_dead_after_three_walks(made: Line) -> None:
    """C15: the fourth walk does not ask for it."""
    broken = posts(made)[2]
    broken.attachments.insert(1, lost(broken))
    source = await follow(made)
    await made.drain()
    row = await made.pool.fetchrow("SELECT page_count FROM chapters WHERE title = $1", broken.title)
    assert row is not None
    assert row["page_count"] == MEDIA
    assert [page["number"] for page in await page_rows(made, broken)] == [1, 3], (
        "a page keeps its place for a medium that may still come"
    )
    assert (await counts(made.pool))["media_failed"] == 1
    async with made.pool.acquire() as db:
        assert await sources.given_up(db, source, limit=50, offset=0) == [], "it is asked for again"
    for walked in (2, 3):
        await again(made, source, "backfill")
        assert await made.pool.fetchval("SELECT attempts FROM source_failures") == walked
    made.site.log.clear()
    await again(made, source, "backfill")
    assert asked(made) == {}
    told = await counts(made.pool)
    assert (told["media_dead"], told["media_failed"]) == (1, 0)
    async with made.pool.acquire() as db:
        (overview,) = await sources.overviews(db)
        (given_up,) = await sources.given_up(db, source, limit=50, offset=0)
    assert overview.media_dead == 1
    assert given_up.attempts == 3
    assert "404" in given_up.error, "whoever reads it learns the reason"
    assert overview.work_id == await made.pool.fetchval("SELECT id FROM works")
    assert await made.pool.fetchval("SELECT count(*) FROM source_media") == 14
    await same(made)


async def test_a_recovery_that_gets_a_dead_medium_clears_its_row(made: Line) -> None:
    """C16."""
    broken = posts(made)[2]
    broken.attachments.append(lost(broken))
    source = await follow(made)
    await made.drain()
    await made.pool.execute("UPDATE source_failures SET attempts = 3")
    await serve_at_its_claimed_size(made, broken)
    await again(made, source, "recovery")
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    await same(made)


async def serve_at_its_claimed_size(made: Line, post: Post) -> None:
    """The lost file is there after all, and the ledger's key is the one that it had while it was lost."""
    made.site.creators.replace(SLUG, post.id, f"lost-{post.id}", Swatch("found"))
    async with (
        ClientSession(made.site.origin) as session,
        session.get(f"/media/{SLUG}/{post.id}/lost-{post.id}/lost.png") as got,
    ):
        size = len(await got.read())
    await made.pool.execute("UPDATE source_failures SET key = $1", f"lost-{post.id}:{size}")


async def test_a_medium_that_comes_at_the_second_try_clears_its_row(made: Line) -> None:
    """C17, C26: while it fails it is not marked seen."""
    broken = posts(made)[0]
    broken.attachments.append(lost(broken))
    source = await follow(made)
    await made.drain()
    assert await made.pool.fetchval("SELECT attempts FROM source_failures") == 1
    assert await made.pool.fetchval("SELECT count(*) FROM source_media WHERE key LIKE 'lost-%'") == 0
    await serve_at_its_claimed_size(made, broken)
    await made.walk_again(source)
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    await same(made)


async def test_an_image_that_an_edit_took_away_and_another_brings_back_is_there_again(made: Line) -> None:
    """The sweeper takes what no page shows; the ledger then says seen, and an edit is reason enough to ask again."""
    source = await follow(made)
    await made.drain()
    post = posts(made)[1]
    taken = post.attachments.pop()
    made.site.creators.edit(SLUG, post.id, images=0)
    await made.walk_again(source)
    await same(made)
    await sweep(made.pool, made.storage, grace=-60)
    assert await made.pool.fetchval("SELECT count(*) FROM source_media WHERE media_id IS NULL") == 1
    post.attachments.append(taken)
    made.site.creators.edit(SLUG, post.id, images=0)
    await made.walk_again(source)
    await same(made)


async def test_dead_media_do_not_count_as_held(pool: Pool, tmp_path: Path) -> None:
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(40, 1)) as made:
        broken = posts(made)[10]
        broken.attachments.append(lost(broken))
        source = await follow(made, count=10)
        await made.drain()
        await pool.execute("UPDATE source_failures SET attempts = 3")
        await made.walk_again(source)
        told = await counts(pool)
        assert told["discovered"] == 31, "ten, the one that is not whole, and twenty more"
