"""Bodies that come slowly, by half, or nested without end."""

import asyncio
from collections.abc import AsyncIterator
from urllib.parse import urlsplit

import pytest
import structlog
from structlog.testing import capture_logs
from tests.support.web import Browser, Site, own_database, serving

from orihon.api import errors, gate
from orihon.db.embedded import EmbeddedPostgres

pytestmark = pytest.mark.anyio

LOGIN = "/api/v1/auth/login"
HALF = (
    b"POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n"
    b'Content-Length: 1000\r\n\r\n{"username":'
)


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture
async def guest(site: Site) -> Browser:
    return site.browser()


async def half_sent(site: Site) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(site.origin).port)
    writer.write(HALF)
    await writer.drain()
    return reader, writer


@pytest.mark.parametrize("body", [b"[" * 100_000, b'{"a":' * 100_000])
async def test_a_body_nested_without_end_is_bad_input(guest: Browser, body: bytes) -> None:
    answer = await guest.ask("POST", LOGIN, data=body, headers={"Content-Type": "application/json"})
    assert (answer.status, answer.json["error"]["code"]) == (400, "invalid_input")


async def test_a_client_that_leaves_in_the_middle_of_its_body_is_no_error_of_the_server(
    site: Site, guest: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "log", structlog.get_logger("test"))
    with capture_logs() as logged:
        for _ in range(3):
            _, writer = await half_sent(site)
            await asyncio.sleep(0.1)
            writer.close()
        await asyncio.sleep(0.3)
        assert (await guest.get("/healthz")).status == 200
    assert [entry for entry in logged if entry["log_level"] == "error"] == []


async def test_a_body_that_does_not_come_is_not_waited_for_for_ever(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "BODY_PATIENCE", 0.3)
    reader, writer = await half_sent(site)
    async with asyncio.timeout(5):
        assert (await reader.readline()).startswith(b"HTTP/1.1 408")
        await reader.read()  # until the server closes the connection
    writer.close()


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b"", 422, "empty"),
        (b"   ", 400, "ends"),
        (b"[]", 422, "object"),
        (b"null", 422, "object"),
        (b'"x"', 422, "object"),
        (b'{"username": "a"', 400, "ends"),
        (b"username=a&password=b", 400, "JSON"),
        (b"\xff\xfe", 400, "JSON"),
    ],
    ids=["empty", "blank", "list", "null", "text", "cut", "form", "no text"],
)
async def test_a_body_that_is_no_object_is_told_what_it_is(
    guest: Browser, body: bytes, status: int, words: str
) -> None:
    answer = await guest.ask("POST", LOGIN, data=body, headers={"Content-Type": "application/json"})
    assert answer.status == status
    assert words in answer.json["error"]["details"]["body"]
