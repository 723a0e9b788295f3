"""How walks end, and what that means for the next one (crawler-core 8.3 and 8.4, DESIGN section 7)."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from tests.support.line import Line, line
from tests.support.waiting import eventually

from orihon.db.pool import Pool
from orihon.fetch.errors import Unreachable
from orihon.ingest import journal, sources
from orihon.ingest.catalogue import catalogues
from orihon.ingest.rules import Outcome
from orihon.ingest.sources import SourceEdit
from orihon.ingest.walking import SourceWalker
from orihon.jobs import leases, queue
from orihon.jobs.handlers import Job
from orihon.jobs.leases import LeaseLost
from orihon.jobs.payloads import SyncTitle, WalkSource
from orihon.samplesite.catalogue import Catalogue
from orihon.sources.adapter import Document, Fetcher

pytestmark = pytest.mark.anyio

TITLES = 20
PER_PAGE = 4


@pytest.fixture
async def long(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """A site of twenty titles on five pages, with nothing to fetch in them."""
    async with line(pool, tmp_path, titles=TITLES, per_page=PER_PAGE) as made:
        yield made


async def walks(pool: Pool) -> list[tuple[str, str]]:
    rows = await pool.fetch("SELECT mode, outcome FROM walks ORDER BY started_at, id")
    return [(row["mode"], row["outcome"]) for row in rows]


async def source_state(pool: Pool) -> tuple[bool, object]:
    row = await pool.fetchrow("SELECT clean, recovery_cursor FROM sources")
    assert row is not None
    return row["clean"], row["recovery_cursor"]


async def held(pool: Pool) -> int:
    count: int = await pool.fetchval("SELECT count(*) FROM source_works")
    return count


def listing_pages(made: Line) -> int:
    return sum(count for path, count in made.site.log.counts.items() if path == "/works/" or "/page/" in path)


async def leased_walk(made: Line, source: UUID) -> Job[WalkSource]:
    payload = WalkSource(source_id=source)
    async with made.pool.acquire() as db:
        await queue.enqueue(db, payload)
        (leased,) = await leases.lease(db, "crawl")
    return Job(payload=payload, claim=leased.claim, pool=made.pool)


async def test_end_of_catalogue_is_clean(long: Line) -> None:
    """8.3 pass endings, row 1."""
    await long.follow()
    await long.drain()
    assert await walks(long.pool) == [("backfill", "end_of_list")]
    assert await source_state(long.pool) == (True, None)
    assert await held(long.pool) == TITLES


async def test_stop_rule_is_clean(long: Line) -> None:
    """8.3 pass endings, row 2."""
    source = await long.follow()
    await long.drain()
    await long.walk_again(source)
    assert (await walks(long.pool))[-1] == ("tick", "caught_up")
    assert await source_state(long.pool) == (True, None)


async def test_limit_reached_is_not_clean(long: Line) -> None:
    """8.3 pass endings, row 3; the next walk begins at the top, without the early stop."""
    source = await long.follow(item_limit=6)
    await long.drain()
    assert await walks(long.pool) == [("backfill", "limit")]
    assert await source_state(long.pool) == (False, None)
    assert await held(long.pool) == 6
    async with long.pool.acquire() as db, db.transaction():
        await sources.edit(db, source, SourceEdit(item_limit=None))
    await long.walk_again(source)
    assert (await walks(long.pool))[-1] == ("backfill", "end_of_list")
    assert await held(long.pool) == TITLES


class Refusing:
    """The door, with some title pages out of reach."""

    def __init__(self, door: Fetcher, slugs: set[str]) -> None:
        self._door = door
        self.slugs = slugs

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        if url.rstrip("/").rpartition("/")[2] in self.slugs:
            raise Unreachable(url, "nobody_there")
        return await self._door.get(url, referer=referer)


async def test_failure_breaker_is_not_clean_and_counts_as_failed(long: Line) -> None:
    """8.3 pass endings, row 5: the titles beyond the third cannot be fetched."""
    source = await long.follow()
    slugs = {work.slug for work in long.site.catalogue.works[3:]}
    job = await leased_walk(long, source)
    await SourceWalker({"catalogue": catalogues(Refusing(long.fetcher, slugs))}, max_failures=10)(job)
    assert await walks(long.pool) == [("backfill", "breaker")]
    clean, cursor = await source_state(long.pool)
    assert clean is False
    assert cursor is not None
    assert await long.pool.fetchval("SELECT outcome FROM op_metrics WHERE op = 'manga_list'") == "failed"
    assert "in a row" in await long.pool.fetchval("SELECT last_error FROM sources")
    await long.retry_now()
    await long.drain()
    assert await held(long.pool) == TITLES
    assert await source_state(long.pool) == (True, None)


async def test_nine_failures_do_not_end_a_walk(long: Line) -> None:
    source = await long.follow()
    slugs = {work.slug for work in long.site.catalogue.works[3:12]}
    job = await leased_walk(long, source)
    await SourceWalker({"catalogue": catalogues(Refusing(long.fetcher, slugs))}, max_failures=10)(job)
    assert await walks(long.pool) == [("backfill", "end_of_list")]
    await long.drain()
    assert await held(long.pool) == TITLES


async def test_a_page_of_the_list_that_fails_keeps_the_checkpoint_and_has_no_list_metric(long: Line) -> None:
    """8.3 pass endings, row 6."""
    await long.follow()
    long.chunk_seconds = 0
    await long.drain(most=2)
    before = await held(long.pool)
    assert before == 2 * PER_PAGE
    await long.site.stop()
    ran = await long.drain(most=1)
    assert ran[0].error is not None
    assert (await walks(long.pool))[-1][1] == "failed"
    assert await long.pool.fetchval("SELECT count(*) FROM op_metrics WHERE op = 'manga_list'") == 0
    await long.site.start()
    await long.retry_now()
    await long.drain()
    assert await held(long.pool) == TITLES
    assert await source_state(long.pool) == (True, None)


async def test_a_chunk_boundary_is_not_an_unclean_end(long: Line) -> None:
    long.chunk_seconds = 0
    await long.follow()
    await long.drain()
    assert await walks(long.pool) == [("backfill", "continued")] * 4 + [("backfill", "end_of_list")]
    assert listing_pages(long) == 5, "no page of the list was read twice"
    counts = await long.pool.fetchval("SELECT counts FROM walks ORDER BY started_at DESC LIMIT 1")
    assert (counts["discovered"], counts["new"], counts["pages"]) == (TITLES, TITLES, 5)


async def test_a_walk_goes_on_where_it_was_by_a_clock_that_was_set_back(long: Line) -> None:
    """Its chunks began an hour later than now."""
    long.chunk_seconds = 0
    await long.follow()
    await long.drain(most=2)
    await long.pool.execute(
        "UPDATE walks SET started_at = started_at + interval '1 hour', ended_at = ended_at + interval '1 hour'"
    )
    await long.drain(most=200)
    assert await walks(long.pool) == [("backfill", "continued")] * 4 + [("backfill", "end_of_list")]
    assert listing_pages(long) == 5, "no page of the list was read twice"
    assert await long.pool.fetchval("SELECT bool_and(ended_at >= started_at) FROM walks")


async def test_a_crash_is_recovered_from_one_page_before_the_checkpoint_and_followed_by_a_tick(long: Line) -> None:
    """8.3 pass endings, row 7: no code has to run for a crash to be noticed."""
    long.chunk_seconds = 0
    source = await long.follow()
    await long.drain(most=3)
    # A process that is killed leaves its chunk open and its lease to lapse.
    job = await leased_walk(long, source)
    async with long.pool.acquire() as db, db.transaction():
        await leases.hold(db, job.claim)
        await journal.begin(db, source)
    await long.pool.execute("UPDATE jobs SET state = 'pending', leased_until = NULL WHERE state = 'running'")
    long.site.log.clear()
    long.chunk_seconds = 60
    await long.drain()
    assert (await walks(long.pool))[3:] == [
        ("backfill", "interrupted"),
        ("recovery", "end_of_list"),
        ("tick", "caught_up"),
    ]
    assert sorted(path for path in long.site.log.counts if "/page/" in path) == [
        "/works/page/3/",
        "/works/page/4/",
        "/works/page/5/",
    ]
    assert await held(long.pool) == TITLES
    assert await source_state(long.pool) == (True, None)


async def test_a_graceful_stop_goes_on_where_it_was(long: Line) -> None:
    source = await long.follow()
    job = await leased_walk(long, source)
    walker = SourceWalker({"catalogue": catalogues(long.fetcher)}, max_failures=10)
    task = asyncio.create_task(walker(job))

    async def three_are_held() -> bool:
        return await held(long.pool) >= 3

    await eventually(three_are_held)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await walks(long.pool) == [("backfill", "continued")]
    async with long.pool.acquire() as db:
        await leases.release(db, job.claim)
    await long.drain()
    assert await walks(long.pool) == [("backfill", "continued"), ("backfill", "end_of_list")]
    assert await held(long.pool) == TITLES


async def test_a_worker_that_lost_its_lease_changes_nothing(long: Line) -> None:
    """DESIGN ruling 22."""
    source = await long.follow()
    job = await leased_walk(long, source)
    await long.pool.execute("UPDATE jobs SET lease_generation = lease_generation + 1")
    with pytest.raises(LeaseLost):
        await SourceWalker({"catalogue": catalogues(long.fetcher)}, max_failures=10)(job)
    assert await held(long.pool) == 0
    assert await walks(long.pool) == []
    assert await long.pool.fetchval("SELECT clean FROM sources") is True


async def test_a_source_paused_in_the_middle_goes_on_when_it_is_resumed(long: Line) -> None:
    long.chunk_seconds = 0
    source = await long.follow()
    await long.drain(most=2)
    for paused in (True, False):
        async with long.pool.acquire() as db, db.transaction():
            await sources.edit(db, source, SourceEdit(paused=paused))
        await long.retry_now()
        await long.walk_again(source)
    assert await held(long.pool) == TITLES
    assert listing_pages(long) == 5


async def test_the_next_look_is_that_of_a_waiting_walk_where_it_is_sooner(long: Line) -> None:
    """A failed walk is tried again long before its schedule asks for the next."""
    source = await long.follow()
    await long.pool.execute("UPDATE job_schedules SET next_at = now() + interval '60 minutes'")
    async with long.pool.acquire() as db:
        await queue.enqueue(db, WalkSource(source_id=source))
        for state, minutes in (("pending", 2), ("dead", 60)):
            await db.execute("UPDATE jobs SET state = $1, scheduled_at = now() + interval '2 minutes'", state)
            (overview,) = await sources.overviews(db, source)
            assert overview.next_run_at is not None
            left = overview.next_run_at - await db.fetchval("SELECT now()")
            assert abs(left - timedelta(minutes=minutes)) < timedelta(seconds=30)


async def test_titles_that_moved_up_during_a_recovery_are_caught_by_the_tick_after_it(long: Line) -> None:
    long.chunk_seconds = 0
    source = await long.follow()
    await long.drain(most=2)
    await long.pool.execute("UPDATE walks SET outcome = 'interrupted' WHERE outcome = 'continued'")
    fresh = Catalogue.plain(TITLES + 1).works[-1]
    long.site.catalogue.add(fresh)
    await long.drain()
    assert await held(long.pool) == TITLES + 1
    assert source is not None


async def test_an_unexpected_error_in_a_walk_closes_its_chunk(long: Line) -> None:
    """A defect of ours must not look like a crash for ever."""
    source = await long.follow()
    job = await leased_walk(long, source)

    class Broken:
        async def get(self, url: str, *, referer: str | None = None) -> object:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await SourceWalker({"catalogue": catalogues(Broken())}, max_failures=10)(job)  # type: ignore[arg-type]  # a defect on purpose
    assert await walks(long.pool) == [("backfill", Outcome.FAILED)]


async def test_a_failed_title_is_retried_by_its_own_job_only(long: Line) -> None:
    work = long.site.catalogue.works[1]
    long.site.catalogue._works.pop(work.slug)
    await long.follow()
    ran = await long.drain()
    retried = [one.payload for one in ran if isinstance(one.payload, SyncTitle)]
    assert [payload.key for payload in retried] == [work.slug]
    assert (await walks(long.pool))[-1] == ("backfill", "end_of_list")


async def test_a_place_that_the_profile_no_longer_understands_is_forgotten(long: Line) -> None:
    """The next walk begins at the top instead of failing for ever."""
    long.chunk_seconds = 0
    await long.follow()
    await long.drain(most=2)
    await long.pool.execute("UPDATE walks SET outcome = 'interrupted'")
    await long.pool.execute("""UPDATE sources SET recovery_cursor = '{"page": "x"}'""")
    ran = await long.drain(most=1)
    assert ran[0].error is not None
    assert (await source_state(long.pool)) == (False, None)
    await long.retry_now()
    await long.drain()
    assert await held(long.pool) == TITLES
    assert await source_state(long.pool) == (True, None)


async def test_a_walk_that_succeeds_makes_the_failure_of_an_earlier_one_moot(long: Line) -> None:
    """Else a person is told for a week of a failure that was mended within the hour."""
    source = await long.follow()
    await long.drain()
    await long.pool.execute(
        "UPDATE jobs SET state = 'dead', last_error = 'the site was down' WHERE kind = 'walk_source'"
    )
    await long.walk_again(source)
    assert await long.pool.fetchval("SELECT count(*) FROM jobs WHERE state = 'dead'") == 0
