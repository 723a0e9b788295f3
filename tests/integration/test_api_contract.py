"""The API keeps the word of its document, and a hot route costs one statement."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import asyncpg
import msgspec
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from tests.support.web import SAME_ORIGIN, Browser, Site, a_chapter, a_work, own_database, serving

from orihon.accounts.sessions import COOKIE
from orihon.api import openapi
from orihon.db.embedded import EmbeddedPostgres

pytestmark = pytest.mark.anyio

EXAMPLES = 8

ENDLESS = "/api/v1/events"
REACHES_OUT = "/api/v1/sources/check"


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture(scope="module")
async def admin(site: Site) -> Browser:
    return await site.person("admin", admin=True)


def token(browser: Browser) -> str:
    return next(cookie.value for cookie in browser.session.cookie_jar if cookie.key == COOKIE)


DOCUMENT = msgspec.json.decode(openapi.document())
OPERATIONS = sorted(
    (path, method)
    for path, operations in DOCUMENT["paths"].items()
    for method in operations
    if path not in {ENDLESS, REACHES_OUT}
)


@pytest.mark.parametrize(("path", "method"), OPERATIONS, ids=lambda part: part)
async def test_every_answer_is_one_that_the_document_knows(site: Site, admin: Browser, path: str, method: str) -> None:
    operation = schemathesis.openapi.from_dict(DOCUMENT)[path][method.upper()]
    # Signing out would end everybody's session.
    cookies = {} if path.endswith("/logout") else {COOKIE: token(admin)}

    @given(case=operation.as_strategy())
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    def keeps_its_word(case: schemathesis.Case) -> None:
        answer = case.call(base_url=site.origin, headers=dict(SAME_ORIGIN), cookies=cookies)
        case.validate_response(
            answer,
            checks=[
                not_a_server_error,
                status_code_conformance,
                content_type_conformance,
                response_schema_conformance,
                response_headers_conformance,
                unsupported_method,
            ],
        )

    def run() -> str:
        # The library's groups of failures are no plain exceptions, which the event loop would not survive.
        try:
            keeps_its_word()
        except BaseExceptionGroup as group:
            return "\n".join(str(failure) for failure in group.exceptions)
        return ""

    assert await asyncio.to_thread(run) == ""


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/mangas?limit=2", "/api/v1/auth/me", "/api/v1/jobs/counts", "/api/v1/sources", "/api/v1/health",
        "/healthz", "/openapi.json", "/docs", "/api/v1/nothing", "/api/v1/mangas?sort=size", ENDLESS,
    ],
)  # fmt: skip
async def test_head_has_the_headers_of_get_and_no_body(site: Site, admin: Browser, path: str) -> None:
    """RFC 9110 section 9.3.2; the length of a stream is not known, and asking for its head must end."""
    head = await admin.ask("HEAD", path)
    assert head.body == b""
    if path == ENDLESS:
        assert (head.status, head.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")
        return
    answer = await admin.get(path)
    assert head.status == answer.status
    assert set(head.headers) == set(answer.headers)
    for name in ("Content-Type", "Content-Length", "Cache-Control", "ETag"):
        assert head.headers.get(name) == answer.headers.get(name), name


async def test_a_connection_goes_on_after_head(site: Site) -> None:
    """A body that came along would be read as the next answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(site.origin).port)
    for path in ("/api/v1/mangas", "/docs"):
        writer.write(f"HEAD {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    answers = (await reader.read()).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"200"] * 3
    assert [answer.partition(b"\r\n\r\n")[2] for answer in answers] == [b"", b"", b'{"status":"ok"}']
    writer.close()


@pytest.mark.parametrize(("method", "path"), [("DELETE", "/api/v1/mangas"), ("OPTIONS", "/api/v1/mangas")])
async def test_head_is_named_among_the_methods_that_are_taken(site: Site, method: str, path: str) -> None:
    allowed = (await site.browser().ask(method, path)).headers["Allow"]
    assert {"GET", "HEAD"} <= set(allowed.replace(",", " ").split())


BODIES = [(path, method) for path, method in OPERATIONS if "requestBody" in DOCUMENT["paths"][path][method]]


@pytest.mark.parametrize(("path", "method"), BODIES, ids=lambda part: part)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])
async def test_a_body_that_is_not_json_is_named(admin: Browser, path: str, method: str, kind: str) -> None:
    """Every route that reads a body, and its document says so."""
    answer = await admin.ask(
        method.upper(), path.format(source_id=UUID(int=1)), data=b"{}", headers={"Content-Type": kind}
    )
    assert (answer.status, answer.json["error"]["code"]) == (415, "unsupported_media_type")
    assert answer.headers["Accept"] == "application/json"
    assert "415" in DOCUMENT["paths"][path][method]["responses"]


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v2/mangas", "/api/", "/healthz/x"])
async def test_an_address_that_is_none_is_an_error_in_the_envelope(site: Site, path: str) -> None:
    answer = await site.browser().get(path)
    assert (answer.status, answer.json["error"]["code"]) == (404, "not_found")


async def test_a_method_that_is_not_taken_is_an_error_in_the_envelope(site: Site) -> None:
    answer = await site.browser().ask("DELETE", "/api/v1/mangas")
    assert (answer.status, answer.json["error"]["code"]) == (405, "method_not_allowed")
    assert "GET" in answer.headers["Allow"]


async def test_the_document_and_a_page_for_it_are_served(site: Site) -> None:
    guest = site.browser()
    assert (await guest.get("/openapi.json")).json == DOCUMENT
    page = await guest.get("/docs")
    assert (page.status, page.headers["Content-Type"].partition(";")[0]) == (200, "text/html")
    for shape in DOCUMENT["components"]["schemas"]:
        assert f'id="{shape}"' in page.body.decode()
    assert b"<script" not in page.body
    assert b"//" not in page.body.replace(b"://", b"")


@pytest.mark.parametrize(
    "path", ["/api/v1/mangas", "/api/v1/me/progress", "/api/v1/nothing", "/docs", "/api/v1/auth/me"]
)
async def test_nobody_guesses_a_type_or_keeps_an_answer_unasked(site: Site, path: str) -> None:
    headers = (await site.browser().get(path)).headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] in {"private, no-cache", "no-store"}


# --- statements -----------------------------------------------------------------------------------------------------


class Statements:
    """What a pool of one connection was asked."""

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]") -> None:
        self._pool = pool
        self.seen: list[str] = []

    async def __aenter__(self) -> "Statements":
        held = [await self._pool.acquire() for _ in range(self._pool.get_max_size())]
        for connection in held:
            connection.add_query_logger(self._note)
        for connection in held:
            await self._pool.release(connection)
        self.seen.clear()
        return self

    async def __aexit__(self, *_: object) -> None:
        held = [await self._pool.acquire() for _ in range(self._pool.get_max_size())]
        for connection in held:
            connection.remove_query_logger(self._note)
            await self._pool.release(connection)

    def _note(self, record: Any) -> None:
        if not record.query.startswith(("SELECT pg_advisory_unlock_all", "BEGIN", "COMMIT")):
            self.seen.append(record.query)


@pytest.fixture(scope="module")
async def chapter(site: Site) -> tuple[UUID, UUID]:
    work_id = await a_work(site.pool, "Counted")
    return work_id, await a_chapter(site.pool, work_id, 1)


@pytest.mark.parametrize(
    ("path", "most"),
    [
        ("/api/v1/mangas?limit=3", 2),  # the page and the total
        ("/api/v1/mangas?offset=1", 1),
        ("/api/v1/mangas?search=counted", 1),
        ("/api/v1/mangas/{work}", 1),
        ("/api/v1/mangas/{work}/chapters", 1),
        ("/api/v1/mangas/{work}/chapters/{chapter}", 1),
        ("/api/v1/mangas/{work}/chapters/{chapter}/pages", 1),
        ("/api/v1/me/progress", 1),
        ("/api/v1/me/progress?latest=true", 1),
        ("/api/v1/auth/me", 0),
        ("/api/v1/sources", 2),
        ("/api/v1/jobs/counts", 1),
    ],
)
async def test_a_read_costs_one_statement(
    site: Site, admin: Browser, chapter: tuple[UUID, UUID], path: str, most: int
) -> None:
    await admin.get("/api/v1/auth/me")
    await asyncio.sleep(0)
    async with Statements(site.pool) as statements:
        answer = await admin.get(path.format(work=chapter[0], chapter=chapter[1]))
    assert answer.status == 200
    assert len(statements.seen) == most, statements.seen


async def test_a_list_that_is_held_costs_nothing(site: Site, admin: Browser) -> None:
    await admin.get("/api/v1/mangas?limit=9")
    async with Statements(site.pool) as statements:
        await admin.get("/api/v1/mangas?limit=9")
    assert statements.seen == []
