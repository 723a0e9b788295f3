"""A site that has moved to another address: the source is told, and everything stays what it was."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from tests.support.exactness import differences
from tests.support.line import Line, engine

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.ingest.sources import AlreadyFollowed, SourceEdit
from orihon.samplesite.creators import Creators
from orihon.samplesite.site import SampleSite

pytestmark = pytest.mark.anyio


class Moving(Line):
    """A line whose site moves."""

    after: SampleSite


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Moving]:
    """Three titles with four chapters of three pages each and one creator, at two addresses."""
    offered: dict[str, Any] = {"works": 3, "chapters": 4, "pages": 3}
    async with (
        SampleSite(tmp_path / "site", creators=Creators.plain(7), **offered) as before,
        SampleSite(tmp_path / "moved", creators=Creators.plain(7), **offered) as after,
        engine(pool, tmp_path, before.origin, after.origin) as one,
    ):
        moving = Moving(pool, before, one.data, one.fetcher, one.decoder)
        moving.after = after
        yield moving


async def move(made: Moving, source: UUID, url: str) -> None:
    async with made.pool.acquire() as db, db.transaction():
        assert await sources.edit(db, source, SourceEdit(url=url))
    made.site = made.after


async def held(made: Moving) -> tuple[Any, ...]:
    return tuple(
        await made.pool.fetchrow(
            "SELECT ARRAY(SELECT id FROM works ORDER BY id), ARRAY(SELECT id FROM chapters ORDER BY id),"
            " ARRAY(SELECT (id, media_id)::text FROM pages ORDER BY id)"
        )
    )


async def test_titles_and_chapters_are_the_same_and_what_lacks_comes_from_there(made: Moving) -> None:
    source = await made.follow()
    await made.drain()
    before = await held(made)
    await move(made, source, made.after.url)
    made.after.catalogue.add_chapter(made.after.catalogue.works[-1].slug, number="99")
    assert [one.error for one in await made.drain() if one.error] == []
    after = await held(made)
    assert (after[0], set(before[1]) - set(after[1]), set(before[2]) - set(after[2])) == (before[0], set(), set())
    assert await differences(made.pool, await made.manifest(), made.data) == []
    urls = await made.pool.fetch("SELECT url FROM source_chapters UNION SELECT url FROM source_works")
    assert all(row["url"].startswith(made.after.origin) for row in urls)


async def test_a_creator_who_moves_stays_who_they_are(made: Moving) -> None:
    source = await made.follow(adapter="sample_feed", url=made.site.feed_url("creator-1"), settings={"count": 3})
    await made.drain()
    before = await held(made)
    await move(made, source, made.after.feed_url("creator-1"))
    assert [one.error for one in await made.drain() if one.error] == []
    assert await held(made) == before
    assert made.after.log.under("/media/") == {}


async def test_a_name_that_was_only_the_host_follows(made: Moving) -> None:
    source = await made.follow()
    await move(made, source, made.after.url)
    assert f"http://{await made.pool.fetchval('SELECT name FROM sources')}" == made.after.origin
    async with made.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(name="Mine"))
        await sources.edit(db, source, SourceEdit(url=made.after.url + "?order=new"))
    assert await made.pool.fetchval("SELECT name FROM sources") == "Mine"


@pytest.mark.parametrize(("removed", "said"), [(False, "followed already"), (True, "was followed before")])
async def test_two_sources_never_have_one_address(made: Moving, removed: bool, said: str) -> None:
    source = await made.follow()
    other = await made.follow(url=made.after.url, name="Other")
    async with made.pool.acquire() as db, db.transaction():
        if removed:
            await sources.remove(db, other)
        with pytest.raises(AlreadyFollowed, match=f"{said}, as “Other”"):
            await sources.edit(db, source, SourceEdit(url=made.after.url))
