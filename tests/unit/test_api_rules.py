"""The pure rules of the API: conditions and ranges, origins, what the web app may load, which right a route needs."""

import subprocess
import sys
from pathlib import Path

import pytest
from litestar.handlers import HTTPRouteHandler

from orihon.api import framework, openapi
from orihon.api.conditional import matches, span
from orihon.api.errors import ApiError, Code, envelope
from orihon.api.origin import same_site
from orihon.api.params import choice
from orihon.api.rights import RIGHTS, administrator, anyone, signed_in
from orihon.api.webapp import content_security_policy
from orihon.config import Settings

DOCUMENT = Path(__file__).parents[2] / "docs" / "openapi.json"


def test_the_document_in_the_repository_is_that_of_the_code() -> None:
    assert DOCUMENT.read_text() == openapi.document(), "Run `python -m orihon.api.openapi > docs/openapi.json`."


def test_the_document_does_not_change_from_run_to_run() -> None:
    made = subprocess.run([sys.executable, "-m", "orihon.api.openapi"], capture_output=True, check=True, text=True)
    assert made.stdout == DOCUMENT.read_text()


OF_THE_DOCUMENT = {"/", "/{path:str}", "/docs", "/openapi.json"}
"""What the framework adds to serve the document."""


def handlers() -> list[tuple[str, HTTPRouteHandler]]:
    return [
        (route.path, handler)
        for route in framework.make(None).routes
        for handler in getattr(route, "route_handlers", [])
        if isinstance(handler, HTTPRouteHandler) and route.path not in OF_THE_DOCUMENT
    ]


def test_every_route_states_exactly_one_right() -> None:
    assert len(handlers()) > 20
    for path, handler in handlers():
        if handler.http_methods == {"OPTIONS"}:
            continue
        stated = [guard for guard in handler.guards or () if guard in RIGHTS]
        assert len(stated) == 1, (path, handler.http_methods)


def test_what_changes_the_place_is_for_administrators() -> None:
    """A change is for administrators unless it is one of a few that are named here."""
    open_to_all = {
        ("/api/v1/auth/login", anyone),
        ("/api/v1/auth/logout", anyone),
        ("/api/v1/mangas/{work_id:uuid}/chapters/{chapter_id:uuid}/fetch", anyone),
        ("/api/v1/me/progress", signed_in),
    }
    found = set()
    for path, handler in handlers():
        if handler.http_methods & {"POST", "PUT", "PATCH", "DELETE"}:
            (right,) = [guard for guard in handler.guards or () if guard in RIGHTS]
            if right is not administrator:
                found.add((path, right))
    assert found == open_to_all


@pytest.mark.parametrize(
    ("held", "fresh"),
    [(None, False), ('"a"', True), ('W/"a"', True), ('"b", "a"', True), ("*", True), ('"ab"', False), ("", False)],
)
def test_a_tag_is_compared_whole(held: str | None, fresh: bool) -> None:
    assert matches(held, '"a"') is fresh


@pytest.mark.parametrize(
    ("asked", "got"),
    [
        (None, None),
        ("bytes=0-0", (0, 0)),
        ("bytes=5-", (5, 9)),
        ("bytes=-3", (7, 9)),
        ("bytes=-30", (0, 9)),
        ("bytes=9-99", (9, 9)),
        (" bytes= 1 - 2 ", (1, 2)),
        ("bytes=10-", "unsatisfiable"),
        ("bytes=-0", "unsatisfiable"),
        ("bytes=3-2", None),
        ("bytes=-", None),
        ("bytes=1-2,4-5", None),
        ("bytes=٣-", None),
        ("items=1-2", None),
    ],
)
def test_a_range_is_one_span_or_the_whole(asked: str | None, got: object) -> None:
    assert span(asked, None, '"a"', 10) == got


@pytest.mark.parametrize(
    ("headers", "same"),
    [
        ({"sec-fetch-site": "same-origin", "origin": "http://evil.example"}, True),
        ({"host": "books.lan:8080", "origin": "http://books.lan:8080"}, True),
        ({"host": "BOOKS.lan", "origin": "https://books.LAN:443"}, True),
        ({"host": "books.lan:8080", "origin": "http://books.lan:9090"}, False),
        ({"host": "books.lan", "origin": "null", "referer": "http://books.lan/"}, False),
        ({"host": "[::1]:8080", "origin": "http://[::1]:8080"}, True),
        ({"host": "books.lan", "origin": "http://[books.lan"}, False),
        ({"host": "", "origin": "http://"}, False),
        ({"host": "books.lan"}, False),
    ],
)
def test_where_a_change_came_from(headers: dict[str, str], same: bool) -> None:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    assert same_site(raw, Settings()) is same


def test_a_policy_allows_the_inline_scripts_of_the_page_and_no_others() -> None:
    policy = content_security_policy(b"<script>one()</script><p><script>two()</script><script src=x></script>")
    assert policy.count("'sha256-") == 2
    assert "'unsafe-inline'" not in policy.partition("script-src")[2].partition(";")[0]
    assert "frame-ancestors 'none'" in policy


def test_a_word_is_one_of_a_set() -> None:
    assert choice("sort", " a ", ("a", "b")) == "a"
    assert choice("sort", "  ", ("a", "b")) is None
    assert choice("sort", "old", ("a", "b"), {"old": "b"}) == "b"
    with pytest.raises(ApiError) as refused:
        choice("sort", "A", ("a", "b"))
    assert refused.value.body.error.details == {"sort": "invalid"}


def test_what_is_not_expected_tells_a_client_nothing() -> None:
    answer = envelope(RuntimeError("/home/me/secret"))
    assert (answer.status, answer.body.error.code) == (500, Code.INTERNAL)
    assert "secret" not in answer.body.error.message
