"""What sources say about works: identity, order, what vanished and what people keep."""

import asyncio
import random
import string
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec
import pytest

from orihon.db.pool import Connection, Pool
from orihon.library import following
from orihon.library.following import keep_title, metadata_hash, positions, vanished
from orihon.sources.html.addresses import LONGEST_KEY
from orihon.sources.records import ChapterRef, Title

pytestmark = pytest.mark.anyio


def listed(*entries: str) -> tuple[ChapterRef, ...]:
    """Chapters newest first, each `key` or `key=number`."""
    found = []
    for entry in entries:
        key, _, number = entry.partition("=")
        found.append(ChapterRef(key=key, url=f"https://site.example/{key}", number=Decimal(number) if number else None))
    return tuple(found)


def a_title(*entries: str, **fields: Any) -> Title:
    told: dict[str, Any] = {"key": "bar-baz", "title": "Bar Baz", "url": "https://site.example/bar-baz"}
    return Title(**(told | fields), chapters=listed(*entries))


@pytest.fixture
async def source_id(pool: Pool) -> UUID:
    value: UUID = await pool.fetchval(
        "INSERT INTO sources (adapter, kind, name, url) VALUES ('html', 'catalogue', 'Site', 'https://site.example/')"
        " RETURNING id"
    )
    return value


async def in_order(pool: Pool, work_id: UUID) -> list[str]:
    records = await pool.fetch(
        "SELECT s.key FROM chapters c JOIN source_chapters s ON s.chapter_id = c.id WHERE c.work_id = $1"
        " ORDER BY c.sort_key, c.number, c.created_at, c.id",
        work_id,
    )
    return [record["key"] for record in records]


async def keep(pool: Pool, source_id: UUID, title: Title) -> following.KeptTitle:
    async with pool.acquire() as db, db.transaction():
        return await keep_title(db, source_id, title)


async def test_chapters_of_one_number_stay_separate(pool: Pool, source_id: UUID) -> None:
    """BS-1 sync_chapters_keeps_duplicate_numbered_chapters_as_separate_rows."""
    kept = await keep(pool, source_id, a_title("c=53", "b2=52", "b1=52", "a=51"))
    assert kept.chapters_new == 4
    numbers = await pool.fetch("SELECT number FROM chapters WHERE work_id = $1 ORDER BY number", kept.work_id)
    assert [record["number"] for record in numbers] == [51, 52, 52, 53]


async def test_the_order_is_the_lists_whatever_the_numbers_say(pool: Pool, source_id: UUID) -> None:
    kept = await keep(pool, source_id, a_title("new=67", "hiatus", "old=66", "extra=10", "late=13", "first=9"))
    assert await in_order(pool, kept.work_id) == ["first", "late", "extra", "old", "hiatus", "new"]


@pytest.mark.parametrize(
    ("lists", "order"),
    [
        pytest.param([("e", "d", "c"), ("f", "e", "d", "c")], "a b c d e f", id="the first ones are taken down"),
        pytest.param([("e", "d", "b", "a"), ("d", "b", "a")], "a b c d e", id="one in the midst, then the last"),
        pytest.param([("e", "d", "a"), ("e", "d", "c", "b", "a")], "a b c d e", id="they come back"),
        pytest.param([("e", "d", "c2", "b", "a")], "a b c c2 d e", id="one under another key"),
        pytest.param([("e", "d", "c2", "c1", "b", "a")], "a b c c1 c2 d e", id="one is split in two"),
        pytest.param([("e", "d", "a"), ("a", "d", "e")], "e d a b c", id="the list is turned round"),
        pytest.param([()], "a b c d e", id="an empty list proves nothing"),
    ],
)
async def test_a_chapter_that_vanished_stands_where_it_stood(
    pool: Pool, source_id: UUID, lists: list[tuple[str, ...]], order: str
) -> None:
    """Positions of the others close up; it stood among them as if it had been shuffled in."""
    kept = await keep(pool, source_id, a_title("e", "d", "c", "b", "a"))
    for entries in lists:
        await keep(pool, source_id, a_title(*entries))
        await keep(pool, source_id, a_title(*entries))
    assert await in_order(pool, kept.work_id) == order.split()


async def test_keeping_the_same_title_again_changes_nothing(pool: Pool, source_id: UUID) -> None:
    title = a_title("b=2", "a=1", authors=("Ann", "ann ", "Bo"), tags=("Slow burn",), genres=("Drama",))
    first = await keep(pool, source_id, title)
    before = await pool.fetchrow("SELECT * FROM works WHERE id = $1", first.work_id)
    again = await keep(pool, source_id, title)
    assert (again.new, again.updated, again.chapters_new, again.chapters_dropped) == (False, False, 0, 0)
    assert await pool.fetchrow("SELECT * FROM works WHERE id = $1", first.work_id) == before
    assert before is not None
    assert before["authors"] == ["Ann", "Bo"]


async def test_a_new_chapter_rewrites_none_of_the_others(pool: Pool, source_id: UUID) -> None:
    kept = await keep(pool, source_id, a_title("b=2", "a=1"))
    before = await pool.fetch("SELECT * FROM source_chapters WHERE key IN ('a', 'b') ORDER BY key")
    await keep(pool, source_id, a_title("c=3", "b=2", "a=1"))
    assert await pool.fetch("SELECT * FROM source_chapters WHERE key IN ('a', 'b') ORDER BY key") == before
    assert await in_order(pool, kept.work_id) == ["a", "b", "c"]


async def test_a_reordered_list_keeps_every_chapters_identity(pool: Pool, source_id: UUID) -> None:
    kept = await keep(pool, source_id, a_title("c=3", "b=2", "a=1"))
    ids = dict(await pool.fetch("SELECT key, chapter_id FROM source_chapters"))
    await keep(pool, source_id, a_title("a=1", "c=3", "b=2"))
    assert dict(await pool.fetch("SELECT key, chapter_id FROM source_chapters")) == ids
    assert await in_order(pool, kept.work_id) == ["b", "c", "a"]


async def test_a_chapter_that_vanished_is_marked_kept_and_welcomed_back(pool: Pool, source_id: UUID) -> None:
    await keep(pool, source_id, a_title("c=3", "b=2", "a=1"))
    kept = await keep(pool, source_id, a_title("c=3", "a=1"))
    assert kept.chapters_dropped == 1
    dropped = "SELECT key FROM source_chapters WHERE dropped_at IS NOT NULL"
    assert await pool.fetchval(dropped) == "b"
    assert await pool.fetchval("SELECT count(*) FROM chapters") == 3
    await keep(pool, source_id, a_title("c=3", "b=2", "a=1"))
    assert await pool.fetchval(dropped) is None
    assert await pool.fetchval("SELECT count(*) FROM chapters") == 3


async def test_a_list_that_names_a_chapter_twice_makes_one_of_it(pool: Pool, source_id: UUID) -> None:
    kept = await keep(pool, source_id, a_title("b=2", "a=1", "b=2"))
    assert await in_order(pool, kept.work_id) == ["a", "b"]


async def test_two_walks_that_meet_a_title_at_once_make_one_work(pool: Pool, source_id: UUID) -> None:
    async def one(db: Connection) -> UUID:
        async with db.transaction():
            return (await keep_title(db, source_id, a_title("a=1"))).work_id

    async with pool.acquire() as left, pool.acquire() as right:
        first, second = await asyncio.gather(one(left), one(right))
    assert first == second
    assert await pool.fetchval("SELECT count(*) FROM works") == 1


async def test_what_a_person_edited_wins_over_the_source(pool: Pool, source_id: UUID) -> None:
    kept = await keep(pool, source_id, a_title("a=1"))
    await pool.execute(
        "UPDATE works SET title = 'Mine', origins = '{\"title\": \"person:1\"}' WHERE id = $1", kept.work_id
    )
    await keep(pool, source_id, a_title("a=1", title="Theirs", description="New words"))
    work = await pool.fetchrow("SELECT title, description FROM works WHERE id = $1", kept.work_id)
    assert tuple(work or ()) == ("Mine", "New words")


async def test_a_moved_cover_shows_as_an_update_and_is_wanted(pool: Pool, source_id: UUID) -> None:
    await keep(pool, source_id, a_title("a=1", cover_url="https://site.example/1.jpg"))
    kept = await keep(pool, source_id, a_title("a=1", cover_url="https://site.example/2.jpg"))
    assert (kept.updated, kept.wants_cover) == (True, True)


@pytest.mark.parametrize(
    ("names", "kept"),
    [(("İlhan", "ilhan"), ["İlhan"]), (("ΟΔΟΣ", "Oda", "οδοσ"), ["ΟΔΟΣ", "Oda"]), (("b", "A", " B "), ["b", "A"])],
    ids=["dotted capital", "final sigma", "blanks"],
)
async def test_names_that_differ_only_in_case_are_one_and_the_first_spelling_stays(
    pool: Pool, source_id: UUID, names: tuple[str, ...], kept: list[str]
) -> None:
    """The lower case that counts is the database's: by another's, the title could never be kept."""
    work = await keep(pool, source_id, a_title(authors=names, artists=names, genres=names, tags=names))
    row = await pool.fetchrow("SELECT authors, genres, tags FROM works WHERE id = $1", work.work_id)
    assert row is not None
    assert row["authors"] == kept
    assert sorted(row["genres"]) == sorted(row["tags"]) == sorted(kept)


async def test_the_longest_keys_that_an_adapter_makes_can_be_kept(pool: Pool, source_id: UUID) -> None:
    dice = random.Random(1)

    def longest() -> str:
        return "".join(dice.choice(string.ascii_letters + string.digits) for _ in range(LONGEST_KEY))

    kept = await keep(pool, source_id, a_title(longest(), key=longest()))
    assert kept.chapters_new == 1


def test_the_metadata_hash_changes_with_every_field_but_the_chapters() -> None:
    plain = a_title("a=1")
    assert metadata_hash(plain) == metadata_hash(a_title("b=2", "a=1"))
    changes: dict[str, Any] = {
        "title": "x", "url": "x", "alt_titles": ("x",), "description": "x", "status": "hiatus", "authors": ("x",),
        "artists": ("x",), "genres": ("x",), "tags": ("x",), "cover_url": "x", "reading_direction": "ltr",
    }  # fmt: skip
    for field, value in changes.items():
        assert metadata_hash(msgspec.structs.replace(plain, **{field: value})) != metadata_hash(plain), field


@pytest.mark.parametrize(
    ("live", "seen", "gone"),
    [("abc", "ac", "b"), ("abc", "abc", ""), ("abc", "", ""), ("", "a", ""), ("abc", "d", "abc")],
    ids=["one vanished", "none", "an empty list proves nothing", "first list", "all replaced"],
)
def test_vanished(live: str, seen: str, gone: str) -> None:
    assert vanished(set(live), set(seen)) == set(gone)


def test_positions_count_from_the_oldest_entry() -> None:
    assert positions(listed("c", "b", "a")) == {"a": 0, "b": 1, "c": 2}
    assert positions(listed("d", "c", "b", "a"))["a"] == 0
