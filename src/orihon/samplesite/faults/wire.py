"""Faults of statuses, connections and bytes; they fit every address, or every file."""

from datetime import UTC, datetime
from email.utils import format_datetime
from functools import cache
from html import escape
from urllib.parse import quote

from orihon.samplesite.catalogue import Swatch
from orihon.samplesite.faults.answer import Answer, Ask, Change
from orihon.samplesite.small import swatch

LOGIN = "/login"
REMOVED = "/static/removed.png"
PRIVATE = "http://10.20.30.40/admin"
"""Where no request of a crawler may ever go (RFC 1918)."""

HOUR = 3600.0


def page(heading: str, body: str) -> bytes:
    """A page that is none of the site's own."""
    return f"<!doctype html><html><head><title>{escape(heading)}</title></head><body>{body}</body></html>".encode()


def html(status: int, body: bytes, **headers: str) -> Answer:
    """An HTML answer."""
    return Answer(status=status, body=body, headers={"Content-Type": "text/html; charset=utf-8", **headers})


LOGIN_PAGE = page("Sign in", '<h1>Sign in</h1><form method="post"><input name="user"><input type="password"></form>')
"""What `/login` shows."""

_CHALLENGE_PAGE = page("Just a moment...", '<form id="challenge-form"><noscript>Turn on scripts.</noscript></form>')


@cache
def removed() -> bytes:
    """The picture that stands for removed ones."""
    return swatch(Swatch("this image was removed"))


def status(code: int, text: str) -> Change:
    """An error page with this status."""
    return lambda _ask, _answer: html(code, page(text, f"<h1>{code} {text}</h1>"))


def too_many_requests(ask: Ask, _: Answer) -> Answer:
    """429, the pause in seconds."""
    return html(429, page("Slow down", "Slow down."), **{"Retry-After": f"{ask.seconds(2):.0f}"})


def too_many_requests_dated(ask: Ask, _: Answer) -> Answer:
    """429, the pause as the date of its end."""
    until = datetime.fromtimestamp(ask.now + ask.seconds(2), UTC)
    return html(429, page("Slow down", "Slow down."), **{"Retry-After": format_datetime(until, usegmt=True)})


def time_out(ask: Ask, answer: Answer) -> Answer:
    """The connection is held, then closed."""
    return answer.but(delay=ask.seconds(HOUR), held=True)


def hang_up(_: Ask, answer: Answer) -> Answer:
    """The connection is closed at once."""
    return answer.but(held=True)


def slow_body(ask: Ask, answer: Answer) -> Answer:
    """The body drips."""
    return answer.but(spread=ask.seconds(5)) if answer.body else answer


def cut_body(_: Ask, answer: Answer) -> Answer:
    """Half of the announced bytes."""
    return answer.but(sent=len(answer.body) // 2) if len(answer.body) > 1 else answer


def zero_bytes(_: Ask, answer: Answer) -> Answer:
    """A success with nothing in it."""
    return answer.but(status=200, body=b"") if answer.body else answer


def wrong_type(ask: Ask, answer: Answer) -> Answer:
    """The right bytes under a wrong name."""
    return answer.but(headers={"Content-Type": "text/html" if ask.kind == "file" else "application/octet-stream"})


def range_ignored(ask: Ask, answer: Answer) -> Answer:
    """The whole file for a part of it."""
    if answer.status != 206 or ask.whole is None:
        return answer
    headers = {name: value for name, value in answer.headers.items() if name != "Content-Range"}
    return Answer(status=200, body=ask.whole, headers=headers)


def html_as_image(ask: Ask, answer: Answer) -> Answer:
    """A page under the name of an image."""
    if ask.kind != "file":
        return answer
    text = page("Folded Paper", "<h1>Something went wrong</h1>" + "<p>Please come back later.</p>" * 20)
    return Answer(status=200, body=text, headers={"Content-Type": answer.content_type or "image/jpeg"})


def placeholder(ask: Ask, answer: Answer) -> Answer:
    """A whole image that is not the one."""
    if ask.kind != "file":
        return answer
    return Answer(status=200, body=removed(), headers={"Content-Type": "image/png"})


def placeholder_redirect(ask: Ask, answer: Answer) -> Answer:
    """The same, by a redirect."""
    return html(302, b"", Location=REMOVED) if ask.kind == "file" else answer


def login_redirect(ask: Ask, _: Answer) -> Answer:
    """To the sign-in page."""
    return html(302, b"", Location=f"{LOGIN}?next={quote(ask.path)}")


def challenge(_: Ask, __: Answer) -> Answer:
    """A check for humans, as a denial."""
    return html(403, _CHALLENGE_PAGE)


def private_redirect(_: Ask, __: Answer) -> Answer:
    """Into a private network."""
    return html(302, b"", Location=PRIVATE)
