"""What `orihon doctor` finds: in the library beside its site, in the store beside the database, in the queue."""

import json
import os
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.commands import orihon
from tests.support.line import Line, line

from orihon.db.pool import Connection, Pool
from orihon.ops import exactness, queue_check, store_check
from orihon.samplesite.creators import Creators

pytestmark = pytest.mark.anyio


@pytest.fixture
async def filled(pool: Pool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Line]:
    """A site of three works with three chapters of two pages each, and the library that follows it."""
    drawn = tmp_path_factory.getbasetemp() / "drawn"
    async with line(pool, tmp_path, drawn=drawn, works=3, chapters=3, pages=2) as made:
        await made.follow()
        await made.drain()
        yield made


VIEWS = """
    CREATE TEMPORARY VIEW first_pages AS SELECT id FROM pages ORDER BY id LIMIT 1;
    CREATE TEMPORARY VIEW first_chapters AS SELECT id FROM chapters ORDER BY id LIMIT 1;
    CREATE TEMPORARY VIEW first_works AS SELECT id FROM works ORDER BY id LIMIT 1;
    CREATE TEMPORARY VIEW covered_works AS SELECT id FROM works WHERE cover_media_id IS NOT NULL ORDER BY id LIMIT 1;
    CREATE TEMPORARY VIEW first_media AS SELECT id FROM media ORDER BY id LIMIT 1;
    CREATE TEMPORARY VIEW last_media AS SELECT id FROM media ORDER BY id DESC LIMIT 1;
"""

LIBRARY = {
    "a page is gone": (
        "DELETE FROM pages WHERE id = (TABLE first_pages)",
        "its 1 pages are not the site's 2",
    ),
    "a page shows another image": (
        "UPDATE pages SET media_id = (TABLE last_media) WHERE id = (TABLE first_pages)",
        "its 2 pages are not the site's 2",
    ),
    "a count is wrong": (
        "UPDATE chapters SET page_count = 5 WHERE id = (TABLE first_chapters)",
        "page_count is 5, and there are 2 pages",
    ),
    "two chapters changed places": ("UPDATE chapters SET sort_key = -sort_key", "the site lists"),
    "a number is another": (
        "UPDATE chapters SET number = 77.5 WHERE id = (TABLE first_chapters)",
        "number 77.5, the site says",
    ),
    "a chapter is gone": (
        "DELETE FROM chapters WHERE id = (TABLE first_chapters)",
        "the site lists",
    ),
    "a work is gone": ("DELETE FROM works WHERE id = (TABLE first_works)", "is missing"),
    "a title is another": (
        "UPDATE works SET title = 'Something Else' WHERE id = (TABLE first_works)",
        "title is 'Something Else', the site says",
    ),
    "an author is another": (
        "UPDATE works SET authors = '{Nobody}' WHERE id = (TABLE first_works)",
        "authors is ['Nobody'], the site says",
    ),
    "a cover is gone": (
        "UPDATE works SET cover_media_id = NULL WHERE id = (TABLE covered_works)",
        "cover is None, the site says",
    ),
    "a work that the site has not": (
        "INSERT INTO source_works (source_id, key, work_id, url) SELECT source_id, 'x', work_id, 'x' FROM source_works"
        " LIMIT 1",
        "work x is not on the site",
    ),
}

FEED = {
    "a post is gone": ("DELETE FROM chapters WHERE id = (TABLE first_chapters)", "the posts are"),
    "a page is gone": ("DELETE FROM pages WHERE id = (TABLE first_pages)", "pages is"),
    "a page stands elsewhere": ("UPDATE pages SET number = 9 WHERE id = (TABLE first_pages)", "pages is"),
    "a text is another": ("UPDATE chapters SET body = 'x' WHERE id = (TABLE first_chapters)", "body is 'x'"),
    "a file is gone": ("DELETE FROM attachments", "files is []"),
}

QUEUE = {
    "a job is dead": (
        "INSERT INTO jobs (lane, kind, payload, state, last_error)"
        " VALUES ('crawl', 'sweep', '{}', 'dead', 'disk full')",
        "1 sweep jobs failed for good, for example: disk full `orihon jobs requeue --kind sweep`",
    ),
    "a worker is dead": (
        "INSERT INTO jobs (lane, kind, payload, state, leased_until)"
        " VALUES ('crawl', 'sweep', '{}', 'running', now() - interval '2 minutes')",
        "1 sweep jobs are leased by a worker that is gone",
    ),
    "a job is stuck": (
        "INSERT INTO jobs (lane, kind, payload, scheduled_at)"
        " VALUES ('crawl', 'sweep', '{}', now() - interval '2 hours')",
        "1 sweep jobs have been due for over 1 h",
    ),
    "a chapter is lost": (
        "WITH gone AS (DELETE FROM jobs) UPDATE chapters SET page_count = 0 WHERE id = (TABLE first_chapters)",
        "1 chapters should be here and no job brings them",
    ),
    "a check is lost": (
        "UPDATE media SET state = 'probed' WHERE id = (TABLE first_media)",
        "1 images wait to be checked and no job does it",
    ),
    "a cover is lost": (
        "WITH gone AS (DELETE FROM jobs) UPDATE works SET cover_media_id = NULL WHERE id = (TABLE covered_works)",
        "1 covers should be here and no job brings them",
    ),
}


async def compared(made: Line, db: Connection) -> list[str]:
    offered = exactness.manifest(await made.manifest())
    sources = await exactness.followed(db, made.site.origin)
    return [fault async for fault in exactness.differences(db, offered, sources)]


async def test_every_way_in_which_a_library_is_not_its_site_is_told(filled: Line) -> None:
    async with filled.pool.acquire() as db:
        await db.execute(VIEWS)
        assert await compared(filled, db) == []
        for name, (sabotage, told) in LIBRARY.items():
            attempt = db.transaction()
            await attempt.start()
            await db.execute(sabotage)
            faults = await compared(filled, db)
            await attempt.rollback()
            assert [fault for fault in faults if told in fault], (name, faults)


async def test_every_way_in_which_a_feed_is_not_its_creators_is_told(
    pool: Pool, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Posts with text alone, a pinned one, an image that always fails, a file beside the images: all are exact."""
    drawn = tmp_path_factory.getbasetemp() / "drawn"
    async with line(pool, tmp_path, drawn=drawn, titles=0, creators=Creators.sample()) as made:
        for slug in ("haru-mizuno", "wren-calloway"):
            await made.follow(adapter="sample_feed", url=made.site.feed_url(slug), settings={})
        for _ in range(3):  # the image that always fails is dead after three
            await made.drain()
            await made.retry_now()
        async with made.pool.acquire() as db:
            await db.execute(VIEWS)
            assert await compared(made, db) == []
            for name, (sabotage, told) in FEED.items():
                attempt = db.transaction()
                await attempt.start()
                await db.execute(sabotage)
                faults = await compared(made, db)
                await attempt.rollback()
                assert [fault for fault in faults if told in fault], (name, faults)


async def test_what_is_lost_stuck_dead_or_leased_by_the_dead_is_told(filled: Line) -> None:
    async with filled.pool.acquire() as db:
        await db.execute(VIEWS)
        assert [fault async for fault in queue_check.faults(db)] == []
        for name, (sabotage, told) in QUEUE.items():
            attempt = db.transaction()
            await attempt.start()
            await db.execute(sabotage)
            faults = [fault async for fault in queue_check.faults(db)]
            await attempt.rollback()
            assert [fault for fault in faults if told in fault], (name, faults)


async def stored(made: Line) -> list[str]:
    return [fault async for fault in store_check.faults(made.pool, made.storage)]


async def test_a_file_that_is_missing_altered_or_nobodys_is_told(filled: Line) -> None:
    assert await stored(filled) == []
    keys = [row["storage_key"] for row in await filled.pool.fetch("SELECT storage_key FROM media_locations LIMIT 3")]
    gone, altered, unnamed = keys
    filled.storage.path(gone).unlink()
    filled.storage.path(altered).write_bytes(b"something else")
    await filled.pool.execute("DELETE FROM media_locations WHERE storage_key = $1", unnamed)
    old = time.time() - 3 * 24 * 3600
    os.utime(filled.storage.path(unnamed), (old, old))
    told = sorted(await stored(filled))
    assert told == sorted([
        f"{gone} cannot be read: No such file or directory",
        f"{altered} has other bytes than its name says",
        f"medium {Path(unnamed).stem} has no place in the store",
        f"{unnamed} is named by no row; `orihon sweep` removes it",
    ])  # fmt: skip


async def test_a_file_whose_row_may_be_on_its_way_is_no_fault(filled: Line) -> None:
    young = filled.storage.path(f"media/ab/{'ab' * 32}.png")
    young.parent.mkdir(parents=True, exist_ok=True)
    young.write_bytes(b"young")
    assert await stored(filled) == []


async def test_doctor_compares_with_a_site(filled: Line, dsn: str) -> None:
    where = {"DATABASE_URL": dsn, "ORIHON_DATA": filled.data}
    fine = await orihon("doctor", "--against", filled.site.origin, "--json", **where)
    verdicts = {check["name"]: check for check in json.loads(fine.out)}
    assert {verdicts[name]["verdict"] for name in ("Queue", "Store", "Site")} == {"ok"}, verdicts
    await filled.pool.execute("DELETE FROM pages WHERE number = 2 AND chapter_id IN (SELECT id FROM chapters LIMIT 1)")
    broken = await orihon("doctor", "--against", filled.site.origin, **where)
    assert broken.status == 1
    assert "BAD  Site: 2 faults" in broken.out, "the pages, and their count"
    assert "its 1 pages are not the site's 2" in broken.out


async def test_doctor_says_when_a_site_tells_nothing_or_nobody_follows_it(filled: Line, dsn: str) -> None:
    where = {"DATABASE_URL": dsn, "ORIHON_DATA": filled.data}
    nobody = await orihon("doctor", "--against", "http://127.0.0.1:9", **where)
    assert nobody.status == 1
    assert "http://127.0.0.1:9 does not tell what it offers" in nobody.out
    await filled.pool.execute("UPDATE sources SET url = 'https://elsewhere.test/'")
    unfollowed = await orihon("doctor", "--against", filled.site.origin, **where)
    assert f"no source follows {filled.site.origin}" in unfollowed.out
