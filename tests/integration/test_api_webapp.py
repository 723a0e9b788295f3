"""The web app's files over HTTP."""

import base64
import gzip
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hatch_build import exchange
from tests.support.web import Browser, Site, own_database, serving

from orihon.db.embedded import EmbeddedPostgres

pytestmark = pytest.mark.anyio

PAGE = b"<!doctype html><title>x</title><script>start()</script>"
CODE = b"export const hello = 'world';" * 50
IMMUTABLE = "_app/immutable/entry/start.abc123.js"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("web")
    (folder / IMMUTABLE).parent.mkdir(parents=True)
    (folder / "index.html").write_bytes(PAGE)
    (folder / IMMUTABLE).write_bytes(CODE)
    (folder / f"{IMMUTABLE}.gz").write_bytes(gzip.compress(CODE))
    (folder / f"{IMMUTABLE}.br").write_bytes(b"as if by brotli")
    (folder / "manifest.webmanifest").write_text("{}")
    (folder / ".hidden").write_text("secret")
    return folder


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, built: Path, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    folder = tmp_path_factory.mktemp("data")
    async with own_database(server) as (pool, dsn), serving(pool, dsn, folder, web=built) as running:
        yield running


@pytest.fixture
async def guest(site: Site) -> Browser:
    return site.browser()


@pytest.mark.parametrize("path", ["/", "/index.html", "/title/123", "/read/a/b?page=3", "/sources", "/apis", "/a.b"])
async def test_every_address_of_the_app_is_its_page(guest: Browser, path: str) -> None:
    answer = await guest.get(path)
    assert (answer.status, answer.body) == (200, PAGE)
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-cache"


async def test_the_page_may_run_its_own_script_and_nothing_from_elsewhere(guest: Browser) -> None:
    policy = (await guest.get("/")).headers["Content-Security-Policy"]
    assert base64.b64encode(hashlib.sha256(b"start()").digest()).decode() in policy
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert (await guest.get("/")).headers["X-Content-Type-Options"] == "nosniff"


async def test_an_unchanged_page_is_not_sent_again(guest: Browser) -> None:
    etag = (await guest.get("/")).headers["ETag"]
    assert (await guest.get("/", headers={"If-None-Match": etag})).status == 304


@pytest.mark.parametrize(
    ("accepted", "coding", "body"),
    [
        ("br, gzip", "br", b"as if by brotli"),
        ("gzip", "gzip", gzip.compress(CODE)),
        ("gzip, br;q=0", "gzip", gzip.compress(CODE)),
        ("", None, CODE),
        ("identity", None, CODE),
    ],
    ids=["best", "only-gzip", "no-brotli", "nothing", "identity"],
)
async def test_files_come_in_the_best_coding_that_the_client_takes(
    guest: Browser, accepted: str, coding: str | None, body: bytes
) -> None:
    answer = await guest.get(f"/{IMMUTABLE}", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding") == coding
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Content-Type"].startswith("text/javascript")
    if coding == "gzip":
        assert gzip.decompress(answer.body) == CODE
    else:
        assert answer.body == body


async def test_a_manifest_has_its_own_type(guest: Browser) -> None:
    assert (await guest.get("/manifest.webmanifest")).headers["Content-Type"] == "application/manifest+json"


@pytest.mark.parametrize("path", ["/_app/immutable/gone.js", "/_app/../../etc/passwd", "/_app/%2e%2e/%2e%2e/x"])
async def test_code_that_is_gone_is_not_found_rather_than_the_page(guest: Browser, path: str) -> None:
    """A page kept from before an upgrade asks for code that is gone; HTML instead of it would be kept as code."""
    answer = await guest.get(path)
    assert answer.status == 404 or answer.body == PAGE
    assert b"root:" not in answer.body
    if path.endswith(".js"):
        assert answer.status == 404


@pytest.mark.parametrize("path", ["/.hidden", "/../conftest.py", "/%2e%2e/conftest.py", f"/{IMMUTABLE}.gz"])
async def test_nothing_but_the_app_is_served(guest: Browser, path: str) -> None:
    answer = await guest.get(path)
    assert answer.body == PAGE or answer.status == 404


async def test_the_app_is_only_read(guest: Browser) -> None:
    assert (await guest.ask("HEAD", "/")).body == b""
    answer = await guest.post("/")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, HEAD")


async def test_a_copy_without_the_app_says_so_until_it_is_built(server: EmbeddedPostgres, tmp_path: Path) -> None:
    web = tmp_path / "web"
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path / "data", web=web) as site:
        guest = site.browser()
        answer = await guest.get("/")
        assert answer.status == 503
        assert b"has not been built" in answer.body
        assert (await guest.get("/api/v1/health")).status == 200
        web.mkdir()
        (web / "index.html").write_bytes(PAGE)
        assert (await guest.get("/")).body == PAGE


async def test_a_new_build_under_a_running_server_is_served_whole_and_at_once(
    server: EmbeddedPostgres, tmp_path: Path
) -> None:
    """A page with the length and the script hashes of the one before it is blank in a browser."""
    before, after = tmp_path / "before", tmp_path / "after"
    pages = {before: PAGE, after: b"<!doctype html><title>y</title><script>start('a longer program')</script>"}
    for folder, page in pages.items():
        (folder / "_app/immutable").mkdir(parents=True)
        (folder / "index.html").write_bytes(page)
        (folder / f"_app/immutable/{folder.name}.js").write_bytes(CODE)
    web = tmp_path / "web"
    exchange(before, web)
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path / "data", web=web) as site:
        guest = site.browser()
        first = await guest.get("/")
        assert (await guest.get("/_app/immutable/before.js")).body == CODE
        exchange(after, web)
        assert (await guest.get("/_app/immutable/before.js")).status == 404
        answer = await guest.get("/", headers={"If-None-Match": first.headers["ETag"]})
        assert (answer.status, answer.body) == (200, pages[after])
        script = base64.b64encode(hashlib.sha256(b"start('a longer program')").digest()).decode()
        assert script in answer.headers["Content-Security-Policy"]
        assert (await guest.get("/_app/immutable/after.js")).body == CODE
