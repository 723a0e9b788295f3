"""Tags of posts: kept with who says so, edited with the post, gathered for its feed."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.support.exactness import differences
from tests.support.feeds import SLUG, as_read, counts, follow, posts
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.library import works
from orihon.samplesite.creators import Creators, Post

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """A creator with four posts, tagged."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(4, 1)) as opened:
        for post, tags in zip(posts(opened), (["Fox", "ink"], ["fox"], [], ["rain"]), strict=True):
            post.tags = tuple(tags)
        yield opened


async def tags_of(made: Line, post: Post) -> list[str]:
    return (await as_read(made, post)).tags


async def of_work(made: Line) -> list[str]:
    async with made.pool.acquire() as db:
        detail = await works.detail(db, await db.fetchval("SELECT id FROM works"))
    assert detail is not None
    return detail.tags


async def test_posts_and_their_feed_show_the_tags(made: Line) -> None:
    """In the order of the post; the most used first for the feed; one word for one tag, whatever its casing."""
    await follow(made)
    await made.drain()
    told = [[tag.lower() for tag in await tags_of(made, post)] for post in posts(made)]
    assert told == [["fox", "ink"], ["fox"], [], ["rain"]]
    assert [tag.lower() for tag in await of_work(made)] == ["fox", "ink", "rain"]
    assert await differences(made.pool, await made.manifest(), made.data) == []


async def test_an_edit_changes_the_tags_and_leaves_those_of_people(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    chapter = await made.pool.fetchval("SELECT chapter_id FROM source_chapters WHERE key = $1", posts(made)[3].id)
    tag = await made.pool.fetchval("INSERT INTO tags (name) VALUES ('mine') RETURNING id")
    await made.pool.execute("INSERT INTO chapter_tags VALUES ($1, $2, 'person', 100)", chapter, tag)
    made.site.creators.edit(SLUG, posts(made)[3].id, tags=["snow"], images=0)
    await made.walk_again(source)
    assert (await counts(made.pool))["updated"] == 1
    assert await tags_of(made, posts(made)[3]) == ["snow", "mine"]
    assert sorted(tag.lower() for tag in await of_work(made)) == ["fox", "ink", "mine", "snow"]
    assert await differences(made.pool, await made.manifest(), made.data) == []


async def test_what_a_creator_says_of_themselves_leaves_the_tags_of_their_posts(made: Line) -> None:
    source = await follow(made)
    await made.drain()
    made.site.creators.creator(SLUG).about = "Something new."
    await made.walk_again(source)
    assert len(await of_work(made)) == 3
