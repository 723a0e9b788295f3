"""Feed: a walk over a feed of which everything was seen, by the engine that the worker runs.

Posts, chapters and the ledger of seen media are made beforehand, by the product's own adapter and fingerprints. The
walk is asked for over the whole feed and reads every page of it; the site has no image to give, so that a walk which
asks for one is wrong. Memory is that of the walk's own objects at their most, told by Python's own book-keeping.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from uuid import UUID

import asyncpg
import msgspec

from bench import harness
from bench.feed_site import FEED, MEDIA, PER_PAGE, answers
from bench.feed_walk import Measured
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import connect
from orihon.ingest import sources
from orihon.ingest.sources import NewSource
from orihon.library import posts
from orihon.sources.adapter import Document
from orihon.sources.records import Cursor, Post
from orihon.sources.registry import open_feed

ROWS = ("feed_walk_seen_media_per_s", "walk_memory_growth")

MANY, FEW = 10_000, 1_000

_WORK = """
    WITH work AS (INSERT INTO works (kind, title, primary_source_id) VALUES ('feed', 'Bench', $1) RETURNING id)
    INSERT INTO source_works (source_id, key, work_id, url) SELECT $1, '1', id, 'x' FROM work RETURNING work_id
"""

_POSTS = """
    WITH chapter AS (
        INSERT INTO chapters (id, work_id, title, sort_key, body, published_at)
        SELECT uuidv7(), $2, title, sort_key, body, published_at
          FROM unnest($4::text[], $5::numeric[], $6::text[], $7::timestamptz[])
               AS p (title, sort_key, body, published_at)
        RETURNING id, sort_key
    )
    INSERT INTO source_chapters (source_id, work_key, key, chapter_id, url, fingerprint)
    SELECT $1, '1', told.key, chapter.id, 'x', told.fingerprint
      FROM unnest($3::text[], $5::numeric[], $8::bytea[]) AS told (key, sort_key, fingerprint)
      JOIN chapter USING (sort_key)
"""

_MEDIUM = """
    INSERT INTO media (sha256, format, size, width, height, state)
    VALUES (sha256('x'), 'jpeg', 1, 1, 1, 'verified') RETURNING id
"""

_SEEN = "INSERT INTO source_media (source_id, key, media_id) SELECT $1, key, $3 FROM unnest($2::text[]) AS k (key)"


async def run(names: set[str]) -> AsyncIterator[harness.Row]:
    """Measure the rows of these names."""
    async with harness.postgres() as postgres:
        if "feed_walk_seen_media_per_s" in names:
            async with site(MANY) as origin:
                (rates,) = await harness.interleaved([partial(_rate, postgres, origin)], rounds=3)
            yield harness.figure("feed_walk_seen_media_per_s", rates, "media/s")
        if "walk_memory_growth" in names:
            async with site(MANY) as many, site(FEW) as few:
                sides = partial(_peak, postgres, many, MANY), partial(_peak, postgres, few, FEW)
                yield harness.ratio("walk_memory_growth", *await harness.interleaved(sides, rounds=3, warm=False))


@asynccontextmanager
async def site(count: int) -> AsyncIterator[str]:
    """The bench's site in a process of its own; yields its origin."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.feed_site", str(count), cwd=harness.ROOT,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


async def _rate(postgres: EmbeddedPostgres, origin: str) -> float:
    return MANY * MEDIA / (await _walk(postgres, origin, MANY, "time")).seconds


async def _peak(postgres: EmbeddedPostgres, origin: str, count: int) -> float:
    return float((await _walk(postgres, origin, count, "trace")).peak)


async def _walk(postgres: EmbeddedPostgres, origin: str, count: int, how: str) -> Measured:
    """A walk over a feed of which everything was seen.

    Raises:
        Wrong: it did not find everything held.
    """
    dsn = await harness.database(postgres, "feed")
    db = await connect(dsn)
    try:
        await _seed(db, origin, count)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bench.feed_walk", dsn, origin, str(harness.folder("feed", empty=True)), how,
            cwd=harness.ROOT, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        told, _ = await process.communicate()
        counts = await db.fetchval("SELECT counts FROM walks WHERE outcome = 'end_of_list'") or {}
        found = [counts.get(name) for name in ("unchanged", "media_held", "media_new", "media_failed")]
        if found != [count, count * MEDIA, 0, 0]:
            raise harness.Wrong(f"The walk found {found}.")
        return msgspec.json.decode(told, type=Measured)
    finally:
        await db.close()


class _InMemory:
    """The pages of the site without the way there."""

    def __init__(self, count: int) -> None:
        self._answers = answers(count)

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        target = "/" + url.split("/", 3)[3]
        (whole,) = self._answers[target.encode()]
        return Document(url=url, status=200, content_type="application/json", body=whole.partition(b"\r\n\r\n")[2])


async def _told(origin: str, count: int) -> Sequence[Post]:
    """The posts as the adapter reads them."""
    adapter = open_feed("sample_feed", origin + FEED, {"count": PER_PAGE})
    pages = _InMemory(count)
    found: list[Post] = []
    cursor: Cursor | None = adapter.start()
    while cursor is not None:
        page = await adapter.posts(pages, cursor)
        found += page.posts
        cursor = page.next
    return found


async def _seed(db: "asyncpg.Connection[asyncpg.Record]", origin: str, count: int) -> None:
    new = NewSource(adapter="sample_feed", url=origin + FEED, settings={"count": PER_PAGE})
    source_id: UUID = await sources.add(db, new)
    await sources.run_now(db, source_id, "backfill")
    work_id = await db.fetchval(_WORK, source_id)
    media_id = await db.fetchval(_MEDIUM)
    held = await _told(origin, count)
    await db.execute(
        _POSTS,
        source_id,
        work_id,
        [post.key for post in held],
        [post.title for post in held],
        [posts.sort_key(post.published_at) for post in held],
        [post.text for post in held],
        [post.published_at for post in held],
        [posts.fingerprint(post) for post in held],
    )
    await db.execute(_SEEN, source_id, [medium.key for post in held for medium in post.media], media_id)
    await db.execute("ANALYZE source_media, source_chapters")
