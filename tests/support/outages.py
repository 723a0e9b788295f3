"""The whole program while it follows a small site, for tests that take something away from it and give it back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from aiohttp import ClientSession, ClientTimeout
from tests.support.exactness import differences
from tests.support.kept import Kept, kept
from tests.support.waiting import eventually

from orihon.db.pool import open_pool
from orihon.db.server import running
from orihon.ingest import sources
from orihon.ingest.sources import NewSource
from orihon.samplesite.creators import Creators
from orihon.samplesite.site import SampleSite


class Size(msgspec.Struct, frozen=True):
    """Of the site: works, chapters of each, posts; and the requests after which it is followed in earnest."""

    works: int
    posts: int
    begun: int


LARGE = Size(works=6, posts=30, begun=40)
SMALL = Size(works=3, posts=10, begun=20)

_SPENT = "SELECT kind, state, attempts, last_error FROM jobs WHERE state = 'dead' OR attempts > 1"


@asynccontextmanager
async def following(
    data: Path, folder: Path, port: int, size: Size = LARGE, **settings: str
) -> AsyncIterator[tuple[SampleSite, Kept]]:
    """The program, with a catalogue and a creator that it has just begun to follow, in `settings` of one's own."""
    creators = Creators.plain(posts=size.posts, media=3, creators=1)
    async with (
        SampleSite(folder, works=size.works, chapters=size.works, pages=8, creators=creators) as site,
        kept(
            data,
            **{
                "PORT": str(port),
                "ORIHON_PRIVATE_ORIGINS": site.origin,
                "CRAWLER_RATE_MS": "0",
                "ORIHON_LEASE_SECONDS": "3",
                **settings,
            },
        ) as orihon,
    ):
        # So that there is something left to do whenever a test comes.
        site.faults.set("slow_body", path="/img/*", seconds=0.3)
        site.faults.set("slow_body", path="/media/*", seconds=0.3)
        await eventually(lambda: "ready" in orihon.output(), seconds=120)
        async with orihon.database() as db, db.transaction():
            await sources.add(db, NewSource(url=site.url, settings={"profile": "sample"}, content="all"))
            await sources.add(db, NewSource(url=site.feed_url("creator-1"), adapter="sample_feed", content="all"))
        await eventually(lambda: site.log.total > size.begun, seconds=60)
        yield site, orihon


async def finishes_exactly(site: SampleSite, orihon: Kept, data: Path) -> None:
    """Nothing is left to do, nothing is dead, and the library is the site."""
    site.faults.clear()
    await eventually(orihon.quiet, seconds=180)
    async with ClientSession() as session, session.get(f"{site.origin}/manifest.json") as answer:
        manifest = await answer.read()
    dsn = await running(data / "postgres")
    assert dsn is not None
    pool = await open_pool(dsn, size=2)
    try:
        assert await differences(pool, manifest, data) == []
    finally:
        pool.terminate()


async def read(port: int, path: str) -> tuple[int, str]:
    """What the web process answers: status and body."""
    async with (
        ClientSession(timeout=ClientTimeout(total=90)) as session,
        session.get(f"http://127.0.0.1:{port}{path}") as answer,
    ):
        return answer.status, await answer.text()


async def spent(orihon: Kept) -> list[dict[str, object]]:
    """Jobs that an attempt was counted against, or that were given up."""
    async with orihon.database() as db:
        return [dict(record) for record in await db.fetch(_SPENT)]
