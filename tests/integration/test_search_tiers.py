"""What a search finds, and in which order."""

import msgspec
import pytest

from orihon.db.pool import Connection, Pool
from orihon.search.catalogue import Query, search

pytestmark = pytest.mark.anyio


async def add(db: Connection, *titles: str | tuple[str, ...], status: str = "ongoing") -> None:
    """Works by their titles; a tuple is one work with alternative ones."""
    for names in titles:
        title, *others = (names,) if isinstance(names, str) else names
        work = await db.fetchval(
            "INSERT INTO works (title, alt_titles, status) VALUES ($1, $2, $3) RETURNING id", title, others, status
        )
        await db.execute(
            "INSERT INTO work_titles SELECT DISTINCT $1::uuid, fold(t) FROM unnest($2::text[]) AS t",
            work, [title, *others],
        )  # fmt: skip


async def made(db: Connection, title: str, *names: str, role: str = "author") -> None:
    """Say who made a work."""
    for position, name in enumerate(names):
        await db.execute(
            "WITH known AS (INSERT INTO people (name) VALUES ($2) ON CONFLICT (lower(name)) DO UPDATE"
            " SET name = people.name RETURNING id)"
            " INSERT INTO work_people (work_id, person_id, role, position)"
            " SELECT w.id, known.id, $3, $4 FROM works w, known WHERE w.title = $1",
            title, name, role, position,
        )  # fmt: skip


async def found(db: Connection, text: str, **asked: object) -> list[str]:
    cards = (await search(db, Query(text=text, **asked))).cards  # type: ignore[arg-type]  # what tests ask varies
    return [card["title"] for card in msgspec.json.decode(cards)]


async def test_whole_titles_come_before_beginnings_words_parts_and_the_similar(pool: Pool) -> None:
    async with pool.acquire() as db:
        await add(db, "Beggarden", "The Garden", "Gardens of Kyoto", "Garden", "Gardne", "Ocean")
        assert await found(db, "garden") == ["Garden", "Gardens of Kyoto", "The Garden", "Beggarden", "Gardne"]


@pytest.mark.parametrize(
    ("typed", "title"),
    [
        ("alchmist", "The Silent Alchemist"),
        ("lighthuose", "Lighthouse of Lisbon"),
        ("進撃", "進撃の巨人"),
        ("巨人", "進撃の巨人"),
        ("の", "進撃の巨人"),
        ("ёжик", "Ёжик Город"),
        ("CAFE", "Café Élan"),
        ("100%", "100% Orange"),
    ],
)
async def test_a_slip_two_kanji_another_script_or_missing_accents_still_find(
    pool: Pool, typed: str, title: str
) -> None:
    async with pool.acquire() as db:
        await add(db, "The Silent Alchemist", "Lighthouse of Lisbon", "進撃の巨人", "Ёжик Город", "Café Élan",
                  "100% Orange", "1000 Nights")  # fmt: skip
        assert (await found(db, typed))[0] == title


@pytest.mark.parametrize("typed", ["", " ", "%%%%", "____", "zzzqqq", "\0"])
async def test_what_no_title_holds_finds_nothing(pool: Pool, typed: str) -> None:
    async with pool.acquire() as db:
        await add(db, "The Garden", "Ocean")
        assert await found(db, typed) == []


async def test_works_by_somebody_of_that_name_come_after_titles_that_hold_it_and_before_the_similar(
    pool: Pool,
) -> None:
    async with pool.acquire() as db:
        await add(db, "The Garden", "Gardne", "Salt", "Tides", "Ocean")
        await made(db, "Salt", "Ines Gardener", "Ada Gardens")
        await made(db, "Tides", "Bo Gardener", role="artist")
        await made(db, "The Garden", "Ines Gardener", role="artist")
        assert await found(db, "garden") == ["The Garden", "Salt", "Tides", "Gardne"]
        assert await found(db, "garden", limit=2, offset=1) == ["Salt", "Tides"]


@pytest.mark.parametrize("typed", ["calloway", "INES", "s cal", "zofie", "はる", "水"])
async def test_a_part_of_a_name_in_any_script_finds_what_is_by_them(pool: Pool, typed: str) -> None:
    async with pool.acquire() as db:
        await add(db, "Mist", "Rain")
        await made(db, "Mist", "Ines Calloway", "Žofie Dvořáčková", "水野 はる")
        await made(db, "Rain", "Somebody Else")
        assert await found(db, typed) == ["Mist"]
        assert await found(db, typed, status="ongoing") == ["Mist"]
        assert await found(db, typed, status="completed") == []


async def test_pages_hold_every_match_once_and_in_one_order(pool: Pool) -> None:
    """A tier is left out only while the ones before it fill the page, so pages must fit together all the same."""
    async with pool.acquire() as db:
        await add(db, *(f"Garden {n}" for n in range(7)), *(f"The Garden {n}" for n in range(7)), "Gardne", "Ocean")
        whole = await found(db, "garden")
        assert len(whole) == len(set(whole)) == 15
        pages = [await found(db, "garden", limit=4, offset=offset) for offset in range(0, 16, 4)]
        assert [title for page in pages for title in page] == whole


async def test_a_work_found_by_several_titles_does_not_hide_what_follows(pool: Pool) -> None:
    async with pool.acquire() as db:
        await add(db, ("Garden", *(f"Garden {n}" for n in range(20))), "The Garden")
        assert await found(db, "garden", limit=1) == ["Garden"]
        assert (await search(db, Query(text="garden", limit=1))).more
        assert await found(db, "garden") == ["Garden", "The Garden"]


async def test_a_status_is_looked_for_among_all_matches(pool: Pool) -> None:
    async with pool.acquire() as db:
        await add(db, *(f"Garden {n}" for n in range(60)))
        await add(db, "Zen Garden", status="completed")
        assert await found(db, "garden", status="completed") == ["Zen Garden"]


async def test_matches_can_be_sorted_like_the_list(pool: Pool) -> None:
    async with pool.acquire() as db:
        await add(db, "Garden B", "A Garden", "Garden C")
        assert await found(db, "garden", sort="title") == ["A Garden", "Garden B", "Garden C"]
        assert await found(db, "garden", sort="title", order="desc", limit=2) == ["Garden C", "Garden B"]
