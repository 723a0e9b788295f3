"""Faults over HTTP: what a client sees of each, and how they are switched."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession
from tests.support.waiting import eventually

from orihon.samplesite import SampleSite
from orihon.samplesite.faults.control import is_loopback
from orihon.samplesite.site import SampleSite as Running

pytestmark = pytest.mark.anyio

NOW = 1_800_000_000.0


class Sleeps:
    """A clock hand that never waits, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture
async def site(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, sleeps: Sleeps) -> AsyncIterator[SampleSite]:
    drawn = tmp_path_factory.getbasetemp() / "drawn-faults"
    async with SampleSite(drawn, works=3, chapters=2, pages=2, posts=25, clock=lambda: NOW, sleep=sleeps) as made:
        yield made


@pytest.fixture
async def web() -> AsyncIterator[ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


def image(site: Running) -> str:
    work = site.catalogue.works[0]
    return f"/img/{work.slug}/{work.chapters[0].key}/001.jpg"


async def body(web: ClientSession, url: str, **headers: str) -> bytes:
    async with web.get(url, headers=headers) as response:
        assert response.status in (200, 206)
        return await response.read()


@pytest.mark.parametrize(
    ("fault", "status"),
    [
        ("too_many_requests", 429),
        ("too_many_requests_dated", 429),
        ("server_error", 500),
        ("not_found", 404),
        ("forbidden", 403),
        ("challenge", 403),
        ("login_redirect", 302),
        ("private_redirect", 302),
    ],
)
@pytest.mark.parametrize("place", ["listing", "feed", "image"])
async def test_statuses_are_given_everywhere(
    site: SampleSite, web: ClientSession, fault: str, status: int, place: str
) -> None:
    url = {"listing": site.url, "feed": f"{site.feed_url('creator-1')}/posts", "image": site.origin + image(site)}
    site.faults.set(fault, each=1)
    async with web.get(url[place], allow_redirects=False) as response:
        assert response.status == status
    async with web.get(url[place], allow_redirects=False) as response:
        assert response.status == 200
    assert site.log.faults == {fault: 1}


async def test_a_pause_is_said_in_seconds_or_as_a_date(site: SampleSite, web: ClientSession) -> None:
    site.faults.set("too_many_requests", seconds=7, times=1)
    site.faults.set("too_many_requests_dated", seconds=90, times=1)
    assert (await web.get(site.url)).headers["Retry-After"] == "7"
    until = parsedate_to_datetime((await web.get(site.url)).headers["Retry-After"])
    assert (until - datetime.fromtimestamp(NOW, UTC)).total_seconds() == 90


async def test_a_redirect_to_the_sign_in_ends_at_a_form(site: SampleSite, web: ClientSession) -> None:
    site.faults.set("login_redirect", path="/works/*")
    async with web.get(site.url) as response:
        assert response.url.path == "/login"
        assert b'type="password"' in await response.read()


async def test_a_held_connection_ends_without_an_answer(site: SampleSite, web: ClientSession, sleeps: Sleeps) -> None:
    for fault, slept in (("time_out", [300.0]), ("hang_up", [])):
        site.faults.clear()
        sleeps.slept.clear()
        site.faults.set(fault, seconds=300)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await web.get(site.url)
        assert sleeps.slept[:1] == slept, "the client may have asked twice"
    site.faults.clear()
    assert (await web.get(site.url)).status == 200


async def test_a_slow_body_is_whole(site: SampleSite, web: ClientSession, sleeps: Sleeps) -> None:
    url = site.origin + image(site)
    whole = await body(web, url)
    site.faults.set("slow_body", seconds=40)
    assert await body(web, url) == whole
    assert sleeps.slept == [2.0] * 19


async def test_a_cut_body_announces_more_than_it_brings(site: SampleSite, web: ClientSession) -> None:
    url = site.origin + image(site)
    whole = await body(web, url)
    site.faults.set("cut_body", path="/img/*", each=1)
    got = b""
    with pytest.raises(aiohttp.ClientPayloadError):
        async with web.get(url) as response:
            assert response.content_length == len(whole)
            async for chunk in response.content.iter_any():
                got += chunk
    assert got == whole[: len(whole) // 2]
    assert await body(web, url) == whole


async def test_a_range_is_answered_with_everything(site: SampleSite, web: ClientSession) -> None:
    url = site.origin + image(site)
    whole = await body(web, url)
    site.faults.set("range_ignored")
    assert site.log.faults == {}
    async with web.get(url, headers={"Range": "bytes=100-"}) as response:
        assert response.status == 200
        assert "Content-Range" not in response.headers
        assert await response.read() == whole


async def test_what_comes_as_an_image_is_none_or_another(site: SampleSite, web: ClientSession) -> None:
    url = site.origin + image(site)
    whole = await body(web, url)
    for fault, status, start in (
        ("html_as_image", 200, b"<!doctype html>"),
        ("placeholder", 200, b"\x89PNG"),
        ("zero_bytes", 200, b""),
        ("wrong_type", 200, whole),
        ("placeholder_redirect", 302, b""),
    ):
        site.faults.clear()
        site.faults.set(fault)
        async with web.get(url, allow_redirects=False) as response:
            assert response.status == status
            assert (await response.read()).startswith(start)
            assert (response.content_type == "text/html") == (fault in ("wrong_type", "placeholder_redirect"))
    async with web.get(url) as response:
        assert response.url.path == "/static/removed.png"
        assert (await response.read()).startswith(b"\x89PNG")


async def test_an_expired_address_is_denied_until_the_document_is_read_again(
    site: SampleSite, web: ClientSession
) -> None:
    url = f"{site.feed_url('creator-1')}/posts"
    site.faults.set("expired_address", each=1)
    for status in (403, 200):
        async with web.get(url) as response:
            address = (await response.json())["posts"][0]["attachments"][0]["url"]
        assert ("sig=" in address) == (status == 403)
        async with web.get(site.origin + address) as response:
            assert response.status == status
    site.faults.set("expired_address", seconds=60, times=1)
    async with web.get(url) as response:
        address = (await response.json())["posts"][0]["attachments"][0]["url"]
    assert (await web.get(site.origin + address)).status == 200


async def test_a_feed_that_repeats_its_cursor_goes_in_a_circle(site: SampleSite, web: ClientSession) -> None:
    url = f"{site.feed_url('creator-1')}/posts"
    first = (await (await web.get(url)).json())["next"]
    site.faults.set("repeated_cursor")
    assert (await (await web.get(f"{url}?cursor={first}")).json())["next"] == first


async def _put(web: ClientSession, site: SampleSite, wanted: object, status: int = 200) -> Any:
    async with web.put(f"{site.origin}/faults", json=wanted) as response:
        assert response.status == status
        return await response.json()


async def test_faults_are_switched_over_http(site: SampleSite, web: ClientSession) -> None:
    told = await _put(web, site, {"seed": 7, "faults": [{"fault": "server_error", "path": "/works/*", "times": 1}]})
    rule = {"fault": "server_error", "path": "/works/*", "times": 1}
    assert told == {"seed": 7, "faults": [rule | {"given": 0}]}
    assert [(await web.get(site.url)).status for _ in range(2)] == [500, 200]
    assert (await (await web.get(f"{site.origin}/faults")).json())["faults"] == [rule | {"given": 1}]
    assert (await web.delete(f"{site.origin}/faults")).status == 204
    assert (await (await web.get(f"{site.origin}/faults")).json())["faults"] == []


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"faults": [{"fault": "nothing"}]}, "There is no fault"),
        ({"faults": [{"fault": "cut_body", "rat": 1}]}, "unknown field `rat`"),
        ({"faults": [{"fault": "cut_body", "rate": 2}]}, "rate"),
        ({"faults": [{"path": "*"}]}, "fault"),
        ({}, "faults"),
        ([], "object"),
    ],
)
async def test_a_wish_that_means_nothing_changes_nothing(
    site: SampleSite, web: ClientSession, wanted: object, words: str
) -> None:
    site.faults.set("server_error", times=1)
    assert words in (await _put(web, site, wanted, 400))["error"]
    assert (await web.get(site.url)).status == 500


@pytest.mark.parametrize(
    ("peer", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("192.168.1.4", False),
        ("1.1.1.1", False),
        (None, False),
    ],
)
def test_only_this_machine_may_switch(peer: str | None, local: bool) -> None:
    assert is_loopback(peer) is local


async def test_the_log_tells_what_was_asked_for_and_what_went_wrong(site: SampleSite, web: ClientSession) -> None:
    site.faults.set("server_error", path="/works/", each=1)
    for _ in range(3):
        await web.get(site.url)
    told = await (await web.get(f"{site.origin}/requests")).json()
    assert told["paths"] == {"/works/": 3}
    assert told["served"] == {"/works/": 2}
    assert told["faults"] == {"server_error": 1}
    assert [seen.fault for seen in site.log.latest][:3] == ["server_error", None, None]


async def test_what_the_checks_need_stays_sound(site: SampleSite, web: ClientSession) -> None:
    site.faults.set("server_error")
    assert (await web.get(f"{site.origin}/manifest.json?hashes=0")).status == 200
    assert (await web.get(site.url)).status == 500


async def test_a_page_in_a_browser_cannot_switch(site: SampleSite, web: ClientSession) -> None:
    async with web.put(
        f"{site.origin}/faults", json={"faults": []}, headers={"Origin": "http://evil.example"}
    ) as response:
        assert response.status == 403


async def test_a_site_that_holds_connections_can_be_stopped(tmp_path: Path, web: ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        site.faults.set("time_out")
        asking = asyncio.create_task(web.get(site.url))
        await eventually(lambda: bool(site.log.total))
        await asyncio.wait_for(site.stop(), 10)
        with pytest.raises(aiohttp.ClientError):
            await asking
