"""A removed source that is forgotten for good: the library keeps what it brought, and nothing knows whose it was."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.support.feeds import MEDIA, POSTS
from tests.support.feeds import follow as follow_feed
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import forgetting, sources
from orihon.ingest.forgetting import StillFollowed
from orihon.samplesite.creators import Creators

pytestmark = pytest.mark.anyio

LEDGERS = ("sources", "source_works", "source_chapters", "source_media", "source_failures", "walks")


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """Two titles with two chapters of two pages each, and one creator."""
    async with line(pool, tmp_path, works=2, chapters=2, pages=2, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def remove(made: Line, source: UUID) -> None:
    async with made.pool.acquire() as db, db.transaction():
        assert await sources.remove(db, source)


async def forget(made: Line, source: UUID) -> bool:
    async with made.pool.acquire() as db, db.transaction():
        return await forgetting.forget(db, source)


async def library(made: Line) -> list[Any]:
    """Everything that belongs to the library, by id."""
    tables = ("works", "chapters", "pages", "media", "progress")
    return [[row[0] for row in await made.pool.fetch(f"SELECT {one}::text FROM {one} ORDER BY 1")] for one in tables]


async def known(made: Line) -> dict[str, int]:
    return {one: await made.pool.fetchval(f"SELECT count(*) FROM {one}") for one in LEDGERS}


async def test_the_ledgers_go_and_the_library_stays(made: Line) -> None:
    catalogue, feed = await made.follow(), await follow_feed(made)
    await made.drain()
    await made.pool.execute("UPDATE works SET primary_source_id = NULL")  # told apart from what the library holds
    before = await library(made)
    files = sorted(path for path in (made.data / "media").rglob("*") if path.is_file())
    for source in (catalogue, feed):
        await remove(made, source)
        assert await forget(made, source)
    assert await known(made) == dict.fromkeys(LEDGERS, 0)
    assert await library(made) == before
    assert sorted(path for path in (made.data / "media").rglob("*") if path.is_file()) == files
    assert await made.drain() == []


async def test_it_is_idempotent(made: Line) -> None:
    source = await made.follow()
    await remove(made, source)
    assert await forget(made, source)
    assert not await forget(made, source)


async def test_one_that_is_followed_is_not_forgotten(made: Line) -> None:
    source = await made.follow(name="Mine")
    for _ in range(2):
        with pytest.raises(StillFollowed, match=r"“Mine” is followed\. Remove it first"):
            await forget(made, source)
        await remove(made, source)
        assert await made.follow(name="Mine") == source


async def test_what_is_remembered_is_listed_the_latest_first(made: Line) -> None:
    catalogue, feed = await made.follow(name="List"), await follow_feed(made, name="Feed")
    await made.drain()
    async with made.pool.acquire() as db:
        assert await forgetting.removed(db) == []
    await remove(made, catalogue)
    await remove(made, feed)
    async with made.pool.acquire() as db:
        found = await forgetting.removed(db)
    assert [(one.id, one.name, one.works, one.chapters) for one in found] == [
        (feed, "Feed", 1, POSTS),
        (catalogue, "List", 2, 4),
    ]


async def test_the_same_address_begins_anew(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    media = await made.pool.fetchval("SELECT count(*) FROM media")
    await remove(made, source)
    await forget(made, source)
    assert await made.follow() != source
    await made.drain()
    assert await made.pool.fetchval("SELECT count(*) FROM works") == 4
    assert await made.pool.fetchval("SELECT count(*) FROM media") == media


@pytest.mark.parametrize("path", ["/works/", "/works/*", "/api/creators/*"])
async def test_in_the_midst_of_a_walk(pool: Pool, tmp_path: Path, path: str) -> None:
    """While the site answers: the walk has nothing to write to, and its job ends, at the latest when it runs again."""

    async def forget_all(_: float) -> None:
        async with pool.acquire() as db, db.transaction():
            for record in await db.fetch("SELECT id FROM sources"):
                await sources.remove(db, record["id"])
                await forgetting.forget(db, record["id"])

    creators = Creators.plain(POSTS, MEDIA)
    async with line(pool, tmp_path, works=2, chapters=2, pages=2, creators=creators, sleep=forget_all) as made:
        made.site.faults.set("slow_body", path=path, seconds=1, times=1)
        await (follow_feed(made) if path.startswith("/api/") else made.follow())
        await made.drain()
        await made.retry_now()
        assert all(ran.error is None for ran in await made.drain())
        assert await known(made) == dict.fromkeys(LEDGERS, 0)
        assert await pool.fetchval("SELECT count(*) FROM jobs WHERE state IN ('pending', 'running')") == 0
