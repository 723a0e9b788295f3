"""What a person deleted does not come back with the next walk (DESIGN section 7, research 3.3 row 36).

The rule of the ledgers; the places in the interface where something is deleted are yet to come.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from tests.support.feeds import SLUG, again, asked, counts, follow, last, posts, walks
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.library import tombstones
from orihon.media.sweep import sweep
from orihon.ops import queue_check
from orihon.samplesite.creators import Creators

pytestmark = pytest.mark.anyio


@pytest.fixture
async def feed(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """A creator with 25 posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(25, 2)) as opened:
        yield opened


@pytest.fixture
async def catalogue(pool: Pool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Line]:
    """Two works with two chapters of three pages each."""
    drawn = tmp_path_factory.getbasetemp() / "drawn-tombstones"
    async with line(pool, tmp_path, drawn=drawn, works=2, chapters=2, pages=3, per_page=1) as opened:
        yield opened


async def chapter_of(made: Line, key: str) -> UUID:
    found: UUID = await made.pool.fetchval("SELECT chapter_id FROM source_chapters WHERE key = $1", key)
    return found


async def medium_of(made: Line, key: str, number: int = 1) -> UUID:
    found: UUID = await made.pool.fetchval(
        "SELECT media_id FROM pages WHERE chapter_id = $1 AND number = $2", await chapter_of(made, key), number
    )
    return found


async def tombstone(made: Line) -> UUID:
    found: UUID = await made.pool.fetchval("SELECT id FROM tombstones ORDER BY source_id NULLS FIRST LIMIT 1")
    return found


def covers_asked(made: Line) -> int:
    return sum(count for path, count in made.site.log.under("/img/").items() if path.count("/") == 3)


def pages_asked(made: Line) -> int:
    return sum(count for path, count in made.site.log.under("/img/").items() if path.count("/") == 4)


async def backfill(made: Line, source: UUID) -> None:
    """Walk over the whole list, and bring what that queues."""
    await again(made, source, "backfill")
    await made.drain()


async def test_a_post_that_was_deleted_here_stays_away_until_that_is_undone(feed: Line) -> None:
    """Whatever walk comes, and although it is edited; it does not keep the walk from being caught up."""
    source = await follow(feed, count=10)
    await feed.drain()
    post = posts(feed)[3]
    async with feed.pool.acquire() as db, db.transaction():
        await tombstones.bury_chapter(db, await chapter_of(feed, post.id), reason="Not for this library.")
    feed.site.creators.edit(SLUG, post.id, images=1)
    feed.site.log.clear()
    await feed.walk_again(source)
    assert (await walks(feed.pool))[-1] == ("tick", "caught_up")
    assert (await counts(feed.pool))["skipped"] == 1
    await again(feed, source, "recovery")
    assert asked(feed) == {}
    assert await feed.pool.fetchval("SELECT count(*) FROM chapters") == 24
    assert await feed.pool.fetchval("SELECT chapter_count FROM works") == 24
    async with feed.pool.acquire() as db, db.transaction():
        assert await tombstones.undo(db, await tombstone(feed))
    await again(feed, source, "backfill")
    assert await feed.pool.fetchval("SELECT chapter_count FROM works") == 25
    assert await feed.pool.fetchval("SELECT page_count FROM chapters c JOIN source_chapters s ON s.chapter_id = c.id "
                                    "WHERE s.key = $1", post.id) == 3  # fmt: skip


async def test_a_picture_that_was_deleted_here_stays_away_under_every_key(feed: Line) -> None:
    """Known by its key it is not asked for; under another it is recognised by its bytes; undone, it comes again."""
    source = await follow(feed, count=10)
    await feed.drain()
    post, other = posts(feed)[0], posts(feed)[1]
    async with feed.pool.acquire() as db, db.transaction():
        await tombstones.bury_medium(db, await medium_of(feed, post.id), reason="An advertisement.")
    await sweep(feed.pool, feed.storage, grace=-60)
    assert await feed.pool.fetchval("SELECT count(*) FROM media") == 49
    feed.site.creators.edit(SLUG, post.id, images=0)
    feed.site.log.clear()
    await feed.walk_again(source)
    await again(feed, source, "recovery")
    assert asked(feed) == {}
    feed.site.creators.replace(SLUG, other.id, other.attachments[1].id, post.attachments[0].content)
    feed.site.creators.edit(SLUG, other.id, images=0)
    other.attachments[1] = type(other.attachments[1])(id="moved", name="x.png", content=post.attachments[0].content)
    await feed.walk_again(source)
    await feed.walk_again(source)
    assert sum(asked(feed).values()) == 1, "looked at once, and remembered"
    rows = await feed.pool.fetch("SELECT c.page_count FROM chapters c ORDER BY sort_key DESC LIMIT 3")
    assert [row["page_count"] for row in rows] == [1, 1, 2]
    async with feed.pool.acquire() as db, db.transaction():
        assert await tombstones.undo(db, await tombstone(feed))
    await again(feed, source, "backfill")
    rows = await feed.pool.fetch("SELECT c.page_count FROM chapters c ORDER BY sort_key DESC LIMIT 3")
    assert [row["page_count"] for row in rows] == [2, 2, 2]


async def test_a_creator_who_was_deleted_here_and_is_followed_still_is_said(feed: Line) -> None:
    source = await follow(feed)
    await feed.drain()
    async with feed.pool.acquire() as db, db.transaction():
        await tombstones.bury_work(db, await db.fetchval("SELECT id FROM works"), reason="Enough.")
    await feed.walk_again(source)
    assert ((await last(feed.pool))["outcome"], (await last(feed.pool))["failure"]) == ("failed", "deleted")
    assert "deleted here" in (await last(feed.pool))["error"]
    assert await feed.pool.fetchval("SELECT count(*) FROM works") == 0


async def test_a_title_that_was_deleted_here_is_not_even_asked_for(catalogue: Line) -> None:
    source = await catalogue.follow()
    await catalogue.drain()
    work = catalogue.site.catalogue.works[0]
    async with catalogue.pool.acquire() as db, db.transaction():
        work_id = await db.fetchval("SELECT work_id FROM source_works WHERE key = $1", work.slug)
        await tombstones.bury_work(db, work_id, reason="Read.")
    catalogue.site.catalogue.add_chapter(work.slug, number="9", pages=1)
    catalogue.site.log.clear()
    await again(catalogue, source, "backfill")
    await catalogue.drain()
    assert await catalogue.pool.fetchval("SELECT count(*) FROM works") == 1
    assert [path for path in catalogue.site.log.under("/works/") if work.slug in path] == []
    assert (await catalogue.pool.fetchval("SELECT sum(page_count) FROM chapters")) == 6


async def test_a_chapter_and_a_page_of_a_title_that_were_deleted_here_stay_away(catalogue: Line) -> None:
    source = await catalogue.follow()
    await catalogue.drain()
    work, other = catalogue.site.catalogue.works
    async with catalogue.pool.acquire() as db, db.transaction():
        await tombstones.bury_medium(db, await medium_of(catalogue, other.chapters[0].key, 2), reason="Credits.")
        await tombstones.bury_chapter(db, await chapter_of(catalogue, work.chapters[0].key), reason="A double.")
        emptied = await chapter_of(catalogue, other.chapters[0].key)
        await db.execute("DELETE FROM pages WHERE chapter_id = $1", emptied)
        await db.execute("UPDATE chapters SET page_count = 0, buried = '{}' WHERE id = $1", emptied)
        await db.execute("DELETE FROM jobs")
    await catalogue.pool.execute("UPDATE sources SET clean = false")
    await catalogue.walk_again(source)
    counted = await catalogue.pool.fetch("SELECT page_count FROM chapters ORDER BY page_count")
    assert [row["page_count"] for row in counted] == [2, 3, 3]
    shown = await catalogue.pool.fetch(
        "SELECT number FROM pages WHERE chapter_id = $1 ORDER BY 1", await chapter_of(catalogue, other.chapters[0].key)
    )
    assert [row["number"] for row in shown] == [1, 3], "the other pages keep their places"


async def test_a_cover_that_was_deleted_here_is_not_even_asked_for(catalogue: Line) -> None:
    """Neither by walks nor by the back-fill; another cover is welcome, and so is this one when that is undone."""
    source = await catalogue.follow()
    await catalogue.drain()
    work = catalogue.site.catalogue.works[0]
    shown = "SELECT cover_media_id FROM works w JOIN source_works s ON s.work_id = w.id WHERE s.key = $1"
    cover = await catalogue.pool.fetchval(shown, work.slug)
    async with catalogue.pool.acquire() as db, db.transaction():
        await tombstones.bury_medium(db, cover, reason="Not on the wall.")
    catalogue.site.log.clear()
    await backfill(catalogue, source)
    assert covers_asked(catalogue) == 0
    assert await catalogue.pool.fetchval(shown, work.slug) is None
    async with catalogue.pool.acquire() as db, db.transaction():
        assert [text async for text in queue_check.faults(db) if "cover" in text] == []
        assert await tombstones.undo(db, await tombstone(catalogue))
    await backfill(catalogue, source)
    assert covers_asked(catalogue) == 1
    assert await catalogue.pool.fetchval(shown, work.slug) is not None


async def test_a_cover_that_was_deleted_here_is_recognised_by_its_bytes_once(catalogue: Line) -> None:
    """Wherever it was deleted, and although it comes under another address."""
    source = await catalogue.follow()
    await catalogue.drain()
    async with catalogue.pool.acquire() as db, db.transaction():
        cover = await db.fetchval("SELECT cover_media_id FROM works WHERE cover_media_id IS NOT NULL LIMIT 1")
        await tombstones.bury_medium(db, cover, reason="Not on the wall.")
        await db.execute("UPDATE source_works SET cover_sha256 = NULL")
    catalogue.site.log.clear()
    await backfill(catalogue, source)
    await backfill(catalogue, source)
    assert covers_asked(catalogue) == 1, "looked at once, and remembered"
    assert await catalogue.pool.fetchval("SELECT count(*) FROM works WHERE cover_media_id IS NULL") == 1
    assert await catalogue.pool.fetchval("SELECT cover_error FROM source_works WHERE cover_error IS NOT NULL") == (
        "It was deleted here."
    )


async def test_a_chapter_whose_pages_were_all_deleted_here_is_not_asked_for_until_one_is_undone(
    catalogue: Line,
) -> None:
    source = await catalogue.follow()
    await catalogue.drain()
    chapter = catalogue.site.catalogue.works[0].chapters[0]
    for number in (1, 2, 3):
        async with catalogue.pool.acquire() as db, db.transaction():
            await tombstones.bury_medium(db, await medium_of(catalogue, chapter.key, number), reason="A double.")
    catalogue.site.log.clear()
    await backfill(catalogue, source)
    assert pages_asked(catalogue) == 0
    async with catalogue.pool.acquire() as db, db.transaction():
        assert [text async for text in queue_check.faults(db) if "chapters" in text] == []
        assert await tombstones.undo(db, await tombstone(catalogue))
    await backfill(catalogue, source)
    assert pages_asked(catalogue) == 3
    row = await catalogue.pool.fetchrow(
        "SELECT page_count, content_error FROM chapters WHERE id = $1", await chapter_of(catalogue, chapter.key)
    )
    assert row is not None
    assert tuple(row) == (1, None)


async def test_a_chapter_that_turns_out_to_be_what_was_deleted_here_is_looked_at_once_and_says_so(
    catalogue: Line,
) -> None:
    source = await catalogue.follow()
    await catalogue.drain()
    chapter = catalogue.site.catalogue.works[0].chapters[0]
    emptied = await chapter_of(catalogue, chapter.key)
    async with catalogue.pool.acquire() as db, db.transaction():
        for number in (1, 2, 3):
            await tombstones.bury_medium(db, await medium_of(catalogue, chapter.key, number), reason="A double.")
        await db.execute("UPDATE chapters SET buried = '{}'")
        await db.execute("DELETE FROM jobs")
    catalogue.site.log.clear()
    await backfill(catalogue, source)
    await backfill(catalogue, source)
    assert pages_asked(catalogue) == 3
    assert await catalogue.pool.fetchval("SELECT content_error FROM chapters WHERE id = $1", emptied) == (
        "All of its pages were deleted here."
    )
