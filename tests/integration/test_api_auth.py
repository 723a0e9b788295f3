"""Signing in over HTTP, private mode and the cross-site guard: public-api-auth 3, 17.1-17.3, DESIGN rulings 2 and 3."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.waiting import eventually
from tests.support.web import PASSWORD, Browser, Site, own_database, serving

from orihon.accounts import users
from orihon.accounts.passwords import Passwords
from orihon.accounts.sessions import COOKIE
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool

pytestmark = pytest.mark.anyio

ME = "/api/v1/auth/me"
PROGRESS = "/api/v1/me/progress"
NOTHING: dict[str, Any] = {"items": []}


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path_factory.mktemp("data")) as running:
        hasher = Passwords(threads=1)
        async with pool.acquire() as db:
            await users.add(db, "Reader", PASSWORD, admin=False, hasher=hasher)
        hasher.close()
        yield running


@pytest.fixture
async def guest(site: Site) -> Browser:
    return site.browser()


@pytest.fixture
async def reader(guest: Browser) -> Browser:
    assert (await guest.sign_in("reader")).status == 200
    return guest


async def test_signing_in_gives_the_user_and_a_cookie_that_scripts_cannot_read(guest: Browser) -> None:
    answer = await guest.sign_in("  rEADER ")
    assert answer.status == 200
    assert answer.json["user"]["username"] == "Reader"
    assert "password" not in str(answer.json)
    cookie = answer.headers["Set-Cookie"].lower()
    assert cookie.startswith(COOKIE)
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    assert (await guest.get(ME)).json == answer.json


async def test_the_cookie_is_secure_where_the_operator_asks(pool: Pool, dsn: str, tmp_path: Path) -> None:
    async with serving(pool, dsn, tmp_path, cookie_secure=True) as site:
        hasher = Passwords(threads=1)
        async with pool.acquire() as db:
            await users.add(db, "reader", PASSWORD, admin=False, hasher=hasher)
        hasher.close()
        answer = await site.browser().sign_in("reader")
        assert "secure" in answer.headers["Set-Cookie"].lower()


async def test_an_unknown_name_and_a_wrong_password_get_the_same_answer(guest: Browser) -> None:
    """P11, security rule 4."""
    unknown, wrong = await guest.sign_in("nobody"), await guest.sign_in("reader", "not the password")
    assert unknown.status == wrong.status == 401
    assert unknown.json == wrong.json
    assert unknown.json["error"]["code"] == "unauthenticated"


@pytest.mark.parametrize(("username", "password"), [("", PASSWORD), ("   ", PASSWORD), ("reader", "")])
async def test_an_empty_name_or_password_is_no_try(guest: Browser, username: str, password: str) -> None:
    answer = await guest.sign_in(username, password)
    assert (answer.status, answer.json["error"]["code"]) == (400, "invalid_input")


@pytest.mark.parametrize("username", ["reader", "nobody"])
async def test_an_oversized_password_is_refused_for_everybody(guest: Browser, username: str) -> None:
    """P10."""
    assert (await guest.sign_in(username, "a" * 1025)).status == 400


@pytest.mark.parametrize("username", ["a\x00b", "\ud83d\ude00" * 40, "a" * 5000])
async def test_a_strange_name_is_merely_unknown(guest: Browser, username: str) -> None:
    assert (await guest.sign_in(username)).status == 401


async def test_signing_out_ends_the_session_at_once_and_for_good(site: Site, reader: Browser) -> None:
    token = next(cookie.value for cookie in reader.session.cookie_jar if cookie.key == COOKIE)
    answer = await reader.post("/api/v1/auth/logout")
    assert (answer.status, answer.body) == (204, b"")
    assert (await reader.get(ME)).status == 401
    thief = site.browser()
    assert (await thief.get(ME, headers={"Cookie": f"{COOKIE}={token}"})).status == 401


async def test_signing_out_without_a_session_is_no_error(guest: Browser) -> None:
    assert (await guest.post("/api/v1/auth/logout")).status == 204


async def test_a_new_password_ends_the_sessions_that_are_held_in_memory(site: Site) -> None:
    browser = await site.person("careless")
    assert (await browser.get(ME)).status == 200
    hasher = Passwords(threads=1)
    async with site.pool.acquire() as db, db.transaction():
        account = await users.by_name(db, "careless")
        assert account
        await users.set_password(db, account.user.id, "another password", hasher=hasher)
    hasher.close()

    async def is_out() -> bool:
        return (await browser.get(ME)).status == 401

    await eventually(is_out)


async def test_an_expired_session_is_none(site: Site) -> None:
    """P18, for sessions."""
    browser = await site.person("late")
    async with site.pool.acquire() as db:
        await db.execute("UPDATE sessions SET expires_at = now() - interval '1 second'")
        await db.execute("SELECT pg_notify('sessions', '')")

    async def is_out() -> bool:
        return (await browser.get(ME)).status == 401

    await eventually(is_out)


@pytest.mark.parametrize("cookie", ["", "x" * 500, '"', "a=b; ;", f"{COOKIE}={'y' * 43}", f'{COOKIE}="\\"'])
async def test_a_cookie_that_makes_no_sense_is_nobody(site: Site, cookie: str) -> None:
    assert (await site.browser().get(ME, headers={"Cookie": cookie})).status == 401


@pytest.mark.parametrize(
    "cookies",
    [
        'broken="a; {ours}',
        "\xe4=\xff; {ours}",
        "a=b; ;;= ; {ours}; last",
        f"{COOKIE}=old; {{ours}}",
        f'{COOKIE}="; {{ours}}',
    ],
    ids=["open quote", "no ASCII", "no names", "an old session", "ours, broken"],
)
async def test_a_broken_or_foreign_cookie_signs_nobody_out(site: Site, reader: Browser, cookies: str) -> None:
    ours = next(f"{cookie.key}={cookie.value}" for cookie in reader.session.cookie_jar)
    assert (await site.browser().get(ME, headers={"Cookie": cookies.format(ours=ours)})).status == 200


async def test_the_eleventh_try_in_one_moment_has_to_wait(pool: Pool, dsn: str, tmp_path: Path) -> None:
    """L14, with a clock that stands still; a body that makes no sense costs no try (section 1.4)."""
    async with serving(pool, dsn, tmp_path, now=lambda: 1000.0, auth_rate_per_sec=5) as site:
        guest = site.browser()
        for _ in range(20):
            assert (await guest.post("/api/v1/auth/login", {"username": 1})).status == 422
        for _ in range(10):
            assert (await guest.sign_in("nobody")).status == 401
        answer = await guest.sign_in("nobody")
        assert (answer.status, answer.json["error"]["code"]) == (429, "rate_limited")
        assert answer.headers["Retry-After"] == "1"


async def test_addresses_that_a_trusted_proxy_names_do_not_share_their_tries(
    pool: Pool, dsn: str, tmp_path: Path
) -> None:
    """L10 over HTTP."""
    limits = {"auth_rate_per_sec": 1, "auth_rate_burst": 1, "trusted_proxy": True}
    async with serving(pool, dsn, tmp_path, now=lambda: 1000.0, **limits) as site:
        guest = site.browser()
        statuses = []
        for address in ("203.0.113.7, 10.0.0.1", "203.0.113.7", "198.51.100.9"):
            body = {"username": "nobody", "password": "x"}
            answer = await guest.post("/api/v1/auth/login", body, headers={"X-Forwarded-For": address})
            statuses.append(answer.status)
        assert statuses == [401, 429, 401]


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"private_mode": True}, {"self_register_enabled": False, "private_mode": True}),
        ({}, {"self_register_enabled": False, "private_mode": False}),
    ],
    ids=["G2", "defaults"],
)
async def test_what_a_sign_in_page_shows(
    pool: Pool, dsn: str, tmp_path: Path, settings: dict[str, Any], told: dict[str, bool]
) -> None:
    """G1 (accounts that strangers make) is not there yet, so that no page may offer it."""
    async with serving(pool, dsn, tmp_path, **settings) as site:
        assert (await site.browser().get("/api/v1/auth/config")).json == told


async def test_private_mode_shows_strangers_nothing_of_the_library(pool: Pool, dsn: str, tmp_path: Path) -> None:
    """G4, G5."""
    async with serving(pool, dsn, tmp_path, private_mode=True) as site:
        guest = site.browser()
        for path in ("/api/v1/mangas", "/api/v1/events", "/api/v1/nothing", "/openapi.json", "/docs"):
            assert (await guest.get(path)).status == 401, path
        for path in ("/api/v1/health", "/api/v1/auth/config", "/healthz", "/readyz"):
            assert (await guest.get(path)).status == 200, path
        reader = await site.person("reader")
        assert (await reader.get("/api/v1/mangas")).status == 200
        assert (await reader.post("/api/v1/auth/logout")).status == 204


# --- the cross-site guard -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none", "Origin": "{origin}"},
        {"Sec-Fetch-Site": "", "Origin": "{origin}"},
        {"Sec-Fetch-Site": "", "Origin": "https://{host}"},
        {"Sec-Fetch-Site": "", "Referer": "{origin}/read/1?x=y"},
    ],
)
async def test_a_change_from_our_own_page_is_taken(reader: Browser, headers: dict[str, str]) -> None:
    host = reader.origin.removeprefix("http://")
    sent = {name: value.format(origin=reader.origin, host=host) for name, value in headers.items()}
    assert (await reader.put(PROGRESS, NOTHING, headers=sent)).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": ""},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "", "Origin": "null"},
        {"Sec-Fetch-Site": "", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "", "Origin": "http://evil.example", "X-Forwarded-Host": "evil.example"},
        {"Sec-Fetch-Site": "", "Referer": "http://evil.example/{host}"},
        {"Sec-Fetch-Site": "", "Origin": "http://{host}.evil.example"},
        {"Sec-Fetch-Site": "", "Origin": "http://{host}@evil.example"},
    ],
)
async def test_a_change_from_elsewhere_is_refused_in_words(reader: Browser, headers: dict[str, str]) -> None:
    """Ruling 3: every change that carries the cookie; without any header it is refused, too (18.3 allowed it)."""
    host = reader.origin.removeprefix("http://")
    sent = {name: value.format(host=host) for name, value in headers.items()}
    answer = await reader.put(PROGRESS, NOTHING, headers=sent)
    assert (answer.status, answer.json["error"]["code"]) == (403, "cross_site_request")
    for setting in ("ORIHON_PUBLIC_URL", "ADMIN_ALLOWED_ORIGINS"):
        assert setting in answer.json["error"]["message"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "", "Origin": "null"},
        {"Sec-Fetch-Site": "", "Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "", "Referer": "http://evil.example/"},
    ],
)
@pytest.mark.parametrize("path", ["login", "logout"])
async def test_a_page_elsewhere_signs_its_visitor_neither_in_nor_out(
    guest: Browser, path: str, headers: dict[str, str]
) -> None:
    """Signed in to an account of its own, a visitor would leave their reading with the page's owner."""
    body = {"username": "reader", "password": PASSWORD}
    answer = await guest.post(f"/api/v1/auth/{path}", body, headers=headers)
    assert (answer.status, answer.json["error"]["code"]) == (403, "cross_site_request")
    assert "Set-Cookie" not in answer.headers


async def test_a_program_that_names_no_page_may_sign_in(guest: Browser) -> None:
    body = {"username": "reader", "password": PASSWORD}
    assert (await guest.post("/api/v1/auth/login", body, headers={"Sec-Fetch-Site": ""})).status == 200


async def test_reading_needs_no_origin(reader: Browser) -> None:
    assert (await reader.get(PROGRESS, headers={"Sec-Fetch-Site": "cross-site"})).status == 200


async def test_an_operator_can_name_origins_and_the_address_that_people_type(
    pool: Pool, dsn: str, tmp_path: Path
) -> None:
    settings = {"allowed_origins": ("https://admin.example/",), "public_url": "https://books.example"}
    async with serving(pool, dsn, tmp_path, **settings) as site:
        reader = await site.person("reader")
        for origin, status in (
            ("https://admin.example", 200),
            ("http://admin.example", 403),
            ("https://books.example", 200),
            ("https://other.example", 403),
        ):
            sent = {"Sec-Fetch-Site": "", "Origin": origin}
            assert (await reader.put(PROGRESS, NOTHING, headers=sent)).status == status, origin


async def test_the_host_that_a_trusted_proxy_names_is_ours(pool: Pool, dsn: str, tmp_path: Path) -> None:
    async with serving(pool, dsn, tmp_path, trusted_proxy=True) as site:
        reader = await site.person("reader")
        sent = {"Sec-Fetch-Site": "", "Origin": "https://books.example", "X-Forwarded-Host": "books.example:443"}
        assert (await reader.put(PROGRESS, NOTHING, headers=sent)).status == 200
