"""The line on loopback: the fetch door, a store and the handlers; jobs run one by one, in order.

`line` comes with a sample site; `engine` follows a site that the test serves.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import msgspec
from aiohttp import ClientSession

from orihon.config import Settings
from orihon.db.pool import Pool
from orihon.fetch.client import FetchClient, Limits
from orihon.ingest import sources
from orihon.ingest.catalogue import catalogues
from orihon.ingest.checking import MediumChecker
from orihon.ingest.content import ChapterFetcher
from orihon.ingest.covers import CoverFetcher
from orihon.ingest.download import Intake
from orihon.ingest.feed import feeds
from orihon.ingest.refetch import PageRefetcher
from orihon.ingest.sources import NewSource
from orihon.ingest.titles import TitleSyncer
from orihon.ingest.walking import SourceWalker
from orihon.jobs import leases, payloads, schedule
from orihon.jobs.handlers import Done, Handler, Job, Postpone
from orihon.jobs.leases import Leased
from orihon.jobs.payloads import Payload
from orihon.media.decoder import DecoderPool
from orihon.samplesite import html
from orihon.samplesite.catalogue import Chapter, Work
from orihon.samplesite.site import SampleSite
from orihon.storage.local import LocalStorage

LANES = ("crawl", "content", "feeds", "media")


class Ran(msgspec.Struct, frozen=True):
    """A job that was run: what it was, and the error it raised, if any."""

    payload: Payload
    error: Exception | None


class Engine:
    """Everything that fills a library, without processes or waiting; whatever site it follows."""

    def __init__(self, pool: Pool, data: Path, fetcher: FetchClient, decoder: DecoderPool) -> None:
        self.pool = pool
        self.data = data
        self.storage = LocalStorage(data)
        self.chunk_seconds = 60.0
        self.clock: Callable[[], float] = time.monotonic
        self.max_pages = 2000
        self.max_file_bytes = 512 * 1024 * 1024
        self.fetcher = fetcher
        self.decoder = decoder

    def handlers(self) -> dict[type[Payload], Handler]:
        """As the app registers them."""
        intake = Intake(
            fetcher=self.fetcher,
            storage=self.storage,
            max_bytes=33_554_432,
            max_file_bytes=self.max_file_bytes,
            pause=0,
        )
        lines = {"catalogue": catalogues(self.fetcher), "feed": feeds(intake)}
        walker = SourceWalker(lines, max_failures=10, chunk_seconds=self.chunk_seconds, clock=self.clock)
        return {
            payloads.WalkSource: walker,
            payloads.WalkFeed: walker,
            payloads.SyncTitle: TitleSyncer(self.fetcher),
            payloads.FetchChapter: ChapterFetcher(intake, max_pages=self.max_pages),
            payloads.FetchCover: CoverFetcher(intake),
            payloads.PageRefetch: PageRefetcher(intake, self.decoder),
            payloads.CheckMedium: MediumChecker(self.storage, self.decoder),
        }

    async def follow(self, **source: Any) -> UUID:
        """Follow a source, with the fields of `NewSource`; all content unless told otherwise."""
        async with self.pool.acquire() as db, db.transaction():
            return await sources.add(db, NewSource(**({"content": "all"} | source)))

    async def drain(self, *, most: int = 10_000, only: Callable[[Payload], bool] = lambda _: True) -> list[Ran]:
        """Run due jobs until none is left; failed ones wait for their backoff, so they end a drain, too."""
        await schedule.fire_due(self.pool)
        handlers = self.handlers()
        kinds = {payloads.kind_of(kind): kind for kind in handlers}
        ran: list[Ran] = []
        while len(ran) < most and (leased := await self._lease()) is not None:
            payload = payloads.decode(kinds[leased.claim.kind], leased.payload)
            if not only(payload):
                async with self.pool.acquire() as db:
                    await leases.release(db, leased.claim, after=3600)
                continue
            ran.append(Ran(payload, await self._run(handlers[type(payload)], payload, leased)))
        return ran

    async def _lease(self) -> Leased | None:
        async with self.pool.acquire() as db:
            for lane in LANES:
                if leased := await leases.lease(db, lane):
                    return leased[0]
        return None

    async def _run(self, handler: Handler, payload: Payload, leased: Leased) -> Exception | None:
        job: Job[Any] = Job(payload=payload, claim=leased.claim, pool=self.pool)
        try:
            result = await handler(job)
        except Exception as error:
            async with self.pool.acquire() as db:
                await leases.fail(db, leased.claim, str(error))
            return error
        async with self.pool.acquire() as db:
            if isinstance(result, Done):
                await leases.done(db, leased.claim)
            elif isinstance(result, Postpone):
                await leases.release(db, leased.claim, after=result.seconds, reason=result.reason)
        return None

    async def walk_again(self, source_id: UUID) -> list[Ran]:
        """Look for news now."""
        async with self.pool.acquire() as db:
            await sources.run_now(db, source_id)
        return await self.drain()

    async def retry_now(self) -> None:
        """Let failed jobs skip the rest of their backoff."""
        await self.pool.execute("UPDATE jobs SET scheduled_at = now() WHERE state = 'pending'")


class Line(Engine):
    """The engine beside the sample site."""

    def __init__(self, pool: Pool, site: SampleSite, data: Path, fetcher: FetchClient, decoder: DecoderPool) -> None:
        super().__init__(pool, data, fetcher, decoder)
        self.site = site

    async def follow(self, **source: Any) -> UUID:
        """Follow the sample site's catalogue, unless told otherwise."""
        return await super().follow(**({"settings": {"profile": "sample"}, "url": self.site.url} | source))

    async def manifest(self) -> bytes:
        """What the site offers, with hashes."""
        return await self._get("/manifest.json")

    async def picture(self, work: Work, chapter: Chapter, number: int) -> bytes:
        """The image of a page as the site serves it now."""
        return await self._get(html.page_url(work, chapter, number, chapter.pages[number - 1]))

    async def _get(self, path: str) -> bytes:
        async with ClientSession() as session, session.get(self.site.origin + path) as answer:
            return await answer.read()


@asynccontextmanager
async def engine(pool: Pool, folder: Path, *origins: str, limits: Limits | None = None) -> AsyncIterator[Engine]:
    """An engine that may reach these servers on loopback (`http://127.0.0.1:port`): for adapters of other sites."""
    settings = Settings(data=folder / "data", private_origins=origins, fetch_rate_ms=0)
    async with FetchClient(settings, limits=limits) as fetcher, DecoderPool() as decoder:
        yield Engine(pool, folder / "data", fetcher, decoder)


@asynccontextmanager
async def line(
    pool: Pool, folder: Path, *, drawn: Path | None = None, limits: Limits | None = None, **site: Any
) -> AsyncIterator[Line]:
    """A line that follows a sample site made with these arguments. `drawn` keeps its pictures from test to test."""
    async with (
        SampleSite(drawn or folder / "site", **site) as sample,
        engine(pool, folder, sample.origin, limits=limits) as made,
    ):
        yield Line(pool, sample, made.data, made.fetcher, made.decoder)
