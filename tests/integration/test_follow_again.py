"""A source that is removed and followed again: nothing is doubled, and nothing that is here is fetched anew."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.support.exactness import differences
from tests.support.feeds import MEDIA, POSTS, follow
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import asking, sources
from orihon.ingest.sources import AlreadyFollowed, NewSource
from orihon.library import works
from orihon.samplesite.creators import Creators

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """Three titles with four chapters of three pages each, and one creator with seven posts of two images each."""
    async with line(pool, tmp_path, works=3, chapters=4, pages=3, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def remove(made: Line, source: UUID) -> None:
    async with made.pool.acquire() as db, db.transaction():
        assert await sources.remove(db, source)


async def held(made: Line) -> tuple[Any, ...]:
    """Which works, chapters, pages and images there are, by id."""
    return tuple(
        await made.pool.fetchrow(
            "SELECT ARRAY(SELECT id FROM works ORDER BY id), ARRAY(SELECT id FROM chapters ORDER BY id),"
            " ARRAY(SELECT (id, media_id)::text FROM pages ORDER BY id), ARRAY(SELECT id FROM media ORDER BY id)"
        )
    )


@pytest.mark.parametrize("rounds", [1, 3])
async def test_a_catalogue_goes_on_with_its_titles(made: Line, rounds: int) -> None:
    source = await made.follow()
    await made.drain()
    before = await held(made)
    made.site.log.clear()
    for _ in range(rounds):
        await remove(made, source)
        assert await made.follow() == source
        await made.drain()
    assert await held(made) == before
    assert not [one.path for one in made.site.log.latest if one.path.startswith(("/img/", "/read/"))]
    assert await differences(made.pool, await made.manifest(), made.data) == []


async def test_a_feed_goes_on_with_its_posts(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    before = await held(made)
    made.site.log.clear()
    await remove(made, source)
    assert await follow(made) == source
    await made.drain()
    assert await held(made) == before
    assert made.site.log.under("/media/") == {}


async def test_it_is_new_in_all_else(made: Line) -> None:
    source = await made.follow(name="Once", content="all", byte_budget=10**9)
    await made.drain()
    await remove(made, source)
    await made.follow(name="Again", content="wanted", interval_seconds=600)
    async with made.pool.acquire() as db:
        (found,) = await sources.overviews(db)
        walked = await made.pool.fetchval("SELECT count(*) FROM walks")
    assert (found.source.name, found.source.content, found.source.byte_budget) == ("Again", "wanted", None)
    assert (found.source.bytes_fetched, found.source.paused, found.source.interval_seconds) == (0, False, 600)
    assert (found.last_walk, walked) == (None, 0)
    assert found.next_run_at is not None


async def test_one_that_is_followed_is_not_followed_twice(made: Line) -> None:
    source = await made.follow(name="Once")
    async with made.pool.acquire() as db:
        kept = await sources.get(db, source)
        assert kept is not None
        with pytest.raises(AlreadyFollowed, match="Once"):
            await sources.add(db, NewSource(url=kept.url, settings=kept.settings, name="Twice"))
        assert await sources.get(db, source) == kept


async def test_one_that_was_removed_is_nowhere_to_be_seen_and_brings_nothing(made: Line) -> None:
    source = await made.follow(content="on_open")
    await made.drain()
    chapter = await made.pool.fetchrow("SELECT id, work_id FROM chapters LIMIT 1")
    await remove(made, source)
    async with made.pool.acquire() as db, db.transaction():
        assert not await sources.remove(db, source)
        assert await sources.get(db, source) is None
        assert await sources.overviews(db) == []
        assert await sources.run_now(db, source) is None
        assert not await sources.edit(db, source, sources.SourceEdit(paused=False))
        assert await asking.open_chapter(db, chapter["work_id"], chapter["id"]) is asking.Opened.NO_SOURCE
        shown = await works.detail(db, chapter["work_id"])
    assert shown is not None
    assert shown.sources == []
    assert await made.drain() == []


async def test_a_walk_of_a_removed_source_ends_without_a_trace(made: Line) -> None:
    """The removal is between the walk's job and its run, as when it waits behind others."""
    source = await made.follow()
    await remove(made, source)
    made.site.log.clear()
    await made.drain()
    assert made.site.log.total == 0
    assert await made.pool.fetchval("SELECT count(*) FROM walks") == 0
