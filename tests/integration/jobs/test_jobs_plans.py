"""Which indexes the hot statements use, and how many rows they touch (DESIGN ruling 16).

The fast form runs on tens of thousands of rows in every run; the long form (`plans`) on a million.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any
from uuid import uuid4

import asyncpg
import pytest
from tests.support.queueing import emptied, shared_database

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool, connect
from orihon.jobs import board, leases, queue, upkeep, waiting

pytestmark = pytest.mark.anyio

FEW = (20_000, 2_000, 5_000)
MANY = (1_000_000, 100_000, 100_000)

LINES = 8

_FILL = """
    INSERT INTO jobs (lane, kind, payload, state, priority, dedupe_key, concurrency_key, scheduled_at, updated_at)
    SELECT 'test', 'plain', '{"kind": "plain"}', $2, p, CASE WHEN $2 IN ('done', 'dead') THEN n::text END, $3,
           now() + make_interval(hours => $4), now() - make_interval(secs => n)
      FROM generate_series(1, $1::integer) n, generate_series($5::integer, $6::integer) p
"""


_LINES = """
    INSERT INTO jobs (lane, kind, payload, line, priority, scheduled_at)
    SELECT 'test', 'plain', '{"kind": "plain"}', line, 20, now() + make_interval(hours => hours)
      FROM (SELECT 'long ' || n % 2, 0 FROM generate_series(1, $1::integer) n
             UNION ALL SELECT 'short ' || n, 0 FROM generate_series(1, 5) n
             UNION ALL SELECT 'tomorrow', 24 FROM generate_series(1, $1::integer / 2) n) AS lined (line, hours)
"""


async def _fill(db: Any, sizes: tuple[int, int, int]) -> None:
    done, dead, backlog = sizes
    await db.execute(_FILL, done, "done", None, 0, 0, 0)
    await db.execute(_FILL, dead, "dead", None, 0, 0, 0)
    # Jobs of tomorrow, more urgent than any that is due; a backlog of a blocked key; jobs that are due.
    await db.execute(_FILL, backlog // 2, "pending", None, 24, -2, -1)
    await db.execute(_FILL, backlog, "pending", "blocked", -1, -1, -1)
    await db.execute(_FILL, 500, "pending", None, -1, 3, 3)
    # Lines: two with a backlog, many with one job, one where nothing is due before tomorrow.
    await db.execute(_LINES, backlog)
    await db.execute("UPDATE jobs SET state = 'running', leased_until = now() + interval '1 minute'"
                     " WHERE id = (SELECT id FROM jobs WHERE concurrency_key = 'blocked' LIMIT 1)")  # fmt: skip
    await db.execute("VACUUM ANALYZE jobs")


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


async def _explained(db: Any, sql: str, arguments: Sequence[object]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The generic plan, as a prepared statement ends up with it."""
    await db.execute("SET plan_cache_mode = force_generic_plan")
    transaction = db.transaction()
    await transaction.start()
    try:
        found = await db.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", *arguments)
    finally:
        await transaction.rollback()
        await db.execute("RESET plan_cache_mode")
    return found[0], list(_nodes(found[0]["Plan"]))


def _reads_table(nodes: list[dict[str, Any]]) -> bool:
    return any(node["Node Type"] == "Seq Scan" and node.get("Relation Name") == "jobs" for node in nodes)


def _indexes(nodes: list[dict[str, Any]]) -> set[str]:
    return {node["Index Name"] for node in nodes if "Index Name" in node}


def _pages(found: dict[str, Any]) -> int:
    plan = found["Plan"]
    return int(plan["Shared Hit Blocks"]) + int(plan["Shared Read Blocks"])


@pytest.fixture(
    scope="module", params=[pytest.param(FEW, id="few"), pytest.param(MANY, id="million", marks=pytest.mark.plans)]
)
async def filled(request: pytest.FixtureRequest, server: EmbeddedPostgres) -> AsyncIterator[str]:
    async with shared_database(server) as dsn:
        async with emptied(dsn) as pool:
            await _fill(pool, request.param)
        yield dsn


@pytest.fixture
async def db(filled: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await connect(filled)
    try:
        yield connection
    finally:
        await connection.close()


async def test_a_lease_reads_only_what_it_takes(db: Any) -> None:
    """Not the ended rows (graphile #240, PR #147), not the future ones (river #785), not a blocked key's backlog."""
    found, nodes = await _explained(db, leases._LEASE, ("test", 1, 60.0, []))
    assert not _reads_table(nodes)
    assert {"jobs_ready_idx", "jobs_keyed_idx", "jobs_busy_key_idx", "jobs_line_idx"} <= _indexes(nodes)
    assert _pages(found) < 100 + 8 * LINES
    # One step per line, not per job of it.
    assert max(int(node["Actual Rows"]) for node in nodes) <= LINES + 1


async def test_a_batch_lease_grows_with_the_batch_only(db: Any) -> None:
    found, nodes = await _explained(db, leases._LEASE, ("test", 50, 60.0, []))
    assert not _reads_table(nodes)
    assert _pages(found) < 2500


@pytest.mark.parametrize(
    ("sql", "key"), [(queue._ENQUEUE, None), (queue._ENQUEUE_OR_SKIP, "7")], ids=("without key", "with key")
)
async def test_enqueueing_looks_up_its_key_and_nothing_else(db: Any, sql: str, key: str | None) -> None:
    arguments = ("test", "plain", '{"kind": "plain"}', 0, key, None, 5, None, None, uuid4())
    await _explained(db, sql, arguments)  # what a new session reads of the catalogue does not count
    found, nodes = await _explained(db, sql, arguments)
    assert not _reads_table(nodes)
    assert _pages(found) < 40


async def test_enqueueing_reads_the_one_page_of_those_who_wait(server: EmbeddedPostgres) -> None:
    """In a database as migrations leave it. By the index it would read as much, and open one file more each time."""
    arguments = ("test", "plain", '{"kind": "plain"}', 0, None, None, 5, None, None, uuid4())
    async with shared_database(server) as dsn:
        db = await connect(dsn)
        await waiting.announce(db, "test", uuid4(), 60.0)
        _, nodes = await _explained(db, queue._ENQUEUE, arguments)
        await db.close()
    assert "job_waiters_pkey" not in _indexes(nodes)
    assert any(node.get("Relation Name") == "job_waiters" for node in nodes)


@pytest.mark.parametrize(
    ("sql", "arguments", "index"),
    [
        (leases._RENEW, ([uuid4()], [1], 60.0), "jobs_pkey"),
        (leases._DONE, ([uuid4()], [1]), "jobs_pkey"),
        (leases._RELEASE, ([uuid4()], [1], 0.0, None), "jobs_pkey"),
        (leases._HOLD, (uuid4(), 1), "jobs_pkey"),
        (leases._FAIL, (uuid4(), 1, False, 60.0, "no"), "jobs_pkey"),
        (leases._CONTINUE, (uuid4(), 1, "{}", None), "jobs_pkey"),
        (leases._LEASE_KEYED, ([uuid4()], 60.0), "jobs_pkey"),
        (upkeep._LAPSED, (500,), "jobs_leased_idx"),
        (upkeep._REAP, (7, 40), "jobs_terminal_idx"),
        (board._LISTS["dead"], (None, 50, 0), "jobs_terminal_idx"),
        (board._LISTS["done"], (None, 50, 0), "jobs_terminal_idx"),
        (waiting._ANNOUNCE, ("test", uuid4(), 60.0), "jobs_ready_idx"),
    ],
    ids=("renew,done,release,hold,fail,continue,lease keyed,reclaim,reap,dead list,done list,announce".split(",")),
)
async def test_every_statement_of_the_queue_is_served_by_an_index(
    db: Any, sql: str, arguments: Sequence[object], index: str
) -> None:
    found, nodes = await _explained(db, sql, arguments)
    assert not _reads_table(nodes)
    assert index in _indexes(nodes)
    assert _pages(found) < 400


async def test_every_hot_index_leaves_ended_jobs_out(pool: Pool) -> None:
    """However many end, what a lease or an enqueue reads does not grow (graphile PR #147, good_job #813)."""
    defined = {r["name"]: r["text"] for r in await pool.fetch(
        "SELECT indexrelid::regclass::text AS name, pg_get_expr(indpred, indrelid) AS text"
        "  FROM pg_index WHERE indrelid = 'jobs'::regclass")}  # fmt: skip
    ended = {"jobs_terminal_idx", "jobs_dead_key_idx"}
    for name, predicate in defined.items():
        if name != "jobs_pkey":
            assert ("done" in predicate or "dead" in predicate) is (name in ended), name
