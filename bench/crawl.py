"""Crawl: 1,500 page images into the library by the real worker, beside gallery-dl and a bare download to disk.

Ours is `orihon worker --lanes content` on the embedded PostgreSQL with its durable defaults, a new database and a new
store each round. Its clock starts before the chapters are enqueued and ends when the last one is recorded, files and
rows flushed to the disk. The clock of gallery-dl is the time of its process less that of one with nothing to fetch;
that of the bare download starts with its first request. Theirs flush nothing.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

import asyncpg

from bench import harness, served
from bench.crawl_site import CHAPTERS, PAGES, image_path, reader_path
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import connect
from orihon.jobs import queue
from orihon.jobs.payloads import FetchChapter

ROWS = ("crawl_vs_gallery_dl_20ms", "crawl_vs_bare_download")

IMAGES = CHAPTERS * PAGES
PATIENCE = 300.0

_SEED = """
    WITH source AS (
        INSERT INTO sources (adapter, kind, name, url, settings, content)
        VALUES ('html', 'catalogue', 'Bench', $1 || '/works/', '{"profile": "sample"}', 'all')
        RETURNING id
    ), work AS (
        INSERT INTO works (title, primary_source_id)
        SELECT DISTINCT 'Work ' || position / 10, source.id
          FROM source, unnest($2::text[]) WITH ORDINALITY AS path (path, one), LATERAL (SELECT one - 1 AS position) p
        RETURNING id, title
    ), chapter AS (
        INSERT INTO chapters (work_id, number, sort_key)
        SELECT work.id, position, position
          FROM generate_series(0, cardinality($2::text[]) - 1) AS position
          JOIN work ON work.title = 'Work ' || position / 10
        RETURNING id, number
    )
    INSERT INTO source_chapters (source_id, work_key, key, chapter_id, url, position)
    SELECT source.id, 'work', chapter.number::text, chapter.id, $1 || ($2::text[])[chapter.number::int + 1],
           chapter.number::int
      FROM source, chapter
    RETURNING source_id, chapter_id
"""

_RECORDED = "SELECT count(*) FILTER (WHERE page_count > 0) FROM chapters"

_HELD = """
    SELECT (SELECT count(*) FROM pages), (SELECT count(*) FROM media), (SELECT count(*) FROM media_locations),
           (SELECT count(*) FROM jobs WHERE kind = 'fetch_chapter' AND state = 'done')
"""


async def run(names: set[str]) -> AsyncIterator[harness.Row]:
    """Measure the rows of these names."""
    async with harness.postgres() as postgres:
        if "crawl_vs_gallery_dl_20ms" in names:
            program = harness.peers() / "gallery-dl"
            with room() as folder:
                async with site(0.02) as origin:
                    sides = partial(ours, postgres, origin, folder), partial(gallery_dl, program, origin, folder)
                    yield harness.ratio("crawl_vs_gallery_dl_20ms", *await harness.interleaved(sides, warm=False))
        if "crawl_vs_bare_download" in names:
            with room() as folder:
                async with site(0) as origin:
                    sides = partial(ours, postgres, origin, folder), partial(bare, origin, folder)
                    yield harness.ratio("crawl_vs_bare_download", *await harness.interleaved(sides))


@contextmanager
def room() -> Iterator[Path]:
    """A folder for all rounds of a row, about 5 GB. It is emptied at the end only: some file systems make files slowly
    where many were just removed."""
    folder = harness.folder("crawl", empty=True)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def fresh(room: Path) -> Path:
    """A new folder, with nothing of earlier rounds left to be written to the disk meanwhile."""
    os.sync()
    return Path(tempfile.mkdtemp(dir=room))


@asynccontextmanager
async def site(delay: float) -> AsyncIterator[str]:
    """The bench's site in a process of its own; yields its origin."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.crawl_site", str(delay), cwd=harness.ROOT,
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


async def ours(postgres: EmbeddedPostgres, origin: str, room: Path) -> float:
    """Images a second that the worker brings and records."""
    folder = fresh(room)
    dsn = await harness.database(postgres, "crawl")
    variables = {
        "DATABASE_URL": dsn, "ORIHON_DATA": str(folder), "ORIHON_PRIVATE_ORIGINS": origin, "CRAWLER_RATE_MS": "0",
    }  # fmt: skip
    command = (sys.executable, "-P", "-m", "orihon.cli", "worker", "--lanes", "content")
    db = await connect(dsn)
    try:
        chapters = await db.fetch(_SEED, origin, [reader_path(chapter) for chapter in range(CHAPTERS)])
        async with served.process(*command, variables=variables, log="crawl_worker"):
            await _until(lambda: db.fetchval("SELECT true FROM job_waiters WHERE lane = 'content'"))
            seconds = await _crawl(db, chapters)
        if (found := [*(await db.fetchrow(_HELD) or ())]) != [IMAGES, IMAGES, IMAGES, CHAPTERS]:
            raise harness.Wrong(f"The library holds {found}.")
    finally:
        await db.close()
    _expect(folder / "media")
    return IMAGES / seconds


async def _crawl(db: "asyncpg.Connection[asyncpg.Record]", chapters: list[asyncpg.Record]) -> float:
    changed = asyncio.Event()
    await db.add_listener("library", lambda *_: changed.set())
    payloads = [FetchChapter(source_id=source_id, chapter_id=chapter_id) for source_id, chapter_id in chapters]
    started = time.perf_counter()
    await queue.enqueue_many(db, payloads)
    async with asyncio.timeout(PATIENCE):
        while await db.fetchval(_RECORDED) < CHAPTERS:
            await changed.wait()
            changed.clear()
    return time.perf_counter() - started


async def _until(holds: Callable[[], Coroutine[None, None, object]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await holds():  # noqa: ASYNC110 - a row that another process writes
            await asyncio.sleep(0.01)


async def gallery_dl(program: Path, origin: str, room: Path) -> float:
    """Images a second that gallery-dl fetches to disk."""
    folder = fresh(room)
    listing = folder / "list"
    listing.write_text("")
    command = (str(program), "--config-ignore", "--quiet", "-d", str(folder / "out"), "-i", str(listing))
    idle = await _run(*command)
    listing.write_text(addresses(origin))
    seconds = await _run(*command)
    _expect(folder / "out")
    return IMAGES / (seconds - idle)


async def bare(origin: str, room: Path) -> float:
    """Images a second that a plain aiohttp loop with 8 streams fetches to disk."""
    folder = fresh(room)
    listing = folder / "list"
    listing.write_text(addresses(origin))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(harness.HERE / "crawl_bare.py"),
        str(listing),
        str(folder / "out"),
        stdout=asyncio.subprocess.PIPE,
    )
    told, _ = await process.communicate()
    _expect(folder / "out")
    return IMAGES / float(told)


async def _run(*command: str) -> float:
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(*command)
    if status := await process.wait():
        raise harness.Wrong(f"{command[0]} ended with status {status}.")
    return time.perf_counter() - started


def addresses(origin: str) -> str:
    """Every image, one address a line."""
    return "".join(f"{origin}{image_path(chapter, page)}\n" for chapter in range(CHAPTERS) for page in range(PAGES))


def _expect(folder: Path) -> None:
    found = sum(path.is_file() and path.stat().st_size > 200_000 for path in folder.rglob("*"))
    if found != IMAGES:
        raise harness.Wrong(f"{folder} holds {found} whole images.")
