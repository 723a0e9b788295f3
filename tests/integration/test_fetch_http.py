"""The HTTP door against a real server on loopback that misbehaves on request.

Every failure of the research notes (ingest anchors, 3.1 and 3.2) that this door could share is switched on here.
"""

import asyncio
import errno
import gzip
import random
import shutil
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import pytest
from aiohttp.abc import AbstractResolver, ResolveResult
from tests.support.raw_site import Answer, Request, Site, reply, serving

from orihon.config import Settings
from orihon.fetch import client, wire
from orihon.fetch.client import RESUMES, FetchClient, Limits
from orihon.fetch.errors import (
    CutShort,
    Denied,
    EmptyBody,
    FetchError,
    Gone,
    HttpStatus,
    Malformed,
    Placeholder,
    RateLimited,
    Refused,
    TimedOut,
    TooLarge,
    UnexpectedHtml,
    Unreachable,
)
from orihon.fetch.guard import AllowList, Target
from orihon.sources.adapter import Fetcher

pytestmark = pytest.mark.anyio

IMAGE = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 1200
LOGIN = b"<!DOCTYPE html><title>Sign in</title><form><input type=password></form>"
CHALLENGE = b"<!DOCTYPE html><title>Just a moment...</title><script>window._cf_chl_opt={}</script>"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving() as site:
        yield site


class Names(AbstractResolver):
    """Names as a test says."""

    def __init__(self, **addresses: list[str]) -> None:
        self.addresses = addresses

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        if host not in self.addresses:
            raise OSError(f"no such name: {host}")
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=6, flags=0)
            for address in self.addresses[host]
        ]

    async def close(self) -> None:
        pass


@asynccontextmanager
async def opened(
    *origins: str, limits: Limits | None = None, names: AbstractResolver | None = None, agent: str | None = None
) -> AsyncIterator[FetchClient]:
    settings = Settings(private_origins=origins, fetch_rate_ms=0, fetch_user_agent=agent)
    async with FetchClient(
        settings, limits=limits, resolver=lambda: names or aiohttp.ThreadedResolver(), now=lambda: NOON
    ) as door:
        yield door


@pytest.fixture
async def door(site: Site) -> AsyncIterator[FetchClient]:
    async with opened(site.origin) as door:
        yield door


class Memory:
    """A sink that remembers."""

    def __init__(self) -> None:
        self.held = bytearray()
        self.restarts = 0

    def write(self, chunk: bytes) -> None:
        self.held += chunk

    def restart(self) -> None:
        self.held.clear()
        self.restarts += 1


async def caught(work: Awaitable[object]) -> FetchError:
    try:
        await work
    except FetchError as error:
        return error
    pytest.fail("nothing was raised")


async def download(door: FetchClient, url: str, max_bytes: int = 10_000_000) -> tuple[bytes, int]:
    sink = Memory()
    done = await door.download(url, sink, max_bytes=max_bytes)
    assert done.size == len(sink.held)
    return bytes(sink.held), done.resumes


# Documents.


async def test_a_document_comes_with_its_address_status_and_type(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(b"<html>hello", Content_Type="text/html", ETag='"1"', Last_Modified="then")
    fetcher: Fetcher = door
    document = await fetcher.get(f"{site.origin}/a?q=1#part")
    assert (document.url, document.status, document.content_type, document.body) == (
        f"{site.origin}/a?q=1",
        200,
        "text/html",
        b"<html>hello",
    )
    assert site.paths == ["/a?q=1"]


async def test_nothing_is_sent_that_was_not_meant_to_be(
    site: Site, door: FetchClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Credentials of a URL, cookies of an earlier answer and ambient proxies stay out."""
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    site.routes["/a"] = reply(b"x", Set_Cookie="session=1")
    await door.get(f"{site.origin.replace('//', '//user:secret@')}/a")
    await door.get(f"{site.origin}/a", referer=f"{site.origin.replace('//', '//user:secret@')}/page#x")
    sent = site.requests[1].headers
    assert sent["Referer"] == f"{site.origin}/page"
    assert sent["User-Agent"].startswith("orihon/")
    assert not {"Cookie", "Authorization"} & (sent.keys() | site.requests[0].headers.keys())


async def test_the_user_agent_can_be_set(site: Site) -> None:
    site.routes["/a"] = reply(b"x")
    async with opened(site.origin, agent="Reader/1") as door:
        await door.get(f"{site.origin}/a")
    assert site.requests[0].headers["User-Agent"] == "Reader/1"


async def test_an_unchanged_document_is_not_sent_again(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(status=304, ETag='"1"')
    document = await door.get(f"{site.origin}/a", etag='"1"', last_modified="then")
    assert (document.status, document.body, document.etag) == (304, b"", '"1"')
    sent = site.requests[0].headers
    assert (sent["If-None-Match"], sent["If-Modified-Since"]) == ('"1"', "then")


async def test_unchanged_without_a_question_is_an_error(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(status=304)
    error = await caught(door.get(f"{site.origin}/a", referer=f"{site.origin}/"))
    assert isinstance(error, HttpStatus)
    assert error.status == 304


async def test_a_compressed_document_is_unpacked(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(gzip.compress(b"hello"), Content_Encoding="gzip")
    assert (await door.get(f"{site.origin}/a")).body == b"hello"


async def test_a_decompression_bomb_is_stopped_at_the_cap(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(gzip.compress(bytes(200_000_000)), Content_Encoding="gzip")
    assert isinstance(await caught(door.get(f"{site.origin}/a", max_bytes=300_000)), TooLarge)


@pytest.mark.parametrize(
    ("body", "coding", "kind"),
    [(b"x", "br", Malformed), (b"not gzip", "gzip", Malformed), (gzip.compress(b"hello")[:-4], "gzip", CutShort)],
    ids=["unknown", "nonsense", "cut short"],
)
async def test_a_broken_coding_is_named(
    site: Site, door: FetchClient, body: bytes, coding: str, kind: type[FetchError]
) -> None:
    site.routes["/a"] = reply(body, Content_Encoding=coding)
    assert type(await caught(door.get(f"{site.origin}/a"))) is kind


async def test_a_document_that_breaks_off_is_not_taken_for_whole(site: Site, door: FetchClient) -> None:
    """Research 3.1 rows 10 and 11: half a listing must not look like the end of it."""
    site.routes["/a"] = reply(b"<html>half", length=1000)
    error = await caught(door.get(f"{site.origin}/a"))
    assert isinstance(error, CutShort)
    assert (error.received, error.expected, error.retryable) == (10, 1000, True)


@pytest.mark.parametrize("announced", [True, False])
async def test_a_body_at_the_cap_passes_and_one_byte_more_does_not(
    site: Site, door: FetchClient, announced: bool
) -> None:
    """CP-1, CP-2, for documents and files."""

    async def chunked(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + IMAGE[:100] + b"\r\n0\r\n\r\n")

    site.routes["/a"] = reply(IMAGE[:100]) if announced else chunked
    url = f"{site.origin}/a"
    assert (await door.get(url, max_bytes=100)).body == IMAGE[:100]
    assert (await download(door, url, 100))[0] == IMAGE[:100]
    assert isinstance(await caught(door.get(url, max_bytes=99)), TooLarge)
    assert isinstance(await caught(download(door, url, 99)), TooLarge)


async def test_nothing_is_read_beyond_the_cap(site: Site, door: FetchClient) -> None:
    """CP-2: an endless body ends with the connection, not with the memory."""
    ended = asyncio.Event()

    async def endless(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        try:
            while True:
                writer.write(IMAGE)
                await writer.drain()
        finally:
            ended.set()

    site.routes["/a"] = endless
    sink = Memory()
    assert isinstance(await caught(door.download(f"{site.origin}/a", sink, max_bytes=1_000_000)), TooLarge)
    assert len(sink.held) <= 1_000_000
    async with asyncio.timeout(5):
        await ended.wait()


# Statuses.


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (401, Denied, False),
        (403, Denied, False),
        (404, Gone, False),
        (410, Gone, False),
        (418, HttpStatus, False),
        (408, HttpStatus, True),
        (500, HttpStatus, True),
        (503, HttpStatus, True),
        (302, HttpStatus, False),
    ],
)
async def test_a_bad_status_is_an_error_that_names_the_address(
    site: Site, door: FetchClient, status: int, kind: type[HttpStatus], retryable: bool
) -> None:
    """CP-4; research 3.2 rows 26 and 27: an expired address is told from a missing one."""
    site.routes["/a"] = reply(b"oops", status)
    for work in (door.get(f"{site.origin}/a?key=1"), download(door, f"{site.origin}/a?key=1")):
        error = await caught(work)
        assert type(error) is kind
        assert isinstance(error, HttpStatus)
        assert (error.status, error.retryable) == (status, retryable)
        assert f"{site.origin}/a" in str(error)
        assert "key=1" not in str(error)


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"Retry_After": "120"}, 120),
        ({"Retry_After": "Sun, 01 Mar 2026 12:03:00 GMT"}, 180),
        ({"Retry_After": "99999999"}, 3600),
        ({}, 60),
    ],
)
@pytest.mark.parametrize("status", [429, 503])
async def test_a_host_that_asks_for_a_pause_gets_it(
    site: Site, door: FetchClient, status: int, headers: dict[str, str], pause: int
) -> None:
    """Research 3.1 row 5: honoured in both forms, bounded, and for every request to that host, at once."""
    site.routes["/a"] = reply(b"slow down", status, **headers)
    error = await caught(door.get(f"{site.origin}/a"))
    if status == 503 and not headers:
        assert type(error) is HttpStatus
        return
    assert isinstance(error, RateLimited)
    assert (error.retry_after, error.retryable) == (pause, True)
    again = await caught(download(door, f"{site.origin}/other"))
    assert isinstance(again, RateLimited)
    assert again.retry_after == pytest.approx(pause, abs=2)
    assert site.paths == ["/a"]


async def test_a_server_error_with_a_pause_tells_the_caller_only(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(b"", 500, Retry_After="7")
    site.routes["/b"] = reply(b"fine")
    assert (await caught(door.get(f"{site.origin}/a"))).retry_after == 7
    assert (await door.get(f"{site.origin}/b")).body == b"fine"


# Pages in place of what was asked for.


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("status", [200, 403, 429, 503])
async def test_a_bot_check_is_named_whatever_its_status(
    site: Site, door: FetchClient, status: int, packed: bool
) -> None:
    """Research 3.1 row 7: not "not found", and not worth another try at once."""
    site.routes["/a"] = (
        reply(gzip.compress(CHALLENGE), status, Content_Encoding="gzip") if packed else reply(CHALLENGE, status)
    )
    for work in (door.get(f"{site.origin}/a"), download(door, f"{site.origin}/a")):
        error = await caught(work)
        assert isinstance(error, UnexpectedHtml)
        assert (error.kind, error.retryable) == ("challenge", False)


async def test_a_bot_check_in_a_header_is_enough(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(b"", 403, cf_mitigated="challenge")
    error = await caught(door.get(f"{site.origin}/a"))
    assert isinstance(error, UnexpectedHtml)
    assert error.kind == "challenge"


async def test_a_large_error_page_is_still_named(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(CHALLENGE + b" " * 1_000_000, 403)
    error = await caught(door.get(f"{site.origin}/a"))
    assert isinstance(error, UnexpectedHtml)


@pytest.mark.parametrize("status", [401, 403])
async def test_a_sign_in_form_behind_a_denial_is_named(site: Site, door: FetchClient, status: int) -> None:
    site.routes["/a"] = reply(LOGIN, status)
    error = await caught(door.get(f"{site.origin}/a"))
    assert isinstance(error, UnexpectedHtml)
    assert error.kind == "login"


async def test_a_redirect_to_a_sign_in_is_a_login_not_an_empty_list(site: Site, door: FetchClient) -> None:
    """Research 3.1 row 1: it is not even followed."""
    site.routes["/creator"] = reply(status=302, Location="/login?next=/creator")
    site.routes["/login"] = reply(LOGIN)
    error = await caught(door.get(f"{site.origin}/creator"))
    assert isinstance(error, UnexpectedHtml)
    assert error.kind == "login"
    assert site.paths == ["/creator"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [(LOGIN, "login"), (CHALLENGE, "challenge"), (b"<html>Not here", "page"), (b"\xef\xbb\xbf\n<!-- x --><p>", "page")],
)
async def test_a_page_served_as_an_image_is_named_and_not_kept(
    site: Site, door: FetchClient, body: bytes, kind: str
) -> None:
    """CP-5, research 3.2 row 20."""
    site.routes["/1.jpg"] = reply(body, Content_Type="image/jpeg")
    sink = Memory()
    error = await caught(door.download(f"{site.origin}/1.jpg", sink, max_bytes=1_000_000))
    assert isinstance(error, UnexpectedHtml)
    assert error.kind == kind
    assert not sink.held


async def test_a_page_that_breaks_off_is_not_asked_for_again(site: Site, door: FetchClient) -> None:
    site.routes["/1.jpg"] = reply(LOGIN, length=5000)
    error = await caught(download(door, f"{site.origin}/1.jpg"))
    assert isinstance(error, UnexpectedHtml)
    assert error.kind == "login"
    assert len(site.requests) == 1


async def test_an_image_served_as_a_page_is_an_image(site: Site, door: FetchClient) -> None:
    """Spec 6.8: Content-Type is not trusted, either way."""
    site.routes["/1.jpg"] = reply(IMAGE, Content_Type="text/html")
    assert (await download(door, f"{site.origin}/1.jpg"))[0] == IMAGE


async def test_a_stand_in_for_a_removed_picture_is_not_the_picture(site: Site, door: FetchClient) -> None:
    """Research 3.2 row 21."""
    site.routes["/1.jpg"] = reply(status=302, Location="/img/removed.png")
    site.routes["/img/removed.png"] = reply(IMAGE)
    assert isinstance(await caught(download(door, f"{site.origin}/1.jpg")), Placeholder)


async def test_zero_bytes_are_not_a_file(site: Site, door: FetchClient) -> None:
    """Research 3.2 row 24."""
    site.routes["/1.jpg"] = reply(b"")
    site.routes["/2.jpg"] = reply(status=204)
    assert isinstance(await caught(download(door, f"{site.origin}/1.jpg")), EmptyBody)
    assert isinstance(await caught(download(door, f"{site.origin}/2.jpg")), HttpStatus)


# Bodies that break off.


def resuming(etag: str = '"v1"', cuts: int = 1, reset: bool = False) -> Answer:
    """A server that breaks off `cuts` times and honours ranges."""
    left = cuts

    async def answer(request: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal left
        start = int(request.headers.get("Range", "bytes=0-")[6:-1])
        rest = IMAGE[start:]
        partial = (
            {"Content_Range": f"bytes {start}-{len(IMAGE) - 1}/{len(IMAGE)}"} if "Range" in request.headers else {}
        )
        head = reply(b"", 206 if partial else 200, len(rest), ETag=etag, **partial)
        if not left:
            writer.write(head + rest)
            return
        left -= 1
        writer.write(head + rest[:90_000])
        await writer.drain()
        if reset:
            raw = writer.get_extra_info("socket")
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        raise ConnectionResetError

    return answer


@pytest.mark.parametrize(("cuts", "reset"), [(1, False), (3, False), (1, True)])
async def test_a_body_that_breaks_off_goes_on_where_it_stopped(
    site: Site, door: FetchClient, cuts: int, reset: bool
) -> None:
    """Research 3.2 row 22."""
    site.routes["/1.jpg"] = resuming(cuts=cuts, reset=reset)
    body, resumes = await download(door, f"{site.origin}/1.jpg")
    assert body == IMAGE
    assert resumes == cuts
    asked = site.requests[1].headers
    assert asked["If-Range"] == '"v1"'
    assert int(asked["Range"][6:-1]) <= 90_000
    assert asked["Accept-Encoding"] == "identity"


async def test_a_whole_answer_to_a_range_is_not_appended(site: Site, door: FetchClient) -> None:
    """Research 3.2 row 23."""
    site.routes["/1.jpg"] = [reply(IMAGE[:1000], length=len(IMAGE), ETag='"v1"'), reply(IMAGE, ETag='"v2"')]
    sink = Memory()
    await door.download(f"{site.origin}/1.jpg", sink, max_bytes=10_000_000)
    assert bytes(sink.held) == IMAGE
    assert sink.restarts == 1


async def test_a_wrong_part_is_refused(site: Site, door: FetchClient) -> None:
    """Research 3.2 row 23."""
    part = reply(IMAGE, 206, Content_Range=f"bytes 0-{len(IMAGE) - 1}/{len(IMAGE)}")
    site.routes["/1.jpg"] = [reply(IMAGE[:1000], length=len(IMAGE), ETag='"v1"'), part]
    assert isinstance(await caught(download(door, f"{site.origin}/1.jpg")), Malformed)


async def test_a_file_without_a_validator_comes_again_from_the_start(site: Site, door: FetchClient) -> None:
    site.routes["/1.jpg"] = [reply(IMAGE[:1000], length=len(IMAGE)), reply(IMAGE)]
    assert (await download(door, f"{site.origin}/1.jpg"))[0] == IMAGE
    assert "Range" not in site.requests[1].headers


async def test_a_range_that_the_server_no_longer_has_starts_over(site: Site, door: FetchClient) -> None:
    site.routes["/1.jpg"] = [
        reply(IMAGE[:1000], length=len(IMAGE), ETag='"v1"'),
        reply(b"", 416),
        reply(IMAGE[:500], ETag='"v2"'),
    ]
    assert (await download(door, f"{site.origin}/1.jpg"))[0] == IMAGE[:500]
    assert "Range" not in site.requests[2].headers


async def test_a_file_that_always_breaks_off_is_given_up(site: Site, door: FetchClient) -> None:
    """Bounded (PatreonDownloader's retry count began anew each time); what arrived is never called whole."""
    site.routes["/1.jpg"] = reply(IMAGE[:1000], length=len(IMAGE))
    error = await caught(download(door, f"{site.origin}/1.jpg"))
    assert isinstance(error, CutShort)
    assert (error.received, error.expected, error.retryable) == (1000, len(IMAGE), True)
    assert len(site.requests) == 1 + RESUMES


async def test_a_chunked_body_that_breaks_off_is_noticed(site: Site, door: FetchClient) -> None:
    broken = False

    async def break_once(request: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal broken
        if broken:
            writer.write(reply(IMAGE))
            return
        broken = True
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\n" + IMAGE[:100] + b"\r\n")
        await writer.drain()
        raise ConnectionResetError

    site.routes["/1.jpg"] = break_once
    assert await download(door, f"{site.origin}/1.jpg") == (IMAGE, 1)


async def test_a_failing_sink_ends_the_download_with_its_own_error(site: Site, door: FetchClient) -> None:
    """A full disk is not the server's fault and is not resumed."""

    class Full(Memory):
        def write(self, chunk: bytes) -> None:
            raise OSError(28, "No space left on device")

    site.routes["/1.jpg"] = reply(IMAGE)
    with pytest.raises(OSError, match="No space left"):
        await door.download(f"{site.origin}/1.jpg", Full(), max_bytes=10_000_000)
    assert len(site.requests) == 1


# Slow, absent and senseless servers.


async def silence(request: Request, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(60)


async def drip(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(reply(IMAGE[:1], length=len(IMAGE), ETag='"v1"'))
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize(
    ("behaviour", "limits", "requests"),
    [
        (silence, Limits(read=0.1), 1),
        (drip, Limits(total=0.2), 1 + RESUMES),
        (drip, Limits(read=0.2), 1 + RESUMES),
    ],
    ids=["no answer", "steady drip", "hardly anything"],
)
async def test_a_slow_server_is_left(site: Site, behaviour: Answer, limits: Limits, requests: int) -> None:
    site.routes["/1.jpg"] = behaviour
    async with asyncio.timeout(20), opened(site.origin, limits=limits) as door:
        error = await caught(download(door, f"{site.origin}/1.jpg"))
    assert isinstance(error, TimedOut)
    assert error.retryable
    assert len(site.requests) <= requests


async def test_a_document_that_hardly_comes_is_left(site: Site) -> None:
    site.routes["/"] = drip
    async with asyncio.timeout(20), opened(site.origin, limits=Limits(read=0.2)) as door:
        assert isinstance(await caught(door.get(f"{site.origin}/")), TimedOut)


async def test_a_slow_body_that_keeps_coming_may_take_its_time(site: Site) -> None:
    async def slow(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"", length=len(IMAGE)))
        for start in range(0, len(IMAGE), 32_768):
            writer.write(IMAGE[start : start + 32_768])
            await writer.drain()
            await asyncio.sleep(0.1)

    site.routes["/1.jpg"] = slow
    async with opened(site.origin, limits=Limits(read=0.5)) as door:
        assert await download(door, f"{site.origin}/1.jpg") == (IMAGE, 0)


async def test_a_stalled_body_is_resumed(site: Site) -> None:
    stalled = False

    async def stall_once(request: Request, writer: asyncio.StreamWriter) -> None:
        nonlocal stalled
        if stalled:
            await resuming(cuts=0)(request, writer)
            return
        stalled = True
        writer.write(reply(IMAGE[:1000], length=len(IMAGE), ETag='"v1"'))
        await writer.drain()
        await asyncio.sleep(60)

    site.routes["/1.jpg"] = stall_once
    async with opened(site.origin, limits=Limits(read=0.1)) as door:
        assert await download(door, f"{site.origin}/1.jpg") == (IMAGE, 1)


# What people read when nothing answers: each failure by its own name, and no word of the library's.


def in_plain_words(error: FetchError, cause: str, *words: str) -> None:
    assert isinstance(error, Unreachable)
    assert error.cause == cause
    text = str(error)
    for word in (error.url, *words):
        assert word in text
    for foreign in ("Cannot connect", "Errno", "ssl:", "_ssl.c", "Connect call", "Error("):
        assert foreign not in text


async def test_a_closed_port_is_said_to_have_nobody_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{free.getsockname()[1]}"
        async with opened(origin) as door:
            error = await caught(door.get(f"{origin}/a"))
    in_plain_words(error, "nobody_there", "nothing answers there", "Check the address")
    assert error.retryable


class NoNames(AbstractResolver):
    """A look-up that fails as the system's does."""

    def __init__(self, number: int) -> None:
        self.number = number

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        raise socket.gaierror(self.number, "in the words of the system")

    async def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("number", "cause", "words"),
    [
        (socket.EAI_NONAME, "unknown_name", "no site of this name"),
        (socket.EAI_AGAIN, "no_name_server", "no name server answers"),
    ],
)
async def test_an_unknown_name_is_told_from_a_missing_name_server(number: int, cause: str, words: str) -> None:
    async with opened(names=NoNames(number)) as door:
        error = await caught(door.get("http://nowhere.example/"))
    in_plain_words(error, cause, words)
    assert "in the words of the system" not in str(error)
    assert error.retryable


async def test_a_site_that_hangs_up_is_named(site: Site, door: FetchClient) -> None:
    async def hang_up(_: Request, writer: asyncio.StreamWriter) -> None:
        writer.close()
        raise ConnectionError

    site.routes["/a"] = hang_up
    in_plain_words(await caught(door.get(f"{site.origin}/a")), "hung_up", "broke before an answer")


@pytest.mark.parametrize(
    ("number", "cause"),
    [(errno.ENETUNREACH, "no_way"), (errno.EHOSTUNREACH, "no_way"), (errno.ECONNRESET, "hung_up")],
)
def test_what_the_system_says_of_a_connection_is_told_apart(number: int, cause: str) -> None:
    """No network of ours to be cut off from, so the library's error is made by hand."""
    key = aiohttp.client_reqrep.ConnectionKey("a", 80, False, True, None, None, None, False)
    raised = aiohttp.ClientConnectorError(key, OSError(number, "Connect call failed"))
    in_plain_words(wire.unanswered(raised, "http://a/"), cause)


async def test_tls_that_fails_is_not_worth_another_try() -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(b"this is not TLS", 400))

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    origin = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, opened(origin) as door:
        error = await caught(door.get(f"{origin}/a"))
    in_plain_words(error, "tls", "(wrong version number)", "http://")
    assert not error.retryable


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs `openssl` to make a certificate")
async def test_a_certificate_that_nobody_vouches_for_is_named_with_its_fault(tmp_path: Path) -> None:
    made = await asyncio.create_subprocess_exec(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=x",
        "-keyout", tmp_path / "key.pem", "-out", tmp_path / "certificate.pem", stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert await made.wait() == 0
    ours = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    ours.load_cert_chain(tmp_path / "certificate.pem", tmp_path / "key.pem")
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=ours)
    origin = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server, opened(origin) as door:
        error = await caught(door.get(f"{origin}/a"))
    in_plain_words(error, "certificate", "(self-signed certificate)", "Nothing was fetched")
    assert not error.retryable


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-OpenSSH_9.0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
    ids=["not HTTP", "two lengths", "endless header"],
)
async def test_an_answer_that_is_not_http_is_named(site: Site, door: FetchClient, answer: bytes) -> None:
    site.routes["/a"] = answer
    error = await caught(door.get(f"{site.origin}/a"))
    assert isinstance(error, Malformed)
    assert str(error).isprintable()
    assert "makes no sense" in str(error)


@pytest.mark.parametrize("host", ["a..b", "x" * 64 + ".example"])
async def test_a_name_that_cannot_exist_is_unreachable(host: str) -> None:
    """The system's look-up refuses these before any network."""
    async with opened() as door:
        error = await caught(door.get(f"http://{host}/"))
    in_plain_words(error, "impossible_name", "no site can have this name")
    assert not error.retryable


async def test_no_answer_whatever_breaks_the_door(site: Site, door: FetchClient) -> None:
    """Every byte from outside is hostile: mangled answers end in a result or a typed error, never in anything else."""
    dice = random.Random(20260301)
    models = [
        reply(IMAGE[:300], ETag='"v1"', Last_Modified="Sun, 01 Mar 2026 12:00:00 GMT"),
        reply(gzip.compress(b"<html>" * 50), Content_Encoding="gzip", Content_Type="text/html; charset=utf-8"),
        reply(IMAGE[:300], 206, Content_Range="bytes 0-299/300"),
        reply(b"", 302, Location="/elsewhere?a=b"),
        reply(LOGIN, 403, Retry_After="Sun, 01 Mar 2026 12:00:00 GMT"),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n\xff\xd8\xff12\r\n0\r\n\r\n",
    ]

    async def mangled(request: Request, writer: asyncio.StreamWriter) -> None:
        answer = bytearray(dice.choice(models))
        for _ in range(dice.randint(1, 6)):
            at = dice.randrange(len(answer))
            answer[at : at + dice.randint(0, 3)] = dice.randbytes(dice.randint(0, 3))
        writer.write(bytes(answer))
        await writer.drain()
        raise ConnectionResetError

    site.routes["/a"] = mangled
    fetched, refusals = 0, []
    for _ in range(150):
        for work in (door.get(f"{site.origin}/a", etag='"v1"'), download(door, f"{site.origin}/a", 1000)):
            try:
                await work
                fetched += 1
            except FetchError as error:
                refusals.append(str(error))
    assert fetched > 10
    assert len(set(refusals)) > 10
    assert all(text.isprintable() for text in refusals)


# Redirects and the guard, on the wire.


async def test_a_redirect_is_followed_to_its_end(site: Site, door: FetchClient) -> None:
    site.routes["/a"] = reply(status=301, Location="/b?x=%2F#y")
    site.routes["/b"] = reply(b"here")
    document = await door.get(f"{site.origin}/a")
    assert (document.url, document.body) == (f"{site.origin}/b?x=%2F", b"here")


async def test_a_loop_of_redirects_ends_after_ten_requests(site: Site, door: FetchClient) -> None:
    """RD-5, RD-6 on the wire; PatreonDownloader called itself without end."""
    site.routes["/a"] = reply(status=302, Location="/a")
    error = await caught(door.get(f"{site.origin}/a"))
    assert isinstance(error, Refused)
    assert error.rule == "TooManyHops"
    assert len(site.requests) == 10


@pytest.mark.parametrize(
    ("location", "rule"),
    [
        ("http://169.254.169.254/latest/meta-data/", "PrivateIp"),
        ("http://2130706433:{port}/", "PrivateIp"),
        ("http://127.0.0.1:{port}/", "PrivateIp"),
        ("//127.0.0.1:{port}/", "PrivateIp"),
        ("http://localhost:{port}/", "Loopback"),
        ("http://[::ffff:127.0.0.1]:{port}/", "PrivateIp"),
        ("file:///etc/passwd", "BadScheme"),
        ("http://[", "Unparseable"),
        ("\xff\xfe", None),
    ],
)
async def test_a_redirect_into_the_private_net_is_refused_and_not_sent(
    site: Site, door: FetchClient, location: str, rule: str | None
) -> None:
    """RD-2, RD-4, and DESIGN ruling 21: the victim is a second site on loopback."""
    async with serving() as victim:
        port = victim.origin.rpartition(":")[2]
        site.routes["/a"] = reply(status=302, Location=location.format(port=port))
        error = await caught(download(door, f"{site.origin}/a"))
    assert victim.connections == 0
    if rule is not None:
        assert isinstance(error, Refused)
        assert (error.rule, error.hop) == (rule, 1)


async def test_a_redirect_between_two_named_origins_is_refused(site: Site) -> None:
    """DESIGN ruling 21: from that same origin only."""
    async with serving() as other, opened(site.origin, other.origin) as door:
        site.routes["/a"] = reply(status=302, Location=f"{other.origin}/x")
        error = await caught(door.get(f"{site.origin}/a"))
        assert isinstance(error, Refused)
        assert other.connections == 0


async def test_a_redirect_to_an_unlisted_host_is_refused(site: Site, door: FetchClient) -> None:
    """RD-3."""
    site.routes["/a"] = reply(status=302, Location="https://evil.example.org/x")
    error = await caught(door.get(f"{site.origin}/a", allow=AllowList.of("127.0.0.1")))
    assert isinstance(error, Refused)
    assert error.rule == "HostNotAllowed"


async def test_files_come_only_from_listed_hosts_when_hosts_are_listed(site: Site) -> None:
    """Spec 6.1: one list for the address and for its redirects; the referring page's host needs no entry."""
    settings = Settings(private_origins=(site.origin,), fetch_rate_ms=0, fetch_allowed_hosts=("images.example",))
    site.routes["/1.jpg"] = reply(IMAGE)
    site.routes["/2.jpg"] = reply(status=302, Location="https://evil.example/2.jpg")
    page = f"{site.origin}/chapter"
    async with FetchClient(settings) as door:
        await door.download(f"{site.origin}/1.jpg", Memory(), max_bytes=10_000_000, referer=page)
        for url in (f"{site.origin}/2.jpg", "https://elsewhere.example/3.jpg"):
            error = await caught(door.download(url, Memory(), max_bytes=10_000_000, referer=page))
            assert isinstance(error, Refused)
            assert error.rule == "HostNotAllowed"


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://0x7f000001:{port}/"])
async def test_an_unsafe_address_is_refused_before_any_request(site: Site, url: str) -> None:
    """CP-3."""
    async with opened() as door:
        for work in (door.get, lambda url: download(door, url)):
            error = await caught(work(url.format(port=site.origin.rpartition(":")[2])))
            assert isinstance(error, Refused)
    assert site.connections == 0


async def test_a_name_that_leads_home_is_refused_by_name(site: Site) -> None:
    """DN-2 on the wire."""
    port = site.origin.rpartition(":")[2]
    async with opened(names=Names(**{"rebind.attacker": ["127.0.0.1", "169.254.169.254"]})) as door:
        error = await caught(door.get(f"http://rebind.attacker:{port}/"))
    assert isinstance(error, Refused)
    assert error.rule == "PrivateIp"
    assert "rebind.attacker: this address leads into a private network (127.0.0.1, 169.254.169.254)" in str(error)
    assert "(rule PrivateIp)" in str(error)
    assert site.connections == 0


async def test_a_named_private_name_is_reached_with_its_own_host_header(site: Site) -> None:
    site.routes["/a"] = reply(b"inside")
    port = site.origin.rpartition(":")[2]
    origin = f"http://nas.internal:{port}"
    async with opened(origin, names=Names(**{"nas.internal": ["127.0.0.1"]})) as door:
        assert (await door.get(f"{origin}/a")).body == b"inside"
        error = await caught(door.get(f"http://127.0.0.1:{port}/a"))
    assert site.requests[0].headers["Host"] == f"nas.internal:{port}"
    assert isinstance(error, Refused)


async def test_a_socket_to_a_private_address_is_not_even_made(site: Site) -> None:
    """The last line: should an address literal ever pass the guard, where no resolver is asked."""
    async with opened() as door:
        with pytest.raises(aiohttp.ClientConnectorError, match="private address") as caught:
            await door._public.get(f"{site.origin}/a")
    assert site.connections == 0
    told = wire.unanswered(caught.value, f"{site.origin}/a")
    assert isinstance(told, Refused)
    assert "private network (127.0.0.1)" in str(told)


def test_the_http_library_must_see_the_host_that_was_judged() -> None:
    """Two parsers that read one address differently are the classic way around such a guard."""
    judged = Target("http://127.0.0.1/", "http://example.com", "example.com", named=False)
    with pytest.raises(Refused, match="Unparseable"):
        client._as_sent(judged)


# Use.


async def test_connections_are_kept_and_shared(site: Site, door: FetchClient) -> None:
    site.routes["/1.jpg"] = reply(IMAGE)
    for _ in range(5):
        await download(door, f"{site.origin}/1.jpg")
    assert site.connections == 1
    bodies = await asyncio.gather(*(download(door, f"{site.origin}/1.jpg?{index}") for index in range(40)))
    assert all(body == IMAGE for body, _ in bodies)
    assert site.connections <= 16


async def test_a_cancelled_download_frees_its_connection(site: Site, door: FetchClient) -> None:
    asked = asyncio.Event()

    async def hang(request: Request, writer: asyncio.StreamWriter) -> None:
        asked.set()
        await silence(request, writer)

    site.routes["/1.jpg"] = hang
    site.routes["/2.jpg"] = reply(IMAGE)
    task = asyncio.ensure_future(download(door, f"{site.origin}/1.jpg"))
    await asked.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    bodies = await asyncio.gather(*(download(door, f"{site.origin}/2.jpg?{index}") for index in range(20)))
    assert len(bodies) == 20
