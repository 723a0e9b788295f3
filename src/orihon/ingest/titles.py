"""The job that fetches one title that a walk could not."""

import contextlib

from orihon.fetch.errors import RateLimited
from orihon.ingest import sources
from orihon.ingest.catalogue import fetch_title, keep_title
from orihon.jobs import leases, upkeep
from orihon.jobs.handlers import Done, Job, Postpone, Settled
from orihon.jobs.payloads import SyncTitle
from orihon.library.tombstones import Buried
from orihon.sources.adapter import Fetcher
from orihon.sources.records import TitleRef
from orihon.sources.registry import open_catalogue


class TitleSyncer:
    """Handles `sync_title` jobs."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher

    async def __call__(self, job: Job[SyncTitle]) -> Done | Settled | Postpone:
        """Fetch and keep the title exactly as a walk does; a title that is not believed fails and is tried again."""
        payload = job.payload
        async with job.pool.acquire() as db:
            source = await sources.get(db, payload.source_id)
        if source is None or source.kind != "catalogue":
            # What a feed says about its creator is read again at the top of its next walk.
            return Done()
        adapter = open_catalogue(source.adapter, source.url, source.settings)
        ref = TitleRef(key=payload.key, url=payload.url, title=payload.title)
        try:
            title = await fetch_title(job.pool, source, adapter, self._fetcher, ref)
        except RateLimited as error:
            return Postpone(error.retry_after or 60.0, str(error))
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            with contextlib.suppress(Buried):  # by a person, while this job waited
                await keep_title(db, source, title)
            await upkeep.succeed(db, job.claim, job.payload)
        return Settled()
