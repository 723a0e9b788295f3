"""The catalogue's statements are served by their indexes, whatever is asked: no scan of a whole table."""

import itertools
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest
from tests.support.titles import seed
from tests.support.web import own_database

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Connection, Pool
from orihon.ingest import sources
from orihon.ingest.sources import NewSource
from orihon.library import catalogue
from orihon.library.catalogue import Listing
from orihon.search import catalogue as searching
from orihon.sources.records import Status

pytestmark = pytest.mark.anyio

WORKS = 5000


@pytest.fixture(scope="module")
async def full(server: EmbeddedPostgres) -> AsyncIterator[Pool]:
    async with own_database(server) as (pool, _):
        async with pool.acquire() as db:
            await seed(db, WORKS)
            await db.execute("""
                WITH known AS (
                    INSERT INTO people (name) SELECT 'Person ' || n FROM generate_series(1, 3000) AS n RETURNING id
                ), numbered AS (SELECT id, row_number() OVER () AS n FROM known)
                INSERT INTO work_people (work_id, person_id, position)
                SELECT w.id, p.id, 0 FROM (SELECT id, row_number() OVER () AS n FROM works) w JOIN numbered p USING (n)
            """)
            # All of them are followed, and none is gone.
            source = await sources.add(db, NewSource(url="https://site.example/", settings={"profile": "sample"}))
            await db.execute(
                "INSERT INTO source_works (source_id, key, work_id, url) SELECT $1, id::text, id, 'x' FROM works",
                source,
            )
            await db.execute("ANALYZE people, work_people, source_works")
        yield pool


def nodes(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for below in plan.get("Plans", ()) for node in nodes(below))]


async def explained(db: "Pool | Connection", sql: str, arguments: list[Any]) -> list[dict[str, Any]]:
    raw = await db.fetchval(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", *arguments)
    found = msgspec.json.decode(raw) if isinstance(raw, str) else raw
    return nodes(found[0]["Plan"])


def scanned(plan: list[dict[str, Any]]) -> set[str]:
    """Tables that were read whole."""
    return {
        node["Relation Name"]
        for node in plan
        if node["Node Type"] == "Seq Scan" and node["Actual Loops"] and node["Relation Name"] != "media"
    }


def read(plan: list[dict[str, Any]], table: str) -> float:
    """Rows that were read of a table."""
    return sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in plan
        if node.get("Relation Name") == table
    )


@pytest.mark.parametrize(
    ("sort", "order", "after"), list(itertools.product(catalogue.NATURAL, ("asc", "desc"), (False, True)))
)
async def test_a_page_of_the_list_reads_no_more_rows_than_it_shows(
    full: Pool, sort: catalogue.Sort, order: catalogue.Order, after: bool
) -> None:
    listing = Listing(sort=sort, order=order, limit=50)
    if after:
        async with full.acquire() as db:
            middle = await catalogue.page(db, Listing(sort=sort, order=order, limit=50, offset=WORKS // 2))
        listing = msgspec.structs.replace(listing, after=middle.next)
    plan = await explained(full, *catalogue.statement(listing))
    assert scanned(plan) == set()
    assert read(plan, "works") <= 52
    assert read(plan, "source_works") == 0, "whether a title is gone is known without reading what is not"


@pytest.mark.parametrize(
    ("sort", "order", "status"),
    [*itertools.product(catalogue.NATURAL, ("asc", "desc"), (None,)), ("updated", "desc", "hiatus")],
)
async def test_pages_of_a_list_are_planned_once_and_well(
    full: Pool, sort: catalogue.Sort, order: catalogue.Order, status: Status | None
) -> None:
    listing = Listing(sort=sort, order=order, limit=20, status=status)
    async with full.acquire() as db:
        for _ in range(12):
            part = await catalogue.page(db, listing)
            listing = msgspec.structs.replace(listing, after=part.next)
        sql, arguments = catalogue.statement(listing)
        planned = await db.fetchval("SELECT generic_plans FROM pg_prepared_statements WHERE statement = $1", sql)
        assert planned >= 6, "all but the first five of eleven pages after the first"
        given = [await db.fetchval("SELECT quote_literal($1::text)", str(argument)) for argument in arguments]
        async with db.transaction():
            await db.execute("SET LOCAL plan_cache_mode = force_generic_plan")
            await db.execute(f"PREPARE listed AS {sql}")
            plan = await explained(db, f"EXECUTE listed ({', '.join(given)})", [])
            await db.execute("DEALLOCATE listed")
    assert scanned(plan) == set()
    assert read(plan, "works") <= 22


async def test_a_page_of_a_status_is_served_by_its_index(full: Pool) -> None:
    plan = await explained(full, *catalogue.statement(Listing(status="hiatus", limit=50)))
    assert scanned(plan) == set()
    assert read(plan, "works") <= 52


@pytest.mark.parametrize(
    "typed",
    [
        "garden",
        "gardne",
        "the",
        "a",
        "巨",
        "巨人",
        "ёжик",
        "x",
        "zzzz",
        "%",
        "silent alchemist",
        "person 2017",
        "nobody of this name",
    ],
)
@pytest.mark.parametrize("status", [None, "ongoing"])
async def test_a_search_reads_no_table_whole(full: Pool, typed: str, status: str | None) -> None:
    sql = searching.statement(sort=None, order=None, with_status=status is not None)
    arguments = [typed, 51, 0, searching.MOST_CANDIDATES, str(searching.SIMILAR), 51, *([status] if status else [])]
    plan = await explained(full, sql, arguments)
    assert scanned(plan) <= ({"works"} if status else set())
