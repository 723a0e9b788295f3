"""Titles that a catalogue lists no more are kept and marked; absence proves something only when a walk over the whole
list and the look at its top after it both missed them.
"""

from collections.abc import AsyncIterator
from pathlib import Path
from uuid import UUID

import pytest
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.ingest import sources
from orihon.ingest.rules import Asked
from orihon.library import works
from orihon.library.listed import is_short
from orihon.samplesite.catalogue import Work

pytestmark = pytest.mark.anyio

TITLES = 20
LIST = "/works/"


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """A site of twenty titles on five pages, with nothing to fetch in them."""
    async with line(pool, tmp_path, titles=TITLES, per_page=4) as opened:
        yield opened


async def whole(made: Line, source: UUID, mode: Asked = "backfill") -> None:
    """Walk over the whole list, but do not look at its top after it."""
    async with made.pool.acquire() as db:
        await sources.run_now(db, source, mode)
    await made.drain()


async def both(made: Line, source: UUID) -> None:
    await whole(made, source)
    await made.walk_again(source)


def take_away(made: Line, *numbers: int) -> list[Work]:
    """Titles that the site takes down, by their places, newest first."""
    gone = [made.site.catalogue.works[number] for number in numbers]
    return [made.site.catalogue.remove(work.slug) for work in gone]


def names(gone: list[Work]) -> set[str]:
    return {work.title for work in gone}


async def marked(made: Line) -> set[str]:
    """Titles that are shown as gone."""
    rows = await made.pool.fetch("SELECT id FROM works")
    async with made.pool.acquire() as db:
        shown = [await works.detail(db, row["id"]) for row in rows]
    return {one.title for one in shown if one is not None and one.gone}


async def last(made: Line) -> tuple[str, str]:
    row = await made.pool.fetchrow("SELECT mode, outcome FROM walks ORDER BY started_at DESC, id DESC LIMIT 1")
    assert row is not None
    return row["mode"], row["outcome"]


async def last_error(made: Line) -> str:
    return await made.pool.fetchval("SELECT last_error FROM sources") or ""


@pytest.mark.parametrize("mode", ["backfill", "recovery"])
async def test_what_a_whole_walk_and_the_look_after_it_missed_is_marked_and_kept(made: Line, mode: Asked) -> None:
    source = await made.follow()
    await made.drain()
    gone = take_away(made, 3, 11)
    await whole(made, source, mode)
    await made.walk_again(source)
    assert await marked(made) == names(gone)
    assert await made.pool.fetchval("SELECT count(*) FROM works") == TITLES
    assert await last_error(made) == ""


async def test_it_costs_no_request_more(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    take_away(made, 19)
    made.site.log.clear()
    await both(made, source)
    # Five pages and nineteen titles; then the top and its first title.
    assert made.site.log.total == 5 + 19 + 2


async def test_a_title_that_moved_to_the_top_while_the_list_was_read_is_not_marked(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    (moved,) = take_away(made, 15)
    await whole(made, source)
    assert await marked(made) == set()
    made.site.catalogue.add(moved)
    made.site.catalogue.add_chapter(moved.slug, number=1)
    await made.walk_again(source)
    assert await last(made) == ("tick", "caught_up")
    assert await marked(made) == set()


async def test_a_tick_that_stops_early_says_nothing(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    take_away(made, 11)
    for _ in range(3):
        await made.walk_again(source)
        assert await last(made) == ("tick", "caught_up")
    assert await marked(made) == set()


@pytest.mark.parametrize("again", ["tick", "backfill"])
async def test_a_title_that_comes_back_is_marked_no_more(made: Line, again: str) -> None:
    source = await made.follow()
    await made.drain()
    (gone,) = take_away(made, 7)
    await both(made, source)
    assert await marked(made) == names([gone])
    made.site.catalogue.add(gone, newest=again == "tick")
    if again == "tick":
        await made.walk_again(source)
    else:
        await whole(made, source)
    assert (await last(made))[0] == again
    assert await marked(made) == set()
    assert await made.pool.fetchval("SELECT count(*) FROM works") == TITLES


async def test_a_walk_that_a_limit_ended_marks_nothing(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    take_away(made, 18)
    await made.pool.execute("UPDATE sources SET item_limit = 6")
    await both(made, source)
    assert (await last(made))[1] == "limit"
    assert await marked(made) == set()


async def test_a_walk_that_failed_marks_nothing(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    take_away(made, 1)
    made.site.faults.set("missing_cursor", path=LIST)
    await whole(made, source)
    assert (await last(made))[1] == "failed"
    assert await made.pool.fetchval("SELECT count(*) FROM source_works WHERE missed_at IS NOT NULL") == 0


async def test_a_walk_that_met_a_page_without_all_of_its_rows_marks_nothing(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    made.site.faults.set("vanished_rows", path=LIST, times=1)
    await both(made, source)
    assert await marked(made) == set()


async def test_a_walk_that_could_not_read_every_row_marks_nothing(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    made.site.faults.set("poisoned_item", path=LIST, times=1)
    await both(made, source)
    assert await marked(made) == set()


async def test_a_title_that_cannot_be_read_is_listed_all_the_same(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    slug = made.site.catalogue.works[9].slug
    made.site.faults.set("server_error", path=f"/works/{slug}/")
    await both(made, source)
    assert await marked(made) == set()


@pytest.mark.parametrize("chunks", [1, 2, 4])
async def test_a_walk_that_was_killed_remembers_what_it_saw(made: Line, chunks: int) -> None:
    source = await made.follow()
    await made.drain()
    gone = take_away(made, 2, 13)
    async with made.pool.acquire() as db:
        await sources.run_now(db, source, "backfill")
    made.chunk_seconds = 0
    await made.drain(most=chunks)
    await made.pool.execute("UPDATE walks SET outcome = NULL, ended_at = NULL WHERE outcome = 'continued'")
    assert await marked(made) == set()
    made.chunk_seconds = 600
    await made.drain()
    await made.walk_again(source)
    assert await marked(made) == names(gone)


async def test_a_list_that_is_suddenly_much_shorter_is_believed_when_the_next_whole_walk_agrees(made: Line) -> None:
    source = await made.follow()
    await made.drain()
    gone = take_away(made, *range(8, 20))
    await whole(made, source)
    for _ in range(2):
        assert "much shorter than before: 12 of 20 titles" in await last_error(made)
        assert await marked(made) == set()
        await made.walk_again(source)
    back, *rest = gone
    made.site.catalogue.add(back, newest=False)
    await whole(made, source)
    assert await marked(made) == names(rest)
    assert await last_error(made) == ""


@pytest.mark.parametrize(
    ("known", "missed", "short"),
    [(0, 0, False), (21, 0, False), (21, 7, False), (21, 8, True), (9, 8, False), (9, 9, True), (10, 4, True)],
)
def test_most_titles_of_a_catalogue_are_not_gone_at_once(known: int, missed: int, short: bool) -> None:
    assert is_short(known=known, missed=missed) is short
