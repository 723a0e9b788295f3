"""A creator's feed that is followed, and the library beside it."""

import hashlib
from typing import Any
from uuid import UUID

from aiohttp import ClientSession
from tests.support.line import Engine, Line

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.library import chapters
from orihon.library.chapters import ChapterDetail
from orihon.samplesite.creators import Attachment, Post

SLUG = "creator-1"
POSTS = 7
MEDIA = 2
PER_PAGE = 3


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


async def as_read(made: Line, post: Post) -> ChapterDetail:
    """A post as readers get it."""
    row = await made.pool.fetchrow(
        "SELECT c.id, c.work_id FROM chapters c JOIN source_chapters s ON s.chapter_id = c.id WHERE s.key = $1", post.id
    )
    assert row is not None
    async with made.pool.acquire() as db:
        told = await chapters.placed(db, row["work_id"], row["id"])
    assert told is not None
    return told


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


async def again(made: Engine, source: UUID, mode: sources.Asked) -> None:
    """A walk that a person asks for; jobs of other lanes are left alone."""
    async with made.pool.acquire() as db, db.transaction():
        await sources.run_now(db, source, mode)
    await made.drain(most=1)


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
