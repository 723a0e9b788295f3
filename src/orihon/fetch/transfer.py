"""One download: what has arrived, what to ask for next, and when it is whole.

A body that breaks off goes on where it stopped, but only when the server proves that it is still the same file
(206, matching range, `If-Range`); a 200 in answer to a range is a fresh start (kemono-dl appended it: doubled
bytes). No network here: the client feeds status, headers and chunks.
"""

from collections.abc import Mapping
from typing import Protocol

from orihon.fetch.coding import BadCoding, Inflater, TooMuch, inflater
from orihon.fetch.errors import EmptyBody, Malformed, TooLarge, UnexpectedHtml
from orihon.fetch.headers import content_range, validator
from orihon.fetch.pages import CLASSIFY, classify, looks_like_html


class Sink(Protocol):
    """Where the bytes of a download go."""

    def write(self, chunk: bytes, /) -> object:
        """Take the next bytes. Called on the event loop, so it must be quick; an error from it ends the download."""
        ...

    def restart(self) -> object:
        """Forget everything written: the file begins anew."""
        ...


class Transfer:
    """The state of one download."""

    def __init__(self, sink: Sink, limit: int) -> None:
        self._sink = sink
        self._limit = limit
        self.received = 0
        """Bytes that the sink holds (unpacked)."""
        self.expected: int | None = None
        """Size of the whole file, once known."""
        self._validator: str | None = None
        self._resumable = False
        self._url = ""
        self._headers: Mapping[str, str] = {}
        self._inflater: Inflater | None = None
        self._undecided = True
        self._held_back = b""

    def ask(self) -> dict[str, str]:
        """Headers of the next request: identity coding, and the range that is missing where it is safe to resume."""
        headers = {"Accept-Encoding": "identity"}
        if self._may_resume() and self._validator is not None:
            headers["Range"] = f"bytes={self.received}-"
            headers["If-Range"] = self._validator
        return headers

    def begin(self, url: str, status: int, headers: Mapping[str, str]) -> None:
        """An answer with a body: 200, or 206 to a range that was asked for.

        Raises:
            Malformed: another range than the one asked for, or a coding that was not asked for.
            TooLarge: it says that it is.
        """
        self._url, self._headers = url, headers
        if status == 206:
            self._continue()
        else:
            self.start_over()
            self._begin_whole()
        if self.expected is not None and self.expected > self._limit:
            raise TooLarge(url, self._limit)

    def start_over(self) -> None:
        """Drop what has arrived, as after a 416: the file is no longer the one that was begun."""
        if self.received:
            self._sink.restart()
        self.received = 0
        self.expected = None
        self._validator = None
        self._inflater = None
        self._undecided = True
        self._held_back = b""

    def take(self, chunk: bytes) -> None:
        """The next bytes of the body.

        Raises:
            TooLarge: one byte over the limit; nothing over it reaches the sink.
            UnexpectedHtml: this is a page.
            Malformed: its compression is broken.
        """
        if self._inflater is not None:
            chunk = self._unpack(self._inflater, chunk)
        if self._undecided:
            chunk = self._sniff(chunk)
        if chunk:
            self._keep(chunk)

    def break_off(self) -> None:
        """The body broke off.

        Raises:
            UnexpectedHtml: enough of it came to see that it was a page, so going on would not help.
        """
        if self._held_back and looks_like_html(self._held_back):
            raise UnexpectedHtml(classify(self._headers, self._held_back), self._url)

    def finish(self) -> bool:
        """The body ended without an error. False: it is not whole yet, another request must go on.

        Raises:
            EmptyBody: nothing came.
            UnexpectedHtml: this was a (short) page.
            Malformed: more came than the file holds.
        """
        if self._undecided:
            rest = self._sniff(b"", whole=True)
            if rest:
                self._keep(rest)
        if self._inflater is not None and not self._inflater.complete:
            return False
        if self.expected is not None and self.received < self.expected:
            return False
        if self.expected is not None and self.received > self.expected:
            raise Malformed(self._url, f"{self.received:,} bytes where {self.expected:,} were announced")
        if not self.received:
            raise EmptyBody(self._url)
        return True

    def _may_resume(self) -> bool:
        return self.received > 0 and self._inflater is None and self._resumable

    def _begin_whole(self) -> None:
        try:
            self._inflater = inflater(self._headers.get("Content-Encoding"), self._limit)
        except BadCoding as error:
            raise Malformed(self._url, str(error)) from error
        self._validator = validator(self._headers)
        self._resumable = self._headers.get("Accept-Ranges", "").lower() != "none"
        length = self._headers.get("Content-Length", "")
        if self._inflater is None and length.isascii() and length.isdigit() and len(length) < 19:
            self.expected = int(length)

    def _continue(self) -> None:
        part = content_range(self._headers.get("Content-Range"))
        known = (None, self.expected) if self.expected is not None else (part.total if part else None,)
        if not self._may_resume() or part is None or part.first != self.received or part.total not in known:
            said = self._headers.get("Content-Range", "no Content-Range")
            raise Malformed(self._url, f"{said} where the bytes from {self.received:,} on were asked for")
        etag, ours = self._headers.get("ETag"), self._validator or ""
        if etag is not None and ours.startswith('"') and etag != ours:
            raise Malformed(self._url, "a part of another version of the file")
        if self._headers.get("Content-Encoding", "identity").lower() != "identity":
            raise Malformed(self._url, "a compressed part of a file that was not compressed before")
        if part.total is not None:
            self.expected = part.total

    def _keep(self, chunk: bytes) -> None:
        if self.received + len(chunk) > self._limit:
            raise TooLarge(self._url, self._limit)
        self._sink.write(chunk)
        self.received += len(chunk)

    def _unpack(self, stream: Inflater, chunk: bytes) -> bytes:
        try:
            return stream.feed(chunk)
        except TooMuch:
            raise TooLarge(self._url, self._limit) from None
        except BadCoding as error:
            raise Malformed(self._url, str(error)) from error

    def _sniff(self, chunk: bytes, *, whole: bool = False) -> bytes:
        """Hold bytes back until they show whether this is a page; an image shows itself at once."""
        start = self._held_back + chunk if self._held_back else chunk
        html = looks_like_html(start, whole=whole)
        if html is False:
            self._undecided = False
            self._held_back = b""
            return start
        if html and (whole or len(start) >= CLASSIFY):
            raise UnexpectedHtml(classify(self._headers, start), self._url)
        self._held_back = start
        return b""
