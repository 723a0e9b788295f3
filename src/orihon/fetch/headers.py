"""What response headers say, read with suspicion. Pure."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

DEFAULT_PAUSE = 60.0
"""Seconds to leave a host alone that says 429 and not for how long."""

LONGEST_PAUSE = 3600.0
"""Longest pause that a host may ask for, in seconds; a header can hold any number."""

_SECONDS = re.compile(r"[0-9]{1,10}")
_CONTENT_RANGE = re.compile(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)", re.IGNORECASE)


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds to wait as Retry-After asks, as a number or an HTTP date, between 1 and `LONGEST_PAUSE`.

    A date is one by the host's clock, which the Date header tells; `now`, by ours, counts only where it does not. None
    for a missing or unreadable header.
    """
    text = headers.get("Retry-After", "").strip()
    if _SECONDS.fullmatch(text):
        asked = float(text)
    else:
        until = _date(text)
        if until is None:
            return None
        asked = (until - (_date(headers.get("Date", "")) or now)).total_seconds()
    return min(max(asked, 1.0), LONGEST_PAUSE)


def _date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    return date if date.tzinfo is not None else date.replace(tzinfo=UTC)


class ContentRange(msgspec.Struct, frozen=True):
    """`Content-Range: bytes first-last/total`; total is None for `*`."""

    first: int
    last: int
    total: int | None


def content_range(value: str | None) -> ContentRange | None:
    """The range that a 206 carries, or None for one that is missing, unreadable or contradicts itself."""
    match = _CONTENT_RANGE.fullmatch((value or "").strip())
    if match is None:
        return None
    first, last = int(match[1]), int(match[2])
    total = None if match[3] == "*" else int(match[3])
    if last < first or (total is not None and last >= total):
        return None
    return ContentRange(first, last, total)


def plain(headers: Mapping[str, str], name: str) -> str | None:
    """A header that may be kept and sent back: printable ASCII, or None."""
    value = headers.get(name, "").strip()
    return value if value and value.isascii() and value.isprintable() else None


def validator(headers: Mapping[str, str]) -> str | None:
    """What `If-Range` may carry: a strong ETag, else Last-Modified (RFC 9110 13.1.5). None: no safe resume."""
    etag = plain(headers, "ETag") or ""
    if len(etag) > 2 and etag.startswith('"') and etag.endswith('"'):
        return etag
    return plain(headers, "Last-Modified")
