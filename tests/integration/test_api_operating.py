"""Sources, jobs, events and health over HTTP."""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import aiohttp
import msgspec
import pytest
from tests.support.waiting import eventually
from tests.support.web import Browser, Site, a_chapter, a_work, own_database, serving

from orihon.api.feeds import TooManyStreams
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool, open_pool
from orihon.jobs import queue
from orihon.jobs.payloads import FetchChapter, WalkSource
from orihon.runtime import live_status
from orihon.samplesite.site import SampleSite

pytestmark = pytest.mark.anyio

SOURCES = "/api/v1/sources"
JOBS = "/api/v1/jobs"


@pytest.fixture(scope="module")
async def sample(anyio_backend: object, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SampleSite]:
    async with SampleSite(tmp_path_factory.mktemp("sample")) as running:
        yield running


@pytest.fixture(scope="module")
async def site(
    server: EmbeddedPostgres, sample: SampleSite, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("data")
    async with (
        own_database(server) as (pool, dsn),
        serving(pool, dsn, folder, private_origins=(sample.origin,), fetch_rate_ms=0) as running,
    ):
        yield running


@pytest.fixture(scope="module")
async def admin(site: Site) -> Browser:
    return await site.person("admin", admin=True)


@pytest.fixture(scope="module")
async def reader(site: Site) -> Browser:
    return await site.person("reader")


_names = itertools.count(1)


def new_source(**fields: Any) -> dict[str, Any]:
    return {"url": f"https://site.example/{next(_names)}/", "settings": {"profile": "sample"}} | fields


async def follow(admin: Browser, **fields: Any) -> Any:
    answer = await admin.post(SOURCES, new_source(**fields))
    assert answer.status == 201, answer.body
    return answer.json


async def test_a_source_is_followed_shown_changed_and_removed(admin: Browser) -> None:
    made = await follow(admin, name="Mine", content="all")
    assert (made["name"], made["adapter"], made["kind"], made["content"]) == ("Mine", "html", "catalogue", "all")
    assert (made["works"], made["live"], made["last_walk"], made["paused"]) == (0, None, None, False)
    assert made["next_run_at"] is not None
    path = f"{SOURCES}/{made['id']}"
    assert (await admin.get(path)).json == made
    assert made in (await admin.get(SOURCES)).json["items"]
    paused = (await admin.ask("PATCH", path, json={"paused": True, "byte_budget": 5000})).json
    assert (paused["paused"], paused["byte_budget"], paused["next_run_at"]) == (True, 5000, None)
    assert (await admin.ask("PATCH", path, json={"byte_budget": None})).json["byte_budget"] is None
    assert (await admin.ask("DELETE", path)).status == 204
    assert (await admin.ask("DELETE", path)).status == 404


async def test_a_removed_source_is_listed_until_it_is_forgotten(admin: Browser) -> None:
    made = await follow(admin, name="Once")
    path, removed = f"{SOURCES}/{made['id']}", f"{SOURCES}/removed"
    refused = await admin.ask("DELETE", f"{removed}/{made['id']}")
    assert (refused.status, refused.json["error"]["code"]) == (409, "conflict")
    await admin.ask("DELETE", path)
    (listed,) = [one for one in (await admin.get(removed)).json["items"] if one["id"] == made["id"]]
    assert (listed["name"], listed["url"], listed["works"]) == ("Once", made["url"], 0)
    for _ in range(2):
        assert (await admin.ask("DELETE", f"{removed}/{made['id']}")).status == 204
    assert made["id"] not in [one["id"] for one in (await admin.get(removed)).json["items"]]


async def test_what_the_adapter_cannot_use_is_told_and_nothing_is_followed(admin: Browser) -> None:
    before = (await admin.get(SOURCES)).json
    for settings, adapter in (({"profile": "nope"}, "html"), ({"nope": 1}, "html"), ({}, "nope")):
        answer = await admin.post(SOURCES, new_source(settings=settings, adapter=adapter))
        assert (answer.status, answer.json["error"]["details"]) == (422, {"settings": "invalid"}), answer.body
        assert "nope" in answer.json["error"]["message"]
    assert (await admin.get(SOURCES)).json == before


async def test_an_address_is_followed_once(admin: Browser) -> None:
    source = new_source(name="Known")
    await admin.post(SOURCES, source)
    answer = await admin.post(SOURCES, source | {"name": "Other"})
    assert (answer.status, answer.json["error"]["code"]) == (409, "conflict")
    assert "Known" in answer.json["error"]["message"]
    moving = (await admin.post(SOURCES, source | {"url": source["url"] + "?moving"})).json
    answer = await admin.ask("PATCH", f"{SOURCES}/{moving['id']}", json={"url": source["url"]})
    assert (answer.status, answer.json["error"]["code"]) == (409, "conflict")
    answer = await admin.ask("PATCH", f"{SOURCES}/{moving['id']}", json={"url": source["url"] + "?moved"})
    assert (answer.status, answer.json["url"]) == (200, source["url"] + "?moved")


@pytest.mark.parametrize(
    "change",
    [
        {"interval_seconds": 5},
        {"byte_budget": 0},
        {"content": "some"},
        {"item_limit": 2**40},
        {"name": ""},
        {"colour": "red"},
        {"url": ""},
    ],
)
async def test_a_field_out_of_bounds_is_named(admin: Browser, change: dict[str, Any]) -> None:
    answer = await admin.post(SOURCES, new_source(**change))
    assert (answer.status, answer.json["error"]["code"]) == (422, "validation_failed")
    assert next(iter(change)) in str(answer.json["error"]["details"])


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'{"url": "\xff"}', b"\x00"])
async def test_a_body_that_is_no_json_of_this_kind_is_an_error_in_the_envelope(admin: Browser, body: bytes) -> None:
    answer = await admin.ask("POST", SOURCES, data=body, headers={"Content-Type": "application/json"})
    assert answer.status in {400, 422}
    assert set(answer.json["error"]) >= {"code", "message"}


async def test_text_that_cannot_be_kept_is_refused(admin: Browser) -> None:
    answer = await admin.post(SOURCES, new_source(name="a\x00b"))
    assert (answer.status, answer.json["error"]["code"]) == (400, "invalid_input")


async def test_a_body_that_is_too_large_is_refused(admin: Browser) -> None:
    answer = await admin.post(SOURCES, new_source(settings={"x": "y" * 3_000_000}))
    assert (answer.status, answer.json["error"]["code"]) == (413, "payload_too_large")


async def test_a_source_has_a_name_that_is_more_than_blanks(admin: Browser) -> None:
    made = await follow(admin)
    for answer in (
        await admin.post(SOURCES, new_source(name="  ")),
        await admin.ask("PATCH", f"{SOURCES}/{made['id']}", json={"name": " \n"}),
    ):
        assert answer.status == 422
        assert "name" in answer.json["error"]["details"]


async def test_a_walk_is_queued_once(site: Site, admin: Browser) -> None:
    made = await follow(admin)
    path = f"{SOURCES}/{made['id']}/run"
    told = [await admin.post(path) for _ in range(2)]
    assert [(answer.status, answer.json) for answer in told] == [(202, {"queued": True}), (202, {"queued": False})]
    assert (await admin.post(f"{SOURCES}/{uuid4()}/run")).status == 404


async def test_a_walk_over_the_whole_list_can_be_asked_for(site: Site, admin: Browser) -> None:
    made = await follow(admin)
    path = f"{SOURCES}/{made['id']}/run"
    assert (await admin.post(f"{path}?mode=recovery")).status == 202
    assert await site.pool.fetchval("SELECT asked FROM sources WHERE url = $1", made["url"]) == "recovery"
    refused = await admin.post(f"{path}?mode=everything")
    assert (refused.status, refused.json["error"]["details"]) == (422, {"mode": "invalid"})


async def test_a_walk_that_waits_for_its_next_try_is_hurried_by_who_asks(site: Site, admin: Browser) -> None:
    """Somebody who has mended a source's settings would else press the button for nothing, up to hours long."""
    made = await follow(admin)
    path = f"{SOURCES}/{made['id']}/run"
    await admin.post(path)
    waits = "UPDATE jobs SET scheduled_at = now() + interval '1 hour' WHERE dedupe_key = $1"
    await site.pool.execute(waits, made["id"])
    assert (await admin.post(path)).json == {"queued": False}
    due = await site.pool.fetchval("SELECT scheduled_at <= now() FROM jobs WHERE dedupe_key = $1", made["id"])
    assert due


async def test_walks_are_listed_latest_first_and_the_last_one_is_shown(site: Site, admin: Browser) -> None:
    made = await follow(admin)
    for hours, outcome in ((2, "end_of_list"), (1, "caught_up")):
        await site.pool.execute(
            "INSERT INTO walks (source_id, mode, outcome, counts, clean, started_at, ended_at)"
            " VALUES ($1, 'tick', $2, '{\"seen\": 3}', true, now() - make_interval(hours => $3), now())",
            made["id"],
            outcome,
            hours,
        )
    walks = (await admin.get(f"{SOURCES}/{made['id']}/walks")).json["items"]
    assert [walk["outcome"] for walk in walks] == ["caught_up", "end_of_list"]
    assert (await admin.get(f"{SOURCES}/{made['id']}")).json["last_walk"] == walks[0]
    assert (await admin.get(f"{SOURCES}/{uuid4()}/walks")).status == 404


async def test_what_a_source_gave_up_is_listed_with_its_reason_latest_first(site: Site, admin: Browser) -> None:
    made = await follow(admin)
    for key, attempts, hours in (("first", 3, 2), ("second", 4, 1), ("still tried", 2, 0)):
        await site.pool.execute(
            "INSERT INTO source_failures (source_id, key, attempts, error, last_at)"
            " VALUES ($1, $2, $3, $2 || ' is not there', now() - make_interval(hours => $4))",
            made["id"], key, attempts, hours,
        )  # fmt: skip
    path = f"{SOURCES}/{made['id']}/failures"
    told = (await admin.get(path)).json
    assert [(item["error"], item["attempts"]) for item in told["items"]] == [
        ("second is not there", 4),
        ("first is not there", 3),
    ]
    assert len(told["items"]) == (await admin.get(f"{SOURCES}/{made['id']}")).json["media_dead"]
    assert [item["error"] for item in (await admin.get(f"{path}?limit=1&offset=1")).json["items"]] == [
        "first is not there"
    ]
    assert (await admin.get(f"{SOURCES}/{uuid4()}/failures")).status == 404


async def test_what_a_source_does_now_is_shown(site: Site, admin: Browser) -> None:
    made = await follow(admin)
    pace = live_status.Pace(after=0.0, every=0.0)
    async with live_status.report(site.pool, f"source:{made['id']}", kind="walk", pace=pace) as status:
        await status.update(phase="listing", text="page 2", done=40)

        async def shown() -> Any:
            return (await admin.get(f"{SOURCES}/{made['id']}")).json["live"]

        await eventually(shown)
        live = await shown()
    assert live == {"phase": "listing", "text": "page 2", "done": 40, "total": None}


async def test_the_adapters_say_what_they_need(admin: Browser) -> None:
    adapters = {one["name"]: one for one in (await admin.get(f"{SOURCES}/adapters")).json["items"]}
    feed = adapters["sample_feed"]
    assert feed["offers"] == ["feed"]
    assert "/api/creators/" in feed["address"]
    (count,) = feed["settings"]
    assert (count["name"], count["title"]) == ("count", "Posts at a time")
    assert (count["least"], count["most"]) == (1, 50)
    html = adapters["html"]
    assert "profile" in [setting["name"] for setting in html["settings"]]
    assert {"sample", "target"} <= {preset["name"] for preset in html["presets"]}


async def test_a_source_can_be_tried_before_it_is_followed(admin: Browser, sample: SampleSite) -> None:
    answer = await admin.post(f"{SOURCES}/check", {"url": sample.url, "settings": {"profile": "sample"}})
    assert answer.status == 200, answer.body
    seen = answer.json
    assert seen["failure"] is None
    assert seen["listing"]["count"] > 0
    assert seen["pages"]["count"] > 0


async def test_a_hostile_address_is_refused_by_name(admin: Browser) -> None:
    for url in ("http://127.0.0.1:1/", "file:///etc/passwd", "http://169.254.169.254/"):
        answer = await admin.post(f"{SOURCES}/check", {"url": url, "settings": {"profile": "sample"}})
        assert answer.status in {200, 422}
        if answer.status == 200:
            assert answer.json["failure"]["step"] == "listing"
            assert answer.json["failure"]["text"]


# --- jobs -----------------------------------------------------------------------------------------------------------


async def test_the_queue_is_counted_listed_and_revived(site: Site, admin: Browser) -> None:
    await site.pool.execute("DELETE FROM jobs")
    async with site.pool.acquire() as db:
        for _ in range(3):
            await queue.enqueue(db, FetchChapter(source_id=uuid4(), chapter_id=uuid4()))
        await queue.enqueue(db, WalkSource(source_id=uuid4()))
    await site.pool.execute("UPDATE jobs SET state = 'dead', last_error = 'gave up' WHERE kind = 'fetch_chapter'")
    content, crawl = (await admin.get(f"{JOBS}/counts")).json["lanes"]
    assert (content["lane"], content["pending"], content["running"], content["dead"]) == ("content", 0, 0, 3)
    assert (crawl["lane"], crawl["pending"], crawl["running"], crawl["dead"]) == ("crawl", 1, 0, 0)
    dead = (await admin.get(f"{JOBS}?limit=2")).json
    assert [job["last_error"] for job in dead["items"]] == ["gave up"] * 2
    assert (await admin.get(f"{JOBS}?state=pending")).json["items"][0]["kind"] == "walk_source"
    assert (await admin.get(f"{JOBS}?kind=walk_source")).json["items"] == []
    one = dead["items"][0]["id"]
    assert (await admin.post(f"{JOBS}/requeue", {"scope": "job", "id": one})).json == {"requeued": 1}
    assert (await admin.post(f"{JOBS}/requeue", {"scope": "kind", "kind": "walk_source"})).json == {"requeued": 0}
    assert (await admin.post(f"{JOBS}/requeue", {"scope": "all", "confirm": True})).json == {"requeued": 2}


@pytest.mark.parametrize(
    ("body", "field"),
    [({"scope": "all"}, "confirm"), ({"scope": "kind"}, "kind"), ({"scope": "job"}, "id"), ({"scope": "x"}, "scope")],
)
async def test_a_requeue_says_what_it_lacks(admin: Browser, body: dict[str, str], field: str) -> None:
    answer = await admin.post(f"{JOBS}/requeue", body)
    assert answer.status == 422
    assert list(answer.json["error"]["details"]) == [field]


async def test_a_state_that_is_none_is_named(admin: Browser) -> None:
    assert (await admin.get(f"{JOBS}?state=lost")).json["error"]["details"] == {"state": "invalid"}


@pytest.mark.parametrize("path", [SOURCES, f"{SOURCES}/adapters", JOBS, f"{JOBS}/counts", "/api/v1/events?topics=jobs"])
async def test_operating_is_for_administrators(site: Site, reader: Browser, path: str) -> None:
    assert (await site.browser().get(path)).status == 401
    answer = await reader.get(path)
    assert (answer.status, answer.json["error"]["code"]) == (403, "forbidden")


# --- events ---------------------------------------------------------------------------------------------------------


async def events(answer: aiohttp.ClientResponse) -> AsyncIterator[tuple[str, Any]]:
    name = ""
    async for line in answer.content:
        text = line.decode().rstrip("\n")
        if text.startswith("event: "):
            name = text.removeprefix("event: ")
        elif text.startswith("data: "):
            yield name, msgspec.json.decode(text.removeprefix("data: "))


async def test_a_stream_begins_with_a_snapshot_and_tells_changes(site: Site) -> None:
    guest = site.browser()
    async with asyncio.timeout(20), guest.session.get(f"{site.origin}/api/v1/events") as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Cache-Control"] == "no-store"
        told = events(answer)
        name, before = await anext(told)
        assert name == "library"
        work_id = await a_work(site.pool, "Arrived")
        await a_chapter(site.pool, work_id, 1, page_count=4)
        await a_chapter(site.pool, work_id, 2)
        await site.pool.execute("SELECT pg_notify('library', 'x')")
        async for _, after in told:
            if after != before:
                break
    assert {key: after[key] - before[key] for key in before} == {
        "works": 1,
        "feeds": 0,
        "chapters": 2,
        "chapters_ready": 1,
        "pages": 4,
    }


async def test_a_change_that_alters_no_figure_is_told_too(site: Site) -> None:
    """A page that waits for one chapter must hear of it whatever the figures say."""
    guest = site.browser()
    async with asyncio.timeout(20), guest.session.get(f"{site.origin}/api/v1/events?topics=library") as answer:
        told = events(answer)
        _, before = await anext(told)
        await site.pool.execute("SELECT pg_notify('library', 'x')")
        _, after = await anext(told)
        assert before == after


async def test_a_stream_of_several_topics_has_a_snapshot_of_each(site: Site, admin: Browser) -> None:
    url = f"{site.origin}/api/v1/events?topics=jobs,library,sources"
    async with asyncio.timeout(20), admin.session.get(url) as answer:
        told = events(answer)
        found = dict([await anext(told) for _ in range(3)])
    assert set(found) == {"jobs", "library", "sources"}
    assert found["sources"] == (await admin.get(SOURCES)).json
    assert "lanes" in found["jobs"]


async def test_a_stream_of_an_administrator_ends_with_the_session(site: Site) -> None:
    """Whoever signs out, or is signed out, watches no longer what only administrators may see."""
    leaving = await site.person("leaving", admin=True)
    url = f"{site.origin}/api/v1/events?topics=jobs"
    async with asyncio.timeout(20), leaving.session.get(url) as answer:
        told = events(answer)
        await anext(told)
        assert (await leaving.post("/api/v1/auth/logout")).status == 204
        await site.pool.execute("SELECT pg_notify('jobs', 'crawl')")
        assert [event async for event in told] == []


async def test_a_topic_that_is_none_is_named(site: Site) -> None:
    answer = await site.browser().get("/api/v1/events?topics=weather")
    assert (answer.status, answer.json["error"]["details"]) == (422, {"topics": "invalid"})


async def test_streams_end_when_the_server_is_told_to_stop(server: EmbeddedPostgres, tmp_path: Path) -> None:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path) as site:
        guest = site.browser()
        async with asyncio.timeout(20), guest.session.get(f"{site.origin}/api/v1/events") as answer:
            await anext(events(answer))
            site.app.close()
            assert (await answer.content.read()).endswith(b"\n")


async def test_a_reader_who_leaves_is_no_longer_watched_for(site: Site) -> None:
    """Else every closed tab would cost a look at the library for ever."""
    feeds = site.app._context.feeds
    guest = site.browser()
    async with guest.session.get(f"{site.origin}/api/v1/events") as answer:
        await anext(events(answer))
        assert feeds._streams
        answer.close()
    await eventually(lambda: not feeds._streams)
    assert all(feed._task is None for feed in feeds._feeds.values())


async def test_streams_are_bounded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("orihon.api.feeds.MOST_STREAMS", 1)
    guest = site.browser()
    async with guest.session.get(f"{site.origin}/api/v1/events") as answer:
        await anext(events(answer))
        refused = await guest.get("/api/v1/events")
        assert (refused.status, refused.json["error"]["code"]) == (503, "unavailable")
        assert "Retry-After" in refused.headers


async def test_streams_that_are_asked_for_at_once_are_bounded_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were counted only once they had begun, so that five hundred pages loaded together all got one."""
    monkeypatch.setattr("orihon.api.feeds.MOST_STREAMS", 2)
    feeds = site.app._context.feeds

    async def may_watch() -> bool:
        return True

    await eventually(lambda: not feeds._streams)  # of the tests before
    promised = [feeds.open(["library"], may_watch) for _ in range(2)]
    with pytest.raises(TooManyStreams):
        feeds.open(["library"], may_watch)
    promised.pop()  # its client left before it began
    feeds.open(["library"], may_watch)


# --- health ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/api/v1/health"])
async def test_health_is_told_to_anyone(site: Site, path: str) -> None:
    answer = await site.browser().get(path)
    assert (answer.status, answer.json) == (200, {"status": "ok"})


@asynccontextmanager
async def short_of_patience(dsn: str) -> AsyncIterator[Pool]:
    pool = await open_pool(dsn, size=4, patience=0.2)
    yield pool
    pool.terminate()


@asynccontextmanager
async def silent_server() -> AsyncIterator[str]:
    """The address of a server that takes connections and never says a word."""
    heard: list[asyncio.StreamWriter] = []
    listening = await asyncio.start_server(lambda _, writer: heard.append(writer), "127.0.0.1", 0)
    port = listening.sockets[0].getsockname()[1]
    yield f"postgresql://orihon@127.0.0.1:{port}/orihon"
    for writer in heard:
        writer.close()
    listening.close()


async def test_a_database_that_is_away_is_told_in_words(server: EmbeddedPostgres, tmp_path: Path) -> None:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path) as site:
        guest = site.browser()
        pool.terminate()
        assert (await guest.get("/healthz")).status == 200
        for path in ("/readyz", "/api/v1/mangas"):
            answer = await guest.get(path)
            assert (answer.status, answer.json["error"]["code"]) == (503, "unavailable")
            assert "Retry-After" in answer.headers


@pytest.mark.parametrize(
    ("sqlstate", "words"), [("53100", "disk of the database is full"), ("53200", "does not answer at the moment")]
)
async def test_a_database_that_lacks_room_is_told_in_words(
    server: EmbeddedPostgres, tmp_path: Path, sqlstate: str, words: str
) -> None:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path) as site:
        reader = await site.person("reader")
        await pool.execute(
            f"""CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '{sqlstate}'; END $$;
                CREATE TRIGGER no_room BEFORE INSERT ON sessions EXECUTE FUNCTION no_room()"""
        )
        answer = await reader.sign_in("reader")
    assert (answer.status, answer.json["error"]["code"]) == (503, "unavailable")
    assert words in answer.json["error"]["message"]
    assert "Retry-After" in answer.headers


async def test_a_statement_without_an_answer_ends_in_words(server: EmbeddedPostgres, tmp_path: Path) -> None:
    """Else a page would load for ever, and with a few of them nobody could be served any more."""
    async with (
        own_database(server) as (pool, dsn),
        short_of_patience(dsn) as impatient,
        serving(impatient, dsn, tmp_path) as site,
    ):
        guest = site.browser()
        async with asyncio.timeout(20), pool.acquire() as db, db.transaction():
            await db.execute("LOCK TABLE works")
            found = await asyncio.gather(*(guest.get(f"/api/v1/mangas?limit={n + 1}") for n in range(12)))
        assert {(answer.status, answer.json["error"]["code"]) for answer in found} == {(503, "unavailable")}
        assert (await guest.get("/api/v1/mangas")).status == 200


async def test_the_health_of_a_database_that_is_reached_but_says_nothing_is_soon_told(
    server: EmbeddedPostgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orihon.api.routes.health.PATIENCE", 0.2)
    async with own_database(server) as (_, dsn), silent_server() as silent:
        pool = await open_pool(silent)
        async with asyncio.timeout(20), serving(pool, dsn, tmp_path) as site:
            answer = await site.browser().get("/readyz")
        pool.terminate()
    assert (answer.status, answer.json["error"]["code"]) == (503, "unavailable")


async def test_a_setting_that_the_door_cannot_use_is_told_when_a_source_is_tried(
    server: EmbeddedPostgres, tmp_path: Path
) -> None:
    """`orihon serve` refuses to start with it; a web process alone can only say so here."""
    async with (
        own_database(server) as (pool, dsn),
        serving(pool, dsn, tmp_path, private_origins=("no origin",)) as misconfigured,
    ):
        administrator = await misconfigured.person("admin", admin=True)
        answer = await administrator.post(
            f"{SOURCES}/check", {"adapter": "html", "url": "https://a.test/", "settings": {"profile": "sample"}}
        )
    assert (answer.status, answer.json["error"]["code"]) == (503, "unavailable")
    assert "ORIHON_PRIVATE_ORIGINS" in answer.json["error"]["message"]
