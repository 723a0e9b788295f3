"""The worker process: which handler runs which kind of job."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec
import structlog

from orihon.app import process
from orihon.config import Settings
from orihon.db.notify import Bus
from orihon.db.pool import Pool
from orihon.fetch.client import FetchClient
from orihon.ingest.catalogue import catalogues
from orihon.ingest.checking import MediumChecker
from orihon.ingest.content import ChapterFetcher
from orihon.ingest.covers import CoverFetcher
from orihon.ingest.download import Intake
from orihon.ingest.feed import feeds
from orihon.ingest.refetch import PageRefetcher
from orihon.ingest.titles import TitleSyncer
from orihon.ingest.walking import SourceWalker
from orihon.jobs import payloads, schedule, upkeep
from orihon.jobs.handlers import Done, Entry, Job, registry
from orihon.jobs.payloads import ReapJobs, ReapMetrics, Sweep
from orihon.jobs.worker import Lane, Timing, Worker
from orihon.media.decoder import DecoderPool
from orihon.media.sweep import sweep
from orihon.runtime import logs, metrics
from orihon.storage.local import LocalStorage

log = structlog.get_logger(__name__)

LANES: Mapping[str, Lane] = {
    lane.name: lane
    for lane in (
        Lane(name="crawl", concurrency=4),
        Lane(name="content", concurrency=4),
        Lane(name="feeds", concurrency=2),
        Lane(name="media", concurrency=2, prefetch=20),
        Lane(name="maintenance", concurrency=1),
    )
}
"""How each lane is served by one worker process."""

_HOUR = 3600
_DAY = 24 * _HOUR

HOUSEKEEPING = (
    ("sweep", Sweep(), _DAY),
    ("reap-jobs", ReapJobs(), _HOUR),
    ("reap-metrics", ReapMetrics(), _DAY),
)
"""Schedules that every installation has: name, job, seconds."""

METRICS_DAYS = 30

LEFTOVER_SECONDS = 600.0
"""A half-written download of nobody is removed at the start of a worker when it is older."""

CONNECTIONS = 12

PATIENCE = 300.0
"""Seconds that a statement may take, many times what any does; one that is stuck gives its place back."""


class Tools(msgspec.Struct, frozen=True, kw_only=True):
    """What handlers work with."""

    settings: Settings
    pool: Pool
    storage: LocalStorage
    fetcher: FetchClient
    decoder: DecoderPool


def handlers(tools: Tools) -> Mapping[str, Entry]:
    """Every job handler, in one list; a kind without one ends the start."""
    settings, storage, fetcher, decoder = tools.settings, tools.storage, tools.fetcher, tools.decoder
    intake = Intake(
        fetcher=fetcher,
        storage=storage,
        max_bytes=settings.fetch_max_image_bytes,
        max_file_bytes=settings.fetch_max_file_bytes,
        max_pixels=settings.max_image_pixels,
    )
    walker = SourceWalker(
        {
            "catalogue": catalogues(fetcher),
            "feed": feeds(intake),
        },
        max_failures=settings.max_consecutive_failures,
        whole_days=settings.whole_walk_days,
    )

    async def sweep_store(job: Job[Sweep]) -> Done:
        swept = await sweep(job.pool, storage)
        log.info("store swept", **msgspec.to_builtins(swept))
        return Done()

    async def reap_jobs(job: Job[ReapJobs]) -> Done:
        async with job.pool.acquire() as db:
            await upkeep.reap_terminal(db, settings.job_retention_days)
            await upkeep.reap_turns(db)
        return Done()

    async def reap_metrics(job: Job[ReapMetrics]) -> Done:
        await metrics.reap(job.pool, METRICS_DAYS)
        return Done()

    return registry(
        (
            (payloads.WalkSource, walker),
            (payloads.WalkFeed, walker),
            (payloads.SyncTitle, TitleSyncer(fetcher)),
            (payloads.FetchChapter, ChapterFetcher(intake, max_pages=settings.max_pages_per_chapter)),
            (payloads.FetchCover, CoverFetcher(intake)),
            (payloads.PageRefetch, PageRefetcher(intake, decoder)),
            (payloads.CheckMedium, MediumChecker(storage, decoder)),
            (payloads.Sweep, sweep_store),
            (payloads.ReapJobs, reap_jobs),
            (payloads.ReapMetrics, reap_metrics),
        ),
        kinds=payloads.KINDS,
    )


def run_worker(settings: Settings, lanes: Sequence[str]) -> int:
    """Serve lanes of the queue until told to stop; the exit status."""
    logs.configure(json=settings.log_json)
    return process.run_until_told(_work(settings, lanes))


async def _work(settings: Settings, lanes: Sequence[str]) -> None:
    dsn = process.database_of(settings)
    window = float(settings.lease_seconds)
    async with (
        # Who leaves a transaction open for longer than a lease is frozen, and others must get at the rows.
        process.pool(dsn, size=CONNECTIONS, patience=PATIENCE, most_idle=window) as pool,
        Bus(dsn) as bus,
        FetchClient(settings, pool) as fetcher,
        DecoderPool(most_pixels=settings.max_image_pixels) as decoder,
    ):
        async with pool.acquire() as db:
            for name, payload, seconds in HOUSEKEEPING:
                await schedule.ensure(db, name, payload, seconds)
        storage = LocalStorage(settings.data)
        # What a killed worker left behind; what another one writes at this moment is locked by it.
        await asyncio.to_thread(storage.clear_staging, LEFTOVER_SECONDS)
        tools = Tools(settings=settings, pool=pool, storage=storage, fetcher=fetcher, decoder=decoder)
        worker = Worker(
            dsn=dsn,
            pool=pool,
            lanes=[LANES[name] for name in lanes],
            handlers=handlers(tools),
            bus=bus,
            timing=Timing(window=window, beat=window / 3, reclaim=min(10.0, window / 3), full=min(30.0, window)),
        )
        log.info("worker started", lanes=list(lanes))
        await worker.run()
