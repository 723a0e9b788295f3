"""What headers and first bytes say: Retry-After, ranges, compression, pages in place of files."""

import gzip
import tracemalloc
import zlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from orihon.fetch.coding import BadCoding, Collector, TooMuch, inflater
from orihon.fetch.errors import HttpStatus, RateLimited, Unreachable
from orihon.fetch.headers import LONGEST_PAUSE, ContentRange, content_range, retry_after, validator
from orihon.fetch.pages import classify, is_challenge, leads_to_login, leads_to_stand_in, looks_like_html

NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
CLOUDFLARE = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head><script>window._cf_chl_opt={}</script>"
LOGIN = b"<html><title>Welcome</title><form><input type='password' name=p></form></html>"


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", 1.0),
        ("999999999", LONGEST_PAUSE),
        ("Sun, 01 Mar 2026 12:02:00 GMT", 120.0),
        ("Sun, 01 Mar 2026 12:02:00 -0000", 120.0),
        ("Sun, 01 Mar 2026 11:00:00 GMT", 1.0),
        ("Sun, 01 Mar 2099 12:00:00 GMT", LONGEST_PAUSE),
        ("-5", None),
        ("1e9", None),
        ("soon", None),
        ("٣", None),
        ("99999999999999999999", None),
        ("Sun, 99 Mar 2026 12:02:00 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_in_seconds_or_as_a_date_within_bounds(value: str | None, seconds: float | None) -> None:
    """Research 3.1 row 5."""
    assert retry_after({} if value is None else {"Retry-After": value}, NOON) == seconds


@pytest.mark.parametrize("now", [NOON - timedelta(hours=1), NOON, NOON + timedelta(days=9)])
def test_a_date_in_retry_after_is_one_by_the_clock_of_the_host(now: datetime) -> None:
    """Ours may have been set back: an hour of waiting that nobody asked for."""
    headers = {"Date": "Sun, 01 Mar 2026 12:00:00 GMT", "Retry-After": "Sun, 01 Mar 2026 12:02:00 GMT"}
    assert retry_after(headers, now) == 120


@given(
    st.text(max_size=60) | st.from_regex(r"[A-Z][a-z]{2}, \d{1,3} [A-Z][a-z]{2} \d{1,5} \d\d:\d\d:\d\d [+-]?\w{0,5}")
)
def test_no_header_makes_a_pause_unbounded(value: str) -> None:
    seconds = retry_after({"Retry-After": value, "Date": value}, NOON)
    assert seconds is None or 1 <= seconds <= LONGEST_PAUSE


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("bytes 5-9/10", ContentRange(5, 9, 10)),
        ("bytes 5-9/*", ContentRange(5, 9, None)),
        ("bytes 9-5/10", None),
        ("bytes 5-10/10", None),
        ("bytes */10", None),
        ("items 5-9/10", None),
        ("bytes 5-9", None),
        (None, None),
    ],
)
def test_content_range(value: str | None, found: ContentRange | None) -> None:
    assert content_range(value) == found


@pytest.mark.parametrize(
    ("headers", "sent"),
    [
        ({"ETag": '"a"', "Last-Modified": "x"}, '"a"'),
        ({"ETag": 'W/"a"', "Last-Modified": "x"}, "x"),
        ({"ETag": 'W/"a"'}, None),
        ({"ETag": '"\udcff"'}, None),
        ({}, None),
    ],
)
def test_only_a_strong_validator_makes_a_resume_safe(headers: dict[str, str], sent: str | None) -> None:
    assert validator(headers) == sent


@pytest.mark.parametrize(
    ("start", "html"),
    [
        (b"<!DOCTYPE html>", True),
        (b"\xef\xbb\xbf\r\n  <HTML lang=en>", True),
        (b"<!-- hello --><html>", True),
        (b"<!-- hello --> <!-- again -->\n<body>", True),
        (b"<h1>404</h1>", True),
        (b"<p>Sorry", True),
        (b"\xff\xd8\xff\xe0", False),
        (b"\x89PNG", False),
        (b"RIFF", False),
        (b"GIF89a", False),
        (b"\x00\x00\x00\x1cftypavif", False),
        (b"<svg xmlns='http://www.w3.org/2000/svg'>", False),
        (b"<?xml version='1.0'?>", False),
        (b"<htmlx and so on", False),
        (b"{}", False),
        (b"<", None),
        (b"<!doc", None),
        (b"", None),
        (b"<!-- a comment that goes on", None),
        (b"<!--" + b"x" * 600, True),
        (b" " * 600, False),
    ],
)
def test_html_is_known_by_its_first_bytes(start: bytes, html: bool | None) -> None:
    """CP-5 for HTML; research 3.2 row 20."""
    assert looks_like_html(start) is html


@pytest.mark.parametrize(("body", "html"), [(b"", False), (b"<", False), (b"<html>", True), (b"<!-- x", True)])
def test_a_whole_body_is_always_decided(body: bytes, html: bool) -> None:
    assert looks_like_html(body, whole=True) is html


@given(st.binary(max_size=700))
def test_what_was_decided_stays_decided_as_more_arrives(body: bytes) -> None:
    answers = [looks_like_html(body[:size]) for size in range(len(body) + 1)]
    decided = [answer for answer in answers if answer is not None]
    assert len(set(decided)) <= 1
    assert None not in answers[len(answers) - len(decided) :]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (CLOUDFLARE, "challenge"),
        (b"<html><title>DDoS-Guard</title>", "challenge"),
        (b"<html><div class=h-captcha></div>", "challenge"),
        (LOGIN, "login"),
        (LOGIN.replace(b"'password'", b"password") + b"<div class=g-recaptcha>", "login"),
        (b"<html><title>Please Sign In</title>", "login"),
        (b"<html><title>Not found</title>", "page"),
        (b"<html><title>Just a moment, sensei!</title>", "page"),
        (b"<html><script src=/cdn-cgi/challenge-platform/scripts/jsd/main.js>", "page"),
        (b"", "page"),
    ],
)
def test_a_page_is_named(body: bytes, kind: str) -> None:
    """Research 3.1 row 7, 3.2 row 20. The script that Cloudflare adds to ordinary pages is no challenge."""
    assert classify(CIMultiDict(), body) == kind


def test_a_challenge_may_be_named_by_its_header_alone() -> None:
    assert is_challenge(CIMultiDict({"CF-Mitigated": "challenge"}), b"")


@pytest.mark.parametrize(
    ("source", "target", "login"),
    [
        ("https://a.example/creator", "https://a.example/login?next=x", True),
        ("https://a.example/creator", "https://a.example/users/sign_in", True),
        ("https://a.example/creator", "https://a.example/Login.php", True),
        ("https://a.example/creator", "https://a.example/verify_subscriber", True),
        ("https://a.example/creator", "https://a.example/age-check/18", True),
        ("https://a.example/creator", "https://auth.example/auth/realms", True),
        ("https://a.example/1", "https://a.example/title/verify", False),
        ("https://a.example/1", "https://a.example/catalogue", False),
        ("https://a.example/login", "https://a.example/login/step2", False),
        ("https://a.example/1", "https://a.example/", False),
    ],
)
def test_a_redirect_to_a_gate_is_a_login(source: str, target: str, login: bool) -> None:
    """Research 3.1 row 1: the tool that followed it said "no results"."""
    assert leads_to_login(source, target) is login


@pytest.mark.parametrize(
    ("source", "target", "stand_in"),
    [
        ("https://i.example/abc.jpg", "https://i.example/removed.png", True),
        ("https://i.example/abc.jpg", "https://i.example/img/image_not_found.gif", True),
        ("https://i.example/abc.jpg", "https://i.example/404", True),
        ("https://i.example/abc.jpg", "https://i.example/no-image.png", True),
        ("https://i.example/abc.jpg", "https://cdn.example/abc.jpg", False),
        ("https://i.example/404.jpg", "https://cdn.example/404.jpg", False),
        ("https://i.example/abc.jpg", "https://cdn.example/missing-persons-12.jpg", False),
    ],
)
def test_a_redirect_to_the_picture_of_a_removed_one(source: str, target: str, stand_in: bool) -> None:
    """Research 3.2 row 21."""
    assert leads_to_stand_in(source, target) is stand_in


@pytest.mark.parametrize(
    ("coding", "packed"),
    [
        ("gzip", gzip.compress(b"hello " * 100)),
        ("x-gzip", gzip.compress(b"hello " * 100)),
        ("gzip", gzip.compress(b"hello " * 50) + gzip.compress(b"hello " * 50)),
        ("gzip", gzip.compress(b"hello " * 100) + b"trailing rubbish"),
        ("deflate", zlib.compress(b"hello " * 100)),
        ("deflate", zlib.compress(b"hello " * 100, wbits=-15)),
        (" Identity ", b"hello " * 100),
        (None, b"hello " * 100),
    ],
    # Not the bytes: gzip writes the time into its head, and two processes that share the tests must name them alike.
    ids=["gzip", "x-gzip", "two members", "rubbish at the end", "zlib", "raw deflate", "identity", "no coding"],
)
def test_codings_unpack_in_any_slices(coding: str | None, packed: bytes) -> None:
    for step in (1, 7, len(packed)):
        body = Collector(coding, 600)
        for at in range(0, len(packed), step):
            body.take(packed[at : at + step])
        assert body.body() == b"hello " * 100
        assert body.complete


def test_a_bomb_is_never_unpacked_beyond_the_limit() -> None:
    """Spec 15.8: caps count unpacked bytes."""
    bomb = gzip.compress(bytes(50_000_000))
    stream = inflater("gzip", 1000)
    assert stream is not None
    tracemalloc.start()
    with pytest.raises(TooMuch):
        stream.feed(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, gzip", "compress"])
def test_a_coding_that_was_not_asked_for_is_an_error(coding: str) -> None:
    with pytest.raises(BadCoding, match="not asked for"):
        Collector(coding, 10)


def test_broken_compression_is_an_error() -> None:
    with pytest.raises(BadCoding, match="broken"):
        Collector("gzip", 10).take(b"not gzip at all")


def test_a_cut_stream_is_not_complete() -> None:
    body = Collector("gzip", 1000)
    body.take(gzip.compress(b"hello " * 100)[:-6])
    assert not body.complete


def test_errors_say_whether_to_try_again() -> None:
    assert HttpStatus(503, "http://a/").retryable
    assert HttpStatus(408, "http://a/").retryable
    assert not HttpStatus(400, "http://a/").retryable
    assert RateLimited("http://a/", 7).retry_after == 7


def test_error_texts_can_be_stored_and_read() -> None:
    """What a server sends must not break a log line or a database column."""
    text = str(Unreachable("http://a/\x00\udcff" + "x" * 5000 + "?token=secret", "tls", "said \r\nSet-Cookie: x\x00"))
    assert text.isprintable()
    assert len(text) < 800
    assert "secret" not in text
    text.encode()
