"""The catalogue at 100,000 titles: its list beside a bare application, its search beside the bare reference SQL.

A list is asked for place by place, so that hardly any answer is still held from the time before; `list_cached_vs_floor`
asks for the same one all the time. Before a search or a first page, hints of a changed library empty what is held.
"""

import asyncio
import http.client
import random
import statistics
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence, Set
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

from tests.support import titles

from bench import asked, harness, served
from bench.harness import HERE, Row, Wrong
from bench.serving import signed_in
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Connection, connect
from orihon.library import catalogue
from orihon.library.catalogue import Cursor
from orihon.search.catalogue import Query, search

ROWS = (
    "list_vs_floor",
    "list_cached_vs_floor",
    "search_vs_sql",
    "search_sql_vs_reference",
    "search_sql_misspelt_vs_reference",
    "list_flatness_10k_100k",
)

PLACES = 20_000
"""Distinct places in the list; more than the server keeps answers for."""

FIRST_PAGES = 60
"""First pages asked for in a round, each after a change."""

_SEARCH = (HERE / "sql" / "search_reference.sql").read_text()


async def seeded(postgres: EmbeddedPostgres, name: str, count: int) -> str:
    """A library of so many titles, with the table of the references; its address."""
    harness.say(f"seeding {count:,} titles")
    dsn = await harness.database(postgres, name)
    db = await connect(dsn)
    try:
        await titles.seed(db, count)
        await db.execute((HERE / "sql" / "reference_schema.sql").read_text())
        await db.execute("VACUUM ANALYZE")
        await db.execute("CHECKPOINT")
    finally:
        await db.close()
    return dsn


async def places(db: Connection) -> tuple[Path, Path]:
    """Request targets of the same places in the list, for ours and for the floor."""
    found = await db.fetch("SELECT id, updated_at FROM works ORDER BY updated_at DESC, id DESC OFFSET 50")
    chosen = random.Random(5).sample(found[:-100], PLACES)
    folder = harness.folder("places")
    ours, floor = folder / "ours.txt", folder / "floor.txt"
    cursors = (Cursor("updated", "desc", at.isoformat(), work) for work, at in chosen)
    ours.write_text("".join(f"/api/v1/mangas?limit=50&after={catalogue.encode(cursor)}\n" for cursor in cursors))
    floor.write_text("".join(f"/?{urlencode({'t': at.isoformat(), 'id': work})}\n" for work, at in chosen))
    return ours, floor


async def run(names: Set[str]) -> AsyncIterator[Row]:
    """Measure."""
    async with harness.postgres() as postgres:
        large = await seeded(postgres, "library_100k", 100_000)
        db = await connect(large)
        try:
            typed = asked.queries([record[0] for record in await db.fetch("SELECT title FROM works LIMIT 5000")])
            if names & {"search_sql_vs_reference", "search_sql_misspelt_vs_reference"}:
                async for row in search_sql(db, typed, names):
                    yield row
            if names & {"list_vs_floor", "list_cached_vs_floor"}:
                async for row in lists(db, large, names):
                    yield row
            if "search_vs_sql" in names:
                yield await search_over_http(db, large, typed)
            if "list_flatness_10k_100k" in names:
                small = await seeded(postgres, "library_10k", 10_000)
                yield await flatness(large, small)
        finally:
            await db.close()


async def search_sql(db: Connection, typed: dict[str, list[str]], names: Set[str]) -> AsyncIterator[Row]:
    """Our search beside the reference, on one connection: p50 over all ways to type, and over slips alone."""
    everything = [text for texts in typed.values() for text in texts]
    for name, texts in (
        ("search_sql_vs_reference", everything),
        ("search_sql_misspelt_vs_reference", typed["misspelt"]),
    ):
        if name in names:
            sides = [p50(texts, lambda text: search(db, Query(text=text))), reference(db, texts)]
            yield harness.ratio(name, *await harness.interleaved(sides))


def reference(db: Connection, texts: Sequence[str]) -> Callable[[], Awaitable[float]]:
    """A round of the reference SQL, run bare."""
    return p50(texts, lambda text: db.fetch(_SEARCH, text))


def p50(texts: Sequence[str], ask: Callable[[str], Awaitable[object]]) -> Callable[[], Awaitable[float]]:
    """A round that asks everything once, one after another: the median in milliseconds."""

    async def once() -> float:
        spent = []
        for text in texts:
            started = time.perf_counter()
            await ask(text)
            spent.append(time.perf_counter() - started)
        return statistics.median(spent) * 1000

    return once


async def lists(db: Connection, dsn: str, names: Set[str]) -> AsyncIterator[Row]:
    """The list over HTTP beside the floor, 32 connections."""
    served.need("wrk")
    mine, theirs = await places(db)
    cookie = await signed_in(db)
    probe = theirs.read_text().partition("\n")[0]
    async with (
        served.ours(dsn, harness.folder("library")) as ours,
        served.bare("listing", {"BENCH_DSN": dsn}, probe) as floor,
    ):
        same = f"{ours}/api/v1/mangas?limit=50"
        sides = [
            lambda: served.wrk(ours, headers=[cookie], paths=mine),
            lambda: served.wrk(floor, paths=theirs),
            lambda: served.wrk(same, headers=[cookie]),
        ]
        fresh, bare, held = await harness.interleaved(sides)
    if "list_vs_floor" in names:
        yield harness.ratio("list_vs_floor", fresh, bare)
    if "list_cached_vs_floor" in names:
        yield harness.ratio("list_cached_vs_floor", held, bare)


async def search_over_http(db: Connection, dsn: str, typed: dict[str, list[str]]) -> Row:
    """One client that types everything, each time as if for the first."""
    texts = [text for texts in typed.values() for text in texts]
    async with served.ours(dsn, harness.folder("library")) as origin:
        client = Client(origin)
        mine = p50(texts, lambda text: client.get(f"/api/v1/mangas?limit=50&search={quote(text)}"))

        async def ours() -> float:
            await changed(db)
            return await mine()

        rounds = await harness.interleaved([ours, reference(db, texts)])
        client.close()
    return harness.ratio("search_vs_sql", *rounds)


async def flatness(large: str, small: str) -> Row:
    """The first page of the list, just after the library changed, in a large library and in a small one."""
    data = harness.folder("library")
    async with served.ours(large, data) as much, served.ours(small, data) as little:
        sides = []
        for origin, dsn in ((much, large), (little, small)):
            sides.append(await _first_pages(origin, dsn))
        rounds = await harness.interleaved(sides)
    return harness.ratio("list_flatness_10k_100k", *rounds)


async def _first_pages(origin: str, dsn: str) -> Callable[[], Awaitable[float]]:
    client = Client(origin)

    async def once() -> float:
        db = await connect(dsn)
        spent = []
        try:
            for _ in range(FIRST_PAGES):
                await changed(db)
                started = time.perf_counter()
                await client.get("/api/v1/mangas?limit=50")
                spent.append(time.perf_counter() - started)
        finally:
            await db.close()
        return statistics.median(spent) * 1000

    return once


async def changed(db: Connection) -> None:
    """Say that the library changed, and give the hint time to arrive."""
    await db.execute("SELECT pg_notify('library', '')")
    await asyncio.sleep(0.02)


class Client:
    """One connection that is kept open."""

    def __init__(self, origin: str) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(origin).netloc, timeout=30)

    async def get(self, path: str) -> None:
        """Ask and read the whole answer."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise Wrong(f"{path}: {answer.status} {body[:200]!r}")

    def close(self) -> None:
        """Hang up."""
        self._connection.close()
