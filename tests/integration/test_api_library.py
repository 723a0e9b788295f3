"""The library over HTTP: lists, titles, chapters, pages, what is wanted and what is opened (public-api-auth 5, 6)."""

import itertools
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.support.waiting import eventually
from tests.support.web import Browser, Site, a_chapter, a_work, own_database, serving

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool

pytestmark = pytest.mark.anyio

MANGAS = "/api/v1/mangas"
NEWEST = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
async def admin(site: Site) -> Browser:
    return await site.person("admin", admin=True)


@pytest.fixture
async def guest(site: Site) -> Browser:
    return site.browser()


@pytest.fixture
async def pool(site: Site) -> Pool:
    """An empty library, and nothing remembered of the one before."""
    await site.pool.execute("TRUNCATE works, sources, jobs, media CASCADE")
    await changed(site.pool)
    return site.pool


async def changed(pool: Pool) -> None:
    """Tell everybody that the library changed."""
    await pool.execute("SELECT pg_notify('library', '')")


_names = itertools.count(1)


async def a_source(pool: Pool, **fields: Any) -> UUID:
    values = {"adapter": "html", "kind": "catalogue", "name": "Site", "url": f"https://site.example/{next(_names)}"}
    values |= fields
    places = ", ".join(f"${index + 1}" for index in range(len(values)))
    source_id: UUID = await pool.fetchval(
        f"INSERT INTO sources ({', '.join(values)}) VALUES ({places}) RETURNING id", *values.values()
    )
    return source_id


async def link(pool: Pool, source_id: UUID, work_id: UUID, chapter_id: UUID) -> None:
    """Say that a source lists a chapter."""
    await pool.execute(
        "INSERT INTO source_works (source_id, key, work_id, url) VALUES ($1, $2, $3, 'https://site.example/w')"
        " ON CONFLICT DO NOTHING",
        source_id,
        str(work_id),
        work_id,
    )
    await pool.execute(
        "INSERT INTO source_chapters (source_id, work_key, key, chapter_id, url, position)"
        " VALUES ($1, $2, $3, $4, 'https://site.example/c', 0)",
        source_id,
        str(work_id),
        str(chapter_id),
        chapter_id,
    )


async def shelf(pool: Pool) -> None:
    """Four works whose four orders all differ."""
    for title, author, updated, created, status in (
        ("Émile", "Zola", 0, 3, "ongoing"),
        ("delta", "Adler", 1, 2, "completed"),
        ("Charlie", None, 2, 1, "ongoing"),
        ("bravo", "Moreau", 3, 0, "hiatus"),
    ):
        await a_work(
            pool,
            title,
            authors=[author] if author else [],
            sort_author=author.lower() if author else None,
            status=status,
            updated_at=NEWEST - timedelta(days=updated),
            created_at=NEWEST - timedelta(days=created),
        )
    await changed(pool)


async def titles(browser: Browser, query: str) -> list[str]:
    answer = await browser.get(f"{MANGAS}?{query}")
    assert answer.status == 200, answer.body
    return [item["title"] for item in answer.json["items"]]


async def test_an_empty_library_is_an_empty_list(pool: Pool, guest: Browser) -> None:
    answer = await guest.get(f"{MANGAS}?limit=7")
    assert answer.json == {"items": [], "page": {"limit": 7, "offset": 0, "total": 0, "next": None}}


UPDATED = ["Émile", "delta", "Charlie", "bravo"]
CREATED = ["bravo", "Charlie", "delta", "Émile"]


@pytest.mark.parametrize(
    ("query", "order"),
    [
        pytest.param("", UPDATED, id="M1"),
        pytest.param("sort=", UPDATED, id="M1"),
        pytest.param("sort=%20updated%20", UPDATED, id="M1"),
        pytest.param("sort=created", CREATED, id="created"),
        pytest.param("sort=recent", CREATED, id="M2"),
        pytest.param("sort=title", ["bravo", "Charlie", "delta", "Émile"], id="M3"),
        pytest.param("sort=title&order=desc", ["Émile", "delta", "Charlie", "bravo"], id="title-desc"),
        pytest.param("sort=updated&order=asc", UPDATED[::-1], id="updated-asc"),
        pytest.param("sort=author", ["delta", "bravo", "Émile", "Charlie"], id="no-author-last"),
        pytest.param("sort=author&order=desc", ["Émile", "bravo", "delta", "Charlie"], id="no-author-last-desc"),
        pytest.param("status=ongoing", ["Émile", "Charlie"], id="status"),
        pytest.param("status=ongoing&sort=title", ["Charlie", "Émile"], id="status-title"),
    ],
)
async def test_the_list_stands_in_the_order_asked_for(pool: Pool, guest: Browser, query: str, order: list[str]) -> None:
    await shelf(pool)
    await eventually_lists(guest, query, order)


async def eventually_lists(browser: Browser, query: str, order: list[str]) -> None:
    """What is remembered is dropped by a hint, which takes a moment."""

    async def stands() -> bool:
        return await titles(browser, query) == order

    await eventually(stands, seconds=3)


@pytest.mark.parametrize(
    ("query", "details"),
    [
        pytest.param("sort=Title", {"sort": "invalid"}, id="M4"),
        pytest.param("sort=foo", {"sort": "invalid"}, id="M4"),
        pytest.param("order=up", {"order": "invalid"}, id="M5"),
        pytest.param("status=done", {"status": "invalid"}, id="status"),
        pytest.param("after=xyz", {"after": "invalid"}, id="after"),
        pytest.param("sort=foo&order=up&status=bad", {"status": "invalid"}, id="order-of-checks"),
    ],
)
async def test_what_a_person_can_mistype_is_named(guest: Browser, query: str, details: dict[str, str]) -> None:
    answer = await guest.get(f"{MANGAS}?{query}")
    assert (answer.status, answer.json["error"]["code"]) == (422, "validation_failed")
    assert answer.json["error"]["details"] == details


@pytest.mark.parametrize(
    ("query", "limit", "offset"),
    [("limit=0", 1, 0), ("limit=-5", 1, 0), ("limit=9999", 200, 0), ("offset=-1", 50, 0), ("", 50, 0)],
)
async def test_paging_is_clamped_without_a_word(
    pool: Pool, guest: Browser, query: str, limit: int, offset: int
) -> None:
    page = (await guest.get(f"{MANGAS}?{query}")).json["page"]
    assert (page["limit"], page["offset"]) == (limit, offset)


async def test_a_limit_that_is_no_number_is_named(guest: Browser) -> None:
    answer = await guest.get(f"{MANGAS}?limit=many")
    assert answer.status == 422
    assert list(answer.json["error"]["details"]) == ["limit"]


@pytest.mark.parametrize("sort", ["updated", "created", "title", "author"])
@pytest.mark.parametrize("order", ["asc", "desc"])
async def test_cursors_lead_through_the_whole_list_once(pool: Pool, guest: Browser, sort: str, order: str) -> None:
    """Equal keys, too: five works share each date, title and author."""
    for number in range(15):
        await a_work(
            pool,
            f"Work {number // 5}",
            sort_author=f"author {number // 5}" if number < 10 else None,
            updated_at=NEWEST - timedelta(days=number // 5, microseconds=number // 5),
            created_at=NEWEST - timedelta(days=number // 5),
        )
    await changed(pool)
    seen: list[str] = []
    after, whole = "", f"sort={sort}&order={order}"
    while True:
        page = (await guest.get(f"{MANGAS}?{whole}&limit=4&after={after}")).json
        seen += [item["id"] for item in page["items"]]
        if (after := page["page"]["next"]) is None:
            break
    assert len(seen) == len(set(seen)) == 15
    assert seen == [item["id"] for item in (await guest.get(f"{MANGAS}?{whole}")).json["items"]]


async def test_a_cursor_does_not_slip_when_rows_arrive(pool: Pool, guest: Browser) -> None:
    await shelf(pool)
    await eventually_lists(guest, "", UPDATED)
    page = (await guest.get(f"{MANGAS}?limit=2")).json
    await a_work(pool, "new", updated_at=NEWEST + timedelta(days=1))
    assert await titles(guest, f"limit=2&after={page['page']['next']}") == ["Charlie", "bravo"]


async def test_a_cursor_of_another_order_is_refused(pool: Pool, guest: Browser) -> None:
    await shelf(pool)
    page = (await guest.get(f"{MANGAS}?limit=2&order=asc")).json["page"]
    assert (await guest.get(f"{MANGAS}?after={page['next']}")).status == 422


async def test_the_first_page_alone_tells_the_total(pool: Pool, guest: Browser) -> None:
    await shelf(pool)
    await eventually_lists(guest, "", UPDATED)
    totals = [
        (await guest.get(f"{MANGAS}?{query}")).json["page"]["total"] for query in ("", "offset=1", "search=bravo")
    ]
    assert totals == [4, None, None]
    assert (await guest.get(f"{MANGAS}?status=ongoing")).json["page"]["total"] == 2


async def test_a_search_finds_what_is_typed_and_can_be_sorted(pool: Pool, guest: Browser) -> None:
    await shelf(pool)
    await a_work(pool, "Charlie Bravo", alt_titles=["進撃の巨人"], updated_at=NEWEST + timedelta(days=9))
    await changed(pool)
    await eventually_lists(guest, "search=bravo", ["bravo", "Charlie Bravo"])
    assert await titles(guest, "search=bravo&sort=updated") == ["Charlie Bravo", "bravo"]
    assert await titles(guest, "search=%E5%B7%A8%E4%BA%BA") == ["Charlie Bravo"]
    assert await titles(guest, "search=emile") == ["Émile"]
    assert await titles(guest, "search=bravo&status=hiatus") == ["bravo"]
    assert len(await titles(guest, "search=%20%20")) == 5


@pytest.mark.parametrize("text", ["%00", "a%00b", "%25", "_", "\\", "'", "%F0%9F%98%80", "a" * 4000, "%CC%81"])
async def test_a_search_for_anything_is_an_answer(pool: Pool, guest: Browser, text: str) -> None:
    assert (await guest.get(f"{MANGAS}?search={text}")).status == 200


async def test_an_unchanged_list_is_not_sent_again(pool: Pool, guest: Browser) -> None:
    await shelf(pool)
    await eventually_lists(guest, "", UPDATED)
    first = await guest.get(MANGAS)
    again = await guest.get(MANGAS, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status, again.body) == (304, b"")
    await a_work(pool, "new")
    await changed(pool)

    async def differs() -> bool:
        return (await guest.get(MANGAS, headers={"If-None-Match": first.headers["ETag"]})).status == 200

    await eventually(differs, seconds=3)


async def test_a_card_has_its_cover_with_size_and_colour(site: Site, pool: Pool, guest: Browser) -> None:
    medium = await pool.fetchrow(
        "INSERT INTO media (sha256, format, size, width, height, dominant_color)"
        " VALUES (sha256('cover'), 'png', 9, 300, 400, '#aabbcc') RETURNING id, encode(sha256, 'hex') AS name"
    )
    assert medium
    work_id = await a_work(pool, "Covered", cover_media_id=medium["id"], tags=["a"], genres=["b"], authors=["C"])
    card = (await guest.get(f"{MANGAS}?search=covered")).json["items"][0]
    assert card == {
        "id": str(work_id),
        "kind": "manga",
        "title": "Covered",
        "status": None,
        "reading_direction": "rtl",
        "authors": ["C"],
        "genres": ["b"],
        "tags": ["a"],
        "chapter_count": 0,
        "gone": False,
        "cover": {"url": f"/api/v1/files/{medium['name']}.png", "width": 300, "height": 400, "color": "#aabbcc"},
        "created_at": card["created_at"],
        "updated_at": card["updated_at"],
    }
    assert datetime.fromisoformat(card["created_at"]).tzinfo is not None


async def test_a_title_in_full(pool: Pool, guest: Browser) -> None:
    work_id = await a_work(pool, "Whole", alt_titles=["Entire"], description="About.")
    first, second = await a_source(pool, name="First"), await a_source(pool, name="Second")
    await pool.execute("UPDATE works SET primary_source_id = $1", second)
    chapter_id = await a_chapter(pool, work_id, 1, page_count=2, size_bytes=700)
    for source_id in (first, second):
        await link(pool, source_id, work_id, chapter_id)
    person_id = await pool.fetchval("INSERT INTO people (name) VALUES ('Artist') RETURNING id")
    await pool.execute(
        "INSERT INTO work_people (work_id, person_id, role, position) VALUES ($1, $2, 'artist', 1)", work_id, person_id
    )
    found = (await guest.get(f"{MANGAS}/{work_id}")).json
    assert found["alt_titles"] == ["Entire"]
    assert found["description"] == "About."
    assert found["artists"] == ["Artist"]
    assert found["chapter_storage_bytes"] == 700
    assert found["wanted"] is False
    assert [source["name"] for source in found["sources"]] == ["Second", "First"]
    assert found["cover"] is None
    await pool.execute("DELETE FROM people")


@pytest.mark.parametrize(
    ("contents", "keepable"),
    [
        (["wanted"], True),
        (["wanted", "on_open"], True),
        (["wanted", "all"], False),
        (["all"], False),
        (["on_open"], False),
        ([], False),
    ],
)
async def test_keeping_is_offered_where_it_brings_chapters(
    pool: Pool, guest: Browser, contents: list[str], keepable: bool
) -> None:
    work_id = await a_work(pool, "Somewhere")
    chapter_id = await a_chapter(pool, work_id, 1)
    for name in contents:
        source_id = await a_source(pool, name=name)
        await pool.execute("UPDATE sources SET content = $2 WHERE id = $1", source_id, name)
        await link(pool, source_id, work_id, chapter_id)
    assert (await guest.get(f"{MANGAS}/{work_id}")).json["keepable"] is keepable


@pytest.mark.parametrize(
    "path",
    ["{unknown}", "{unknown}/chapters", "{work}/chapters/{unknown}", "{work}/chapters/{unknown}/pages", "not-an-id"],
)
async def test_what_does_not_exist_is_not_found(pool: Pool, guest: Browser, path: str) -> None:
    work_id = await a_work(pool, "Here")
    answer = await guest.get(f"{MANGAS}/{path.format(unknown=uuid4(), work=work_id)}")
    assert (answer.status, answer.json["error"]["code"]) == (404, "not_found")


async def test_a_chapter_of_another_title_is_not_found(pool: Pool, guest: Browser) -> None:
    mine, other = await a_work(pool, "Mine"), await a_work(pool, "Other")
    chapter_id = await a_chapter(pool, mine, 1)
    for path in ("", "/pages"):
        assert (await guest.get(f"{MANGAS}/{other}/chapters/{chapter_id}{path}")).status == 404
        assert (await guest.get(f"{MANGAS}/{mine}/chapters/{chapter_id}{path}")).status == 200


async def test_chapters_stand_in_reading_order_with_numbers_as_people_write_them(pool: Pool, guest: Browser) -> None:
    """Ruling 1: JSON numbers without trailing zeros; null for a notice."""
    work_id = await a_work(pool, "Ordered")
    for position, number in ((3, 10), (1, None), (2, 9.5), (4, 10)):
        await a_chapter(pool, work_id, position, number=number)
    answer = await guest.get(f"{MANGAS}/{work_id}/chapters")
    assert [item["number"] for item in answer.json["items"]] == [None, 9.5, 10, 10]
    assert b'"number":10,' in answer.body
    assert answer.json["page"]["total"] == 4
    part = (await guest.get(f"{MANGAS}/{work_id}/chapters?limit=2&offset=1")).json
    assert [item["number"] for item in part["items"]] == [9.5, 10]
    beyond = (await guest.get(f"{MANGAS}/{work_id}/chapters?offset=9")).json
    assert (beyond["items"], beyond["page"]["total"]) == ([], 4)


async def test_a_title_without_chapters_has_an_empty_list(pool: Pool, guest: Browser) -> None:
    work_id = await a_work(pool, "Bare")
    answer = await guest.get(f"{MANGAS}/{work_id}/chapters")
    assert (answer.status, answer.json["items"]) == (200, [])


async def test_a_chapter_says_whether_it_can_be_read(pool: Pool, guest: Browser) -> None:
    work_id = await a_work(pool, "States")
    ready = await a_chapter(pool, work_id, 1, page_count=3)
    queued = await a_chapter(pool, work_id, 2, content_error="it failed once")
    await a_chapter(pool, work_id, 3, content_error="the site says no")
    await a_chapter(pool, work_id, 4)
    await pool.execute(
        "INSERT INTO jobs (lane, kind, payload, dedupe_key) VALUES ('crawl', 'fetch_chapter', '{}', $1)", str(queued)
    )
    items = (await guest.get(f"{MANGAS}/{work_id}/chapters")).json["items"]
    assert [item["state"] for item in items] == ["ready", "queued", "failed", "absent"]
    assert items[2]["content_error"] == "the site says no"
    assert (items[0]["id"], items[0]["page_count"]) == (str(ready), 3)


async def test_a_chapter_knows_its_neighbours(pool: Pool, guest: Browser) -> None:
    work_id = await a_work(pool, "Neighbours")
    ids = [str(await a_chapter(pool, work_id, number)) for number in range(3)]
    found = [(await guest.get(f"{MANGAS}/{work_id}/chapters/{id_}")).json for id_ in ids]
    links = [((one["previous"] or {}).get("id"), (one["next"] or {}).get("id")) for one in found]
    assert links == [(None, ids[1]), (ids[0], ids[2]), (ids[1], None)]
    assert set(found[0]["next"]) == {"id", "number", "title", "page_count", "state"}


async def test_pages_tell_size_colour_and_damage_before_they_are_loaded(pool: Pool, guest: Browser) -> None:
    """Ruling 19."""
    work_id = await a_work(pool, "Paged")
    chapter_id = await a_chapter(pool, work_id, 1, page_count=2)
    empty = await a_chapter(pool, work_id, 2)
    for number, damage in ((2, "half of it is missing"), (1, None)):
        media_id = await pool.fetchval(
            "INSERT INTO media (sha256, format, size, width, height)"
            " VALUES (sha256($1::text::bytea), 'jpeg', 9, 30, 40) RETURNING id",
            f"page {number}",
        )
        await pool.execute(
            "INSERT INTO pages (chapter_id, number, media_id, damage) VALUES ($1, $2, $3, $4)",
            chapter_id,
            number,
            media_id,
            damage,
        )
    pages = (await guest.get(f"{MANGAS}/{work_id}/chapters/{chapter_id}/pages")).json["pages"]
    assert [(page["number"], page["damage"]) for page in pages] == [(1, None), (2, "half of it is missing")]
    assert pages[0]["image"]["width"] == 30
    assert pages[0]["image"]["url"].endswith(".jpg")
    assert (await guest.get(f"{MANGAS}/{work_id}/chapters/{empty}/pages")).json == {"pages": []}


# --- wanting and opening --------------------------------------------------------------------------------------------


async def queued(pool: Pool) -> list[tuple[str, int]]:
    records = await pool.fetch("SELECT dedupe_key, priority FROM jobs WHERE kind = 'fetch_chapter' ORDER BY seq")
    return [(record["dedupe_key"], record["priority"]) for record in records]


async def test_wanting_a_title_queues_its_chapters_in_reading_order_once(pool: Pool, admin: Browser) -> None:
    work_id, source_id = await a_work(pool, "Wanted"), await a_source(pool, content="wanted")
    ids = [await a_chapter(pool, work_id, number) for number in range(3)]
    held = await a_chapter(pool, work_id, 9, page_count=4)
    for chapter_id in (*reversed(ids), held):
        await link(pool, source_id, work_id, chapter_id)
    for _ in range(2):
        answer = await admin.put(f"{MANGAS}/{work_id}/wanted")
        assert (answer.status, answer.body) == (204, b"")
    assert [key for key, _ in await queued(pool)] == [str(chapter_id) for chapter_id in ids]
    assert (await admin.get(f"{MANGAS}/{work_id}")).json["wanted"] is True
    assert (await admin.ask("DELETE", f"{MANGAS}/{work_id}/wanted")).status == 204
    assert (await admin.get(f"{MANGAS}/{work_id}")).json["wanted"] is False


async def test_only_administrators_want_titles(site: Site, pool: Pool, guest: Browser, admin: Browser) -> None:
    work_id = await a_work(pool, "Wanted")
    reader = await site.person("somebody")
    assert (await guest.put(f"{MANGAS}/{work_id}/wanted")).status == 401
    assert (await reader.put(f"{MANGAS}/{work_id}/wanted")).status == 403
    assert (await admin.put(f"{MANGAS}/{uuid4()}/wanted")).status == 404


async def test_opening_a_chapter_brings_it_before_all_others(pool: Pool, guest: Browser) -> None:
    work_id, source_id = await a_work(pool, "Opened"), await a_source(pool, content="on_open")
    chapter_id = await a_chapter(pool, work_id, 1)
    await link(pool, source_id, work_id, chapter_id)
    for _ in range(2):
        answer = await guest.post(f"{MANGAS}/{work_id}/chapters/{chapter_id}/fetch")
        assert (answer.status, answer.json) == (202, {"queued": True})
    ((key, priority),) = await queued(pool)
    assert key == str(chapter_id)
    assert priority < 0


async def test_opening_what_is_here_or_nowhere_queues_nothing(pool: Pool, guest: Browser) -> None:
    work_id = await a_work(pool, "Opened")
    here, nowhere = await a_chapter(pool, work_id, 1, page_count=2), await a_chapter(pool, work_id, 2)
    for chapter_id in (here, nowhere):
        answer = await guest.post(f"{MANGAS}/{work_id}/chapters/{chapter_id}/fetch")
        assert (answer.status, answer.json) == (202, {"queued": False})
    assert await queued(pool) == []
    assert (await guest.post(f"{MANGAS}/{work_id}/chapters/{uuid4()}/fetch")).status == 404


async def test_a_source_over_its_budget_brings_nothing_and_says_so(pool: Pool, guest: Browser) -> None:
    work_id, source_id = await a_work(pool, "Costly"), await a_source(pool, byte_budget=10, bytes_fetched=10)
    chapter_id = await a_chapter(pool, work_id, 1)
    await link(pool, source_id, work_id, chapter_id)
    answer = await guest.post(f"{MANGAS}/{work_id}/chapters/{chapter_id}/fetch")
    assert (answer.status, answer.json["error"]["code"]) == (409, "conflict")
    assert "budget" in answer.json["error"]["message"]
