"""What adapters of JSON APIs share: an answer as records, entries one by one, addresses made whole, moments."""

import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Raw

from orihon.sources.adapter import Document, LayoutChanged, LoginRequired, Transient

T = TypeVar("T")


def decoded(document: Document, kind: type[T], part: Raw | None = None) -> T:
    """A document, or a part of it, as a record.

    Raises:
        LoginRequired: a page for people in place of data.
        Transient: half a document.
        LayoutChanged: a field is missing, renamed or of another type; the text names it. A part that is no text.
    """
    body = storable(document.body) if part is None else bytes(part)
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise LayoutChanged(
            f"{document.url} is not what this adapter reads: {error}. What is held stays. The API has changed, and "
            "its adapter needs an update."
        ) from error
    except (msgspec.DecodeError, UnicodeError) as error:
        if part is not None:
            # The document around it is whole, so a second look would find the same.
            raise LayoutChanged(f"An entry of {document.url} cannot be read: {error}. What is held stays.") from error
        if body.lstrip()[:1] == b"<":
            raise LoginRequired(
                f"{document.url} answered with a page for people in place of data: a sign-in or a bot check. Open the "
                "address in a browser to see what it wants."
            ) from error
        raise Transient(f"{document.url} answered with broken data ({error}). It is read again by itself.") from error


# Escaped backslashes are matched first, so that what follows one is not taken for an escape.
_ESCAPES = re.compile(
    rb"(?:\\\\)+|\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|\\u[dD][c-fC-F][0-9a-fA-F]{2}"
)
_WHOLE_PAIR = len(rb"\ud83d\ude00")


def storable(body: bytes) -> bytes:
    """JSON without the escapes that stand for no text: NUL, which no column of the database takes, is left out; half a
    character, as a site leaves that cuts a text within an emoji, becomes U+FFFD.
    """
    return _ESCAPES.sub(_storable, body)


def _storable(escape: re.Match[bytes]) -> bytes:
    found = escape[0]
    if found == rb"\u0000":
        return b""
    return found if found.startswith(rb"\\") or len(found) == _WHOLE_PAIR else rb"\ufffd"


def moment(base: str, told: datetime) -> datetime:
    """A moment with a time zone, in UTC.

    Raises:
        LayoutChanged: UTC has no such year.
    """
    try:
        return told.astimezone(UTC)
    except OverflowError as error:
        raise LayoutChanged(f"{base} tells a time that is none: {told.isoformat()}. What is held stays.") from error


def readable(entries: Iterable[Raw], read: Callable[[Raw], T]) -> tuple[tuple[T, ...], int]:
    """The entries of a list that can be read, and how many cannot.

    Raises:
        LayoutChanged: none can be read, so the site has changed; that of the first.
    """
    records: list[T] = []
    failures: list[LayoutChanged] = []
    for entry in entries:
        try:
            records.append(read(entry))
        except LayoutChanged as error:
            failures.append(error)
    if failures and not records:
        raise failures[0]
    return tuple(records), len(failures)


def address(base: str, url: str) -> str:
    """A whole address.

    Raises:
        LayoutChanged: it is none of the web's.
    """
    try:
        whole = urljoin(base, url)
        parts = urlsplit(whole)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise LayoutChanged(f"{base} names an address that is none: `{url[:100]}`. What is held stays.")
    return whole
