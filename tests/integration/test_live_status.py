"""Live status and operation metrics (spec crawler-core 8.10, 12; DESIGN ruling 6)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from tests.support.queueing import shared_database
from tests.support.waiting import eventually

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool, open_pool
from orihon.runtime import live_status, metrics
from orihon.runtime.live_status import Live, Pace, report

pytestmark = pytest.mark.anyio

QUICK = Pace(after=0.0, every=0.0, ttl=0.6)
LASTING = Pace(after=0.0, every=0.0, ttl=60.0)


@pytest.fixture(scope="module")
async def shared(server: EmbeddedPostgres) -> AsyncIterator[str]:
    async with shared_database(server) as dsn:
        yield dsn


@pytest.fixture
async def pool(shared: str) -> AsyncIterator[Pool]:
    opened = await open_pool(shared)
    await opened.execute("TRUNCATE live_status, op_metrics")
    yield opened
    await opened.close()


async def _shown(pool: Pool) -> list[tuple[str, str | None, int | None]]:
    return [(live.key, live.now.text, live.now.done) for live in await live_status.read(pool)]


async def _is(pool: Pool, *expected: tuple[str, str | None, int | None]) -> bool:
    return await _shown(pool) == list(expected)


async def test_work_is_shown_while_it_goes_on_and_with_its_latest_word(pool: Pool) -> None:
    async with report(pool, "source:1", kind="walk", pace=LASTING) as status:
        for done in range(50):
            await status.update(phase="walking", text=f"Title {done}", done=done, total=50)
        await eventually(lambda: _is(pool, ("source:1", "Title 49", 49)))
        (live,) = await live_status.read(pool, kind="walk")
        assert isinstance(live, Live)
        assert (live.now.phase, live.now.total) == ("walking", 50)
        assert await live_status.read(pool, kind="chapter") == []
    assert await _shown(pool) == []


async def test_short_work_is_never_written(pool: Pool) -> None:
    async with report(pool, "chapter:1", kind="chapter", pace=Pace(after=30)) as status:
        await status.update(text="quick")
        await asyncio.sleep(0)
    # A row that was written and removed leaves a page behind.
    assert await pool.fetchval("SELECT pg_relation_size('live_status')") == 0


@pytest.mark.parametrize("ending", ["error", "cancelled"])
async def test_a_guard_cleans_up_on_every_exit(pool: Pool, ending: str) -> None:
    """Spec 12: return, error, panic and cancellation."""
    go = asyncio.Event()

    async def work() -> None:
        async with report(pool, "source:1", kind="walk", pace=LASTING) as status:
            await status.update(text="busy")
            await go.wait()
            raise ValueError

    task = asyncio.create_task(work())
    await eventually(lambda: _is(pool, ("source:1", "busy", None)))
    go.set() if ending == "error" else task.cancel()
    with contextlib.suppress(ValueError, asyncio.CancelledError):
        await task
    assert await _shown(pool) == []


async def test_a_guard_never_clears_a_newer_entry(pool: Pool) -> None:
    """Spec 12: also when the older one goes on writing."""
    async with report(pool, "source:1", kind="walk", pace=LASTING) as newer_follows:
        await newer_follows.update(text="old")
        await eventually(lambda: _is(pool, ("source:1", "old", None)))
        newer = report(pool, "source:1", kind="walk", pace=LASTING)
        status = await newer.__aenter__()
        await status.update(text="new")
        await eventually(lambda: _is(pool, ("source:1", "new", None)))
        await newer_follows.update(text="old again")
    assert await _shown(pool) == [("source:1", "new", None)]
    await newer.__aexit__(None, None, None)
    assert await _shown(pool) == []


async def test_the_entry_of_a_dead_process_expires_by_itself(pool: Pool) -> None:
    await pool.execute(
        "INSERT INTO live_status (key, owner, kind, value, expires_at)"
        " VALUES ('source:1', $1, 'walk', '{}', now() - interval '1 second')",
        uuid4(),
    )
    assert await live_status.read(pool) == []
    async with report(pool, "source:1", kind="walk", pace=LASTING) as status:
        await status.update(text="taken over")
        await eventually(lambda: _is(pool, ("source:1", "taken over", None)))
    await pool.execute(
        "INSERT INTO live_status (key, owner, kind, value, expires_at) VALUES ('x', $1, 'walk', '{}', now())", uuid4()
    )
    assert await live_status.reap(pool) == 1


async def test_a_living_entry_does_not_expire(pool: Pool) -> None:
    async with report(pool, "source:1", kind="walk", pace=QUICK) as status:
        await status.update(text="silent for long")
        await eventually(lambda: _is(pool, ("source:1", "silent for long", None)))
        before = await pool.fetchval("SELECT expires_at FROM live_status")
        await eventually(lambda: pool.fetchval("SELECT expires_at > $1 FROM live_status", before))


async def test_work_goes_on_when_its_status_cannot_be_written(pool: Pool) -> None:
    await pool.execute("ALTER TABLE live_status RENAME TO moved_away")
    try:
        async with report(pool, "source:1", kind="walk", pace=LASTING) as status:
            await status.update(text="nobody sees this \x00")
            await asyncio.sleep(0.05)
    finally:
        await pool.execute("ALTER TABLE moved_away RENAME TO live_status")


async def test_text_from_outside_cannot_break_the_entry(pool: Pool) -> None:
    async with report(pool, "source:1", kind="walk", pace=LASTING) as status:
        await status.update(text="bad \x00 title")
        await eventually(lambda: _is(pool, ("source:1", "bad   title", None)))


# --- metrics ---


async def test_an_operation_is_recorded_and_reaped_after_its_time(pool: Pool) -> None:
    async with pool.acquire() as db:
        await metrics.record(db, "chapter", outcome="ok", seconds=1.5, items=12)
        await metrics.record(db, "manga_list", outcome="failed", seconds=-3, error="no \x00 list" + "x" * 5000)
        await db.execute("UPDATE op_metrics SET finished_at = now() - interval '91 days' WHERE op = 'chapter'")
        assert await metrics.reap(db, 0) == 0
        assert await metrics.reap(db, 90) == 1
        (kept,) = await db.fetch("SELECT * FROM op_metrics")
    assert (kept["op"], kept["duration_ms"], kept["outcome"]) == ("manga_list", 0, "failed")
    assert kept["error"].startswith("no   list")
    assert len(kept["error"]) == 2000


async def test_an_operation_on_something_that_was_removed_meanwhile_still_counts(pool: Pool) -> None:
    await metrics.record(pool, "chapter", outcome="ok", seconds=0.25, source_id=uuid4(), chapter_id=uuid4())
    (kept,) = await pool.fetch("SELECT * FROM op_metrics")
    assert (kept["source_id"], kept["chapter_id"], kept["duration_ms"]) == (None, None, 250)


async def test_an_operation_of_a_source_that_is_being_removed_waits_for_the_removal(pool: Pool) -> None:
    """It saw a source that was still there, and failed the job of the walk when the removal was through."""
    source_id = await pool.fetchval(
        "INSERT INTO sources (adapter, kind, name, url, interval_seconds)"
        " VALUES ('html', 'catalogue', 'x', 'http://x/', 60) RETURNING id"
    )
    async with pool.acquire() as db:
        async with db.transaction():
            await db.execute("DELETE FROM sources WHERE id = $1", source_id)
            recording = asyncio.create_task(
                metrics.record(pool, "manga_list", outcome="ok", seconds=0.25, source_id=source_id)
            )
            await eventually(lambda: pool.fetchval("SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)"))
        await recording
    (kept,) = await pool.fetch("SELECT * FROM op_metrics")
    assert (kept["source_id"], kept["op"]) == (None, "manga_list")


async def test_reaping_goes_on_past_its_batch(pool: Pool) -> None:
    await pool.execute(
        "INSERT INTO op_metrics (op, outcome, duration_ms, finished_at)"
        " SELECT 'chapter', 'ok', 1, now() - interval '99 days' FROM generate_series(1, 5001)"
    )
    assert await metrics.reap(pool, 90) == 5001
