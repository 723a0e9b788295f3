"""Reading progress over HTTP."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from tests.support.web import Browser, Site, a_chapter, a_work, own_database, serving

from orihon.db.embedded import EmbeddedPostgres

pytestmark = pytest.mark.anyio

PROGRESS = "/api/v1/me/progress"


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture
async def reader(site: Site) -> Browser:
    return await site.person(f"reader {uuid4().hex[:8]}")


def item(chapter_id: UUID | str, page: int, furthest: int, minutes_ago: float) -> dict[str, Any]:
    read = datetime.now(UTC) - timedelta(minutes=minutes_ago)
    return {"chapter_id": str(chapter_id), "page": page, "furthest_page": furthest, "client_time": read.isoformat()}


async def put(reader: Browser, *items: dict[str, Any]) -> Any:
    answer = await reader.put(PROGRESS, {"items": items})
    assert answer.status == 200, answer.body
    return answer.json


def places(told: Any) -> list[tuple[int, int]]:
    return [(one["page"], one["furthest_page"]) for one in told["items"]]


async def test_what_two_devices_say_is_merged_in_either_order(site: Site, reader: Browser) -> None:
    chapter_id = await a_chapter(site.pool, await a_work(site.pool, "Merged"), 1, page_count=20)
    late, early = item(chapter_id, 3, 3, 1), item(chapter_id, 9, 9, 60)
    assert places(await put(reader, late)) == [(3, 3)]
    assert places(await put(reader, early)) == [(3, 9)]
    assert places(await put(reader, early, late, early)) == [(3, 9)]


async def test_saying_it_again_changes_nothing(site: Site, reader: Browser) -> None:
    chapter_id = await a_chapter(site.pool, await a_work(site.pool, "Again"), 1, page_count=20)
    said = item(chapter_id, 4, 6, 5)
    assert await put(reader, said) == await put(reader, said)


async def test_chapters_that_are_gone_are_named_and_the_rest_is_kept(site: Site, reader: Browser) -> None:
    chapter_id = await a_chapter(site.pool, await a_work(site.pool, "Kept"), 1, page_count=20)
    gone = str(uuid4())
    told = await put(reader, item(gone, 1, 1, 1), item(chapter_id, 2, 2, 1))
    assert places(told) == [(2, 2)]
    assert told["unknown"] == [gone]


async def test_nobody_sees_what_others_read(site: Site, reader: Browser) -> None:
    chapter_id = await a_chapter(site.pool, await a_work(site.pool, "Mine"), 1, page_count=20)
    await put(reader, item(chapter_id, 2, 2, 1))
    other = await site.person(f"other {uuid4().hex[:8]}")
    assert (await other.get(PROGRESS)).json == {"items": []}


async def test_guests_keep_theirs_in_the_browser(site: Site) -> None:
    guest = site.browser()
    assert (await guest.get(PROGRESS)).status == 401
    assert (await guest.put(PROGRESS, {"items": "nonsense"})).status == 401


async def test_the_latest_chapter_of_each_title_with_its_card(site: Site, reader: Browser) -> None:
    ids: dict[str, UUID] = {}
    for title, ages in (("Long ago", (90, 80)), ("Just now", (1, 50)), ("Between", (40,))):
        work_id = await a_work(site.pool, title)
        for number, age in enumerate(ages, 1):
            ids[f"{title} {number}"] = await a_chapter(site.pool, work_id, number, page_count=9)
            await put(reader, item(ids[f"{title} {number}"], 5, 5, age))
    found = (await reader.get(f"{PROGRESS}?latest=true")).json["items"]
    assert [(one["manga"]["title"], one["chapter"]["number"]) for one in found] == [
        ("Just now", 1),
        ("Between", 1),
        ("Long ago", 2),
    ]
    assert found[0]["chapter"] == {"number": 1, "title": None, "page_count": 9}
    assert len((await reader.get(f"{PROGRESS}?latest=true&limit=2")).json["items"]) == 2
    all_of_them = (await reader.get(PROGRESS)).json["items"]
    assert len(all_of_them) == 5
    assert all_of_them[0]["manga"] is None
    of_one = (await reader.get(f"{PROGRESS}?manga_id={found[2]['manga_id']}")).json["items"]
    assert [one["chapter_id"] for one in of_one] == [str(ids["Long ago 2"]), str(ids["Long ago 1"])]


@pytest.mark.parametrize(
    "change",
    [{"page": 0}, {"page": "one"}, {"furthest_page": -1}, {"client_time": "2026-01-01T00:00:00"}, {"chapter_id": "x"}],
)
async def test_what_makes_no_sense_is_refused_whole(site: Site, reader: Browser, change: dict[str, Any]) -> None:
    chapter_id = await a_chapter(site.pool, await a_work(site.pool, "Whole"), 1, page_count=20)
    answer = await reader.put(PROGRESS, {"items": [item(chapter_id, 2, 2, 1), item(chapter_id, 2, 2, 1) | change]})
    assert (answer.status, answer.json["error"]["code"]) == (422, "validation_failed")
    assert (await reader.get(PROGRESS)).json == {"items": []}


async def test_a_batch_has_an_end(reader: Browser) -> None:
    answer = await reader.put(PROGRESS, {"items": [item(uuid4(), 1, 1, 1)] * 1001})
    assert (answer.status, answer.json["error"]["details"]) == (422, {"items": "max 1000"})
