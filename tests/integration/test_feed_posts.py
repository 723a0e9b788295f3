"""Posts as chapters: edited, pinned, without images, damaged; and through the doors that every work is read by."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.feeds import MEDIA, POSTS, SLUG, asked, counts, follow, page_rows, posts, same, walks
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import asking
from orihon.jobs import queue
from orihon.jobs.payloads import FetchChapter, PageRefetch, WalkFeed
from orihon.library import catalogue, chapters, pages, works
from orihon.samplesite.creators import Creators
from orihon.search.catalogue import Query, search

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def test_a_post_that_is_edited_is_kept_anew_and_keeps_its_pages(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    post = posts(made)[3]
    before = [page["id"] for page in await page_rows(made, post)]
    made.site.creators.edit(SLUG, post.id, images=1)
    made.site.log.clear()
    await made.walk_again(source)
    told = await counts(made.pool)
    assert (told["updated"], told["media_new"], told["unchanged"]) == (1, 1, POSTS - 1)
    assert sum(asked(made).values()) == 1
    await same(made)
    after = [page["id"] for page in await page_rows(made, post)]
    assert after[:2] == before


async def test_a_pinned_post_is_kept_once_and_proves_nothing(pool: Pool, tmp_path: Path) -> None:
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(30, 1)) as made:
        pinned = posts(made)[25]
        made.site.creators.pin(SLUG, pinned.id)
        source = await follow(made, count=10)
        await made.drain()
        await same(made)
        await made.walk_again(source)
        told = await counts(pool)
        assert (await walks(pool))[-1] == ("tick", "caught_up")
        assert told["discovered"] == 21, "the pinned post and twenty others"


async def test_a_post_without_images_is_a_chapter_that_nobody_asks_for(made: Line) -> None:
    post = posts(made)[2]
    post.attachments.clear()
    source = await follow(made)
    await made.drain()
    await same(made)
    work_id = await made.pool.fetchval("SELECT id FROM works")
    async with made.pool.acquire() as db, db.transaction():
        chapter = await db.fetchval("SELECT id FROM chapters WHERE textual")
        assert await asking.open_chapter(db, work_id, chapter) is asking.Opened.HERE
        assert await asking.want(db, work_id)
    ran = await made.drain()
    assert [one for one in ran if isinstance(one.payload, FetchChapter)] == []
    await made.walk_again(source)
    assert (await counts(made.pool))["unchanged"] == POSTS


async def test_the_three_of_the_sample_site_arrive_whole(pool: Pool, tmp_path: Path) -> None:
    """One walk at a time per platform; a picture in two posts is stored once; a zip is an attachment."""
    drawn = Path(tmp_path.root) / "tmp" / "orihon-drawn-creators"
    async with line(pool, tmp_path, drawn=drawn, titles=0, creators=Creators.sample()) as made:
        for creator in made.site.creators.all:
            await follow(made, creator.slug, 20)
        ran = await made.drain()
        keys = {one.payload.concurrency_key() for one in ran if isinstance(one.payload, WalkFeed)}
        assert len(keys) == 1
        for creator in made.site.creators.all:
            await same(made, creator.slug)
        (file,) = await pool.fetch("SELECT name, size, url FROM attachments")
        assert file["name"] == "sketches.zip"
        chapter = await pool.fetchrow(
            "SELECT c.id, c.work_id FROM chapters c JOIN attachments a ON a.chapter_id = c.id"
        )
        assert chapter is not None
        async with pool.acquire() as db:
            told = await chapters.placed(db, chapter["work_id"], chapter["id"])
        assert told is not None
        assert [(one.name, one.size) for one in told.attachments] == [("sketches.zip", file["size"])]
        assert told.body
        assert told.published_at is not None
        async with pool.acquire() as db:
            listed = await chapters.in_reading_order(db, chapter["work_id"], limit=100, offset=0)
            card = await works.detail(db, chapter["work_id"])
        assert listed is not None
        assert [one.published_at for one in listed.chapters if one.id == told.id] == [told.published_at]
        assert card is not None
        assert card.kind == "feed"
        failed = await pool.fetch("SELECT attempts FROM source_failures")
        assert [row["attempts"] for row in failed] == [1]
        assert await pool.fetchval("SELECT count(*) FROM works WHERE cover_media_id IS NOT NULL") == 3


async def test_a_damaged_page_of_a_post_is_fetched_again_by_its_own_job(made: Line) -> None:
    """DESIGN ruling 20, unchanged for posts; the ledger follows the page to its new medium."""
    source = await follow(made)
    await made.drain()
    page = await made.pool.fetchrow("SELECT id, media_id FROM pages ORDER BY id LIMIT 1")
    assert page is not None
    await made.pool.execute("UPDATE media SET state = 'damaged', damage = 'Broken.' WHERE id = $1", page["media_id"])
    await made.pool.execute("UPDATE pages SET damage = 'Broken.' WHERE id = $1", page["id"])
    async with made.pool.acquire() as db:
        await queue.enqueue(db, PageRefetch(page_id=page["id"]))
    ran = await made.drain()
    assert [one.error for one in ran if one.error] == []
    assert await made.pool.fetchval("SELECT damage FROM pages WHERE id = $1", page["id"]) is None
    await made.walk_again(source)
    await same(made)


async def test_a_feed_is_a_collection_of_its_own(made: Line) -> None:
    """DESIGN section 2: creators do not stand among titles, and are found in their own list and search."""
    await follow(made)
    await made.drain()
    async with made.pool.acquire() as db:
        assert (await catalogue.page(db, catalogue.Listing())).cards == b"[]"
        assert b"Creator 1" in (await catalogue.page(db, catalogue.Listing(kind="feed"))).cards
        assert (await catalogue.total(db, None), await catalogue.total(db, None, "feed")) == (0, 1)
        assert (await search(db, Query(text="creator"))).cards == b"[]"
        assert b"Creator 1" in (await search(db, Query(text="creator", kind="feed"))).cards


async def test_a_post_reads_through_the_same_doors_as_a_chapter(made: Line) -> None:
    await follow(made)
    await made.drain()
    async with made.pool.acquire() as db:
        work_id = await db.fetchval("SELECT id FROM works")
        detail = await works.detail(db, work_id)
        listed = await chapters.in_reading_order(db, work_id, limit=10, offset=0)
        assert detail is not None
        assert listed is not None
        assert detail.chapter_count == listed.total == POSTS
        assert {chapter.state for chapter in listed.chapters} == {"ready"}
        shown = await pages.of_chapter(db, work_id, listed.chapters[0].id)
        assert shown is not None
        assert [page.number for page in shown] == [1, 2]
