"""A creator's feed into the library (curator 2.3 to 2.11 and 12.1, DESIGN section 7)."""

import hashlib
import importlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from aiohttp import ClientSession
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import asking, journal, sources
from orihon.ingest.journal import End
from orihon.ingest.rules import Outcome
from orihon.ingest.sources import SourceEdit
from orihon.jobs import queue
from orihon.jobs.payloads import CheckMedium, FetchChapter, PageRefetch, WalkFeed
from orihon.jobs.queue import LeaseLost
from orihon.library import catalogue, chapters, pages, works
from orihon.media.sweep import sweep
from orihon.samplesite.catalogue import Swatch
from orihon.samplesite.creators import Attachment, Creators, Post
from orihon.search.catalogue import Query, search

pytestmark = pytest.mark.anyio

SLUG = "creator-1"
POSTS = 7
MEDIA = 2
PER_PAGE = 3


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def follow(made: Line, slug: str = SLUG, count: int = PER_PAGE, **more: Any) -> UUID:
    """Follow a creator."""
    return await made.follow(adapter="sample_feed", url=made.site.feed_url(slug), settings={"count": count}, **more)


async def walks(pool: Pool) -> list[tuple[str, str]]:
    rows = await pool.fetch("SELECT mode, outcome FROM walks ORDER BY started_at, id")
    return [(row["mode"], row["outcome"]) for row in rows]


async def last(pool: Pool) -> dict[str, Any]:
    row = await pool.fetchrow("SELECT * FROM walks ORDER BY started_at DESC, id DESC LIMIT 1")
    assert row is not None
    return dict(row)


async def counts(pool: Pool) -> dict[str, int]:
    told: dict[str, int] = (await last(pool))["counts"]
    return told


def asked(made: Line) -> dict[str, int]:
    """Requests for bytes, by path."""
    return made.site.log.under("/media/")


def posts(made: Line, slug: str = SLUG) -> list[Post]:
    """What the site shows, newest first."""
    return made.site.creators.creator(slug).posts


def lost(post: Post) -> Attachment:
    """An attachment that always answers 404."""
    return Attachment(id=f"lost-{post.id}", name="lost.png", content=None)


_HELD = """
    SELECT s.key, c.title, c.body, c.page_count, c.textual,
           (SELECT coalesce(array_agg(encode(m.sha256, 'hex') ORDER BY p.number), '{}')
              FROM pages p JOIN media m ON m.id = p.media_id WHERE p.chapter_id = c.id) AS pages
      FROM source_chapters s JOIN chapters c ON c.id = s.chapter_id JOIN works w ON w.id = c.work_id
     WHERE w.kind = 'feed' AND ($1::text IS NULL OR w.title = $1)
  ORDER BY c.sort_key, c.number, c.created_at, c.id
"""


async def same(made: Line, slug: str = SLUG) -> None:
    """The library holds every post with its images, in order, as the site serves them; nothing twice."""
    creator = made.site.creators.creator(slug)
    held = await made.pool.fetch(_HELD, creator.name)
    assert [row["key"] for row in held] == [post.id for post in reversed(creator.posts)]
    async with ClientSession(made.site.origin) as session:
        for row, post in zip(held, reversed(creator.posts), strict=True):
            images = [one for one in post.attachments if one.kind == "image" and one.content is not None]
            offered = []
            for one in images:
                async with session.get(f"/media/{slug}/{post.id}/{one.id}/{one.name}") as answer:
                    offered.append(hashlib.sha256(await answer.read()).hexdigest())
            assert (row["title"] or "", row["body"] or "") == (post.title, post.text)
            assert row["pages"] == offered, post.title
            assert row["page_count"] == len(offered)
    work = await made.pool.fetchrow("SELECT chapter_count FROM works WHERE title = $1", creator.name)
    assert work is not None
    assert work["chapter_count"] == len(creator.posts)
    assert await made.pool.fetchval("SELECT count(*) - count(DISTINCT sha256) FROM media") == 0
    for key in await made.pool.fetch("SELECT storage_key FROM media_locations"):
        assert (made.data / key["storage_key"]).is_file()


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


async def again(made: Line, source: UUID, mode: sources.Asked) -> None:
    """A walk that a person asks for; jobs of other lanes are left alone."""
    async with made.pool.acquire() as db, db.transaction():
        await sources.run_now(db, source, mode)
    await made.drain(most=1)


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
    for walked in (2, 3):
        await again(made, source, "backfill")
        assert await made.pool.fetchval("SELECT attempts FROM source_failures") == walked
    made.site.log.clear()
    await again(made, source, "backfill")
    assert asked(made) == {}
    told = await counts(made.pool)
    assert (told["media_dead"], told["media_failed"]) == (1, 0)
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


async def page_rows(made: Line, post: Post) -> list[Any]:
    """The pages of a post, in order."""
    return await made.pool.fetch(
        "SELECT p.* FROM pages p JOIN source_chapters s USING (chapter_id) WHERE s.key = $1 ORDER BY p.number", post.id
    )


class Ticking:
    """Time that passes by a second at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


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
        failed = await pool.fetch("SELECT attempts FROM source_failures")
        assert [row["attempts"] for row in failed] == [1]
        assert await pool.fetchval("SELECT count(*) FROM works WHERE cover_media_id IS NOT NULL") == 3


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


async def test_a_worker_that_lost_its_lease_keeps_nothing_of_a_post(
    made: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN ruling 22."""
    await follow(made)
    await steal_at(made, monkeypatch)
    (ran, *_) = await made.drain(most=1)
    assert isinstance(ran.error, LeaseLost)
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == 0
    assert await made.pool.fetchval("SELECT count(*) FROM source_media") == 0


async def steal_at(made: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker takes the job when the first image arrives."""
    keep_all = made.storage.keep_all

    async def stolen(files: Any) -> None:
        await keep_all(files)
        await made.pool.execute("UPDATE jobs SET lease_generation = lease_generation + 1")

    monkeypatch.setattr(made.storage, "keep_all", stolen)


class Killed(BaseException):
    """The process ends here."""


SEAMS: list[tuple[str, str]] = [
    ("orihon.storage.local.LocalStorage", "keep_all"),
    ("orihon.media.store", "keep_all"),
    ("orihon.library.posts", "keep"),
    ("orihon.library.ledger", "write"),
    ("orihon.ingest.journal", "checkpoint"),
    ("orihon.ingest.journal", "close"),
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("where", "name"), SEAMS, ids=[f"{where}.{name}".removeprefix("orihon.") for where, name in SEAMS]
)
async def test_a_kill_between_any_two_steps_loses_and_doubles_nothing(
    made: Line, monkeypatch: pytest.MonkeyPatch, where: str, name: str, after: bool
) -> None:
    """Ruling 15: whatever was written stands for rows that are there, and the next run goes on from it."""
    target = _target(where)
    real: Callable[..., Any] = getattr(target, name)
    calls = 0

    async def dies(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3 and not after:
            raise Killed
        answer = await real(*arguments, **named)
        if calls == 3 and after:
            raise Killed
        return answer

    source = await follow(made)
    monkeypatch.setattr(target, name, dies)
    for _ in range(3):
        try:
            await made.drain(only=lambda payload: not isinstance(payload, CheckMedium))
        except Killed:
            await made.pool.execute("UPDATE walks SET outcome = NULL, ended_at = NULL WHERE ended_at > now()")
            await made.pool.execute(
                "UPDATE jobs SET state = 'pending', leased_until = NULL, scheduled_at = now() WHERE state = 'running'"
            )
    monkeypatch.setattr(target, name, real)
    await made.retry_now()
    await made.drain()
    await made.walk_again(source)
    assert calls >= 3 or name == "close"
    await same(made)
    assert await made.pool.fetchval("SELECT count(*) FROM source_media WHERE media_id IS NOT NULL") == 14
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    assert await made.pool.fetchval("SELECT count(*) FROM media WHERE state = 'verified'") == 14


def _target(where: str) -> Any:
    module, _, name = where.rpartition(".")
    return getattr(importlib.import_module(module), name)


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
