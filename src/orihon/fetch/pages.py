"""Telling a page from a file, and which page it is, by looking at its bytes.

Content-Type is never believed: sites serve sign-in pages as image/jpeg and images as text/html
(spec crawler-support 6.8; gallery-dl #7697, #4048, #6241). Pure.
"""

import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from orihon.fetch.errors import HtmlKind

SNIFF = 512
"""Bytes within which HTML shows itself, after byte order mark and white space."""

CLASSIFY = 65_536
"""Bytes of a page that are read to tell which page it is."""

_BLANK = b"\xef\xbb\xbf \t\r\n\x0c"
# The starts that the WHATWG sniffing rules know, and those of error pages written by hand.
_HTML = re.compile(
    rb"<(!doctype html|html|head|title|meta|link|style|script|noscript|body|main|header|h[1-6]|div|span|p|a|b|br"
    rb"|center|font|form|iframe|table)[\s/>]",
    re.IGNORECASE,
)
_LONGEST_START = len(b"<!doctype html>")


def looks_like_html(start: bytes, *, whole: bool = False) -> bool | None:
    """Whether a body begins as HTML; None while `start` is too short to tell and is not the `whole` body.

    An image answers at its first byte. Comments before the first tag are skipped; XML and SVG are not HTML.
    """
    window = start[:SNIFF]
    enough = whole or len(window) == SNIFF
    rest = window.lstrip(_BLANK)
    while rest.startswith(b"<!--"):
        _, closed, after = rest.partition(b"-->")
        if not closed:
            # A comment longer than the window: pages have those, files do not.
            return True if enough else None
        rest = after.lstrip(_BLANK)
    if _HTML.match(rest):
        return True
    could_become = rest == b"" or (rest.startswith(b"<") and len(rest) < _LONGEST_START)
    return None if could_become and not enough else False


# Only challenge pages carry these; the script that Cloudflare adds to ordinary pages does not, and a title may well
# begin with "Just a moment".
_CHALLENGE = (
    b"_cf_chl_opt",
    b"cf-browser-verification",
    b"<title>just a moment...</title>",
    b"<title>ddos-guard</title>",
)
_ASKS_FOR_PROOF = (b"cf-turnstile", b"h-captcha", b"g-recaptcha", b"attention required! | cloudflare")
# Bounded and without overlap, so that no page can make them slow.
_PASSWORD = re.compile(rb"""<input[^<>]{0,400}\btype\s*=\s*["']?password""")
_LOGIN_TITLE = re.compile(rb"<title[^<>]{0,200}>[^<]{0,200}\b(log ?in|sign ?in|age verification)\b")


def is_challenge(headers: Mapping[str, str], body: bytes) -> bool:
    """Whether this is a bot check beyond doubt, whatever its status."""
    if headers.get("cf-mitigated", "").lower() == "challenge":
        return True
    low = body[:CLASSIFY].lower()
    return any(mark in low for mark in _CHALLENGE)


def classify(headers: Mapping[str, str], body: bytes) -> HtmlKind:
    """Which page stands where something else should be."""
    if is_challenge(headers, body):
        return "challenge"
    low = body[:CLASSIFY].lower()
    # A sign-in form may carry a captcha; the form is what matters.
    if _PASSWORD.search(low) or _LOGIN_TITLE.search(low):
        return "login"
    return "challenge" if any(mark in low for mark in _ASKS_FOR_PROOF) else "page"


_LOGIN = frozenset(("login", "log-in", "log_in", "logon", "signin", "sign-in", "sign_in", "sso"))
# Words that titles use too: they count only as the first part of a path.
_GATE = re.compile(r"auth|verify(_subscriber)?|verification|age[-_]?(check|gate|verify|verification)")
_STAND_IN = re.compile(
    r"(image[-_ ]?)?(removed|deleted|not[-_ ]?found|unavailable|missing|placeholder|404|no[-_ ]?image)"
)


def _parts(url: str) -> list[str]:
    return [unquote(part).lower() for part in urlsplit(url).path.split("/") if part]


def leads_to_login(source: str, target: str) -> bool:
    """Whether a redirect goes from a page to a sign-in, verify or age gate (gallery-dl #6384: "no results")."""

    def gate(parts: list[str]) -> bool:
        return any(part.partition(".")[0] in _LOGIN for part in (*parts[:1], *parts[-1:])) or (
            bool(parts) and _GATE.fullmatch(parts[0]) is not None
        )

    return gate(_parts(target)) and not gate(_parts(source))


def leads_to_stand_in(source: str, target: str) -> bool:
    """Whether a redirect goes from a file to the picture shown for removed ones (gallery-dl #5308)."""

    def stand_in(url: str) -> bool:
        parts = _parts(url)
        return bool(parts) and _STAND_IN.fullmatch(parts[-1].rpartition(".")[0] or parts[-1]) is not None

    return stand_in(target) and not stand_in(source)
