"""Unpacking compressed bodies without ever holding more than was allowed (a few KB can unpack to gigabytes)."""

import zlib

ACCEPT = "gzip, deflate"
"""What a request for a document asks for: what can be unpacked here with a bound."""

_GZIP_MAGIC = 0x1F


class BadCoding(ValueError):
    """A body that cannot be unpacked. The text says why."""


class TooMuch(Exception):
    """More than the limit came out."""


class Inflater:
    """A gzip or deflate stream, at most `limit` bytes of it."""

    def __init__(self, coding: str, limit: int) -> None:
        """Start a stream.

        Raises:
            BadCoding: a coding that was not asked for.
        """
        if coding not in ("gzip", "x-gzip", "deflate"):
            raise BadCoding(f"its coding is {coding}, which was not asked for")
        self._left = limit
        self._wbits: int | None = None if coding == "deflate" else 31
        self._stream: zlib._Decompress | None = None

    @property
    def complete(self) -> bool:
        """Whether the stream came to its own end."""
        return self._stream is not None and self._stream.eof

    def feed(self, data: bytes) -> bytes:
        """What comes out of some more bytes.

        Raises:
            TooMuch: the limit is passed; nothing beyond it was unpacked.
            BadCoding: not such a stream.
        """
        out = []
        while data:
            if self._stream is None:
                # "deflate" should have a zlib header; some servers send it bare.
                wbits = self._wbits or (zlib.MAX_WBITS if data[0] & 0x0F == 8 else -zlib.MAX_WBITS)
                self._stream = zlib.decompressobj(wbits)
            elif self._stream.eof:
                if self._wbits is None or data[0] != _GZIP_MAGIC:
                    break  # anything after the end is ignored, as browsers do
                self._stream = zlib.decompressobj(self._wbits)  # a gzip body may be several in a row
            try:
                piece = self._stream.decompress(data, self._left + 1)
            except zlib.error as error:
                raise BadCoding(f"its compression is broken: {error}") from error
            if len(piece) > self._left:
                raise TooMuch
            self._left -= len(piece)
            out.append(piece)
            data = self._stream.unused_data
        return b"".join(out)


def inflater(coding: str | None, limit: int) -> Inflater | None:
    """The stream that a Content-Encoding header asks for, or None for a body that is sent as it is.

    Raises:
        BadCoding: a coding that was not asked for.
    """
    name = (coding or "").strip().lower()
    return None if name in ("", "identity") else Inflater(name, limit)


class Collector:
    """A body gathered in memory, unpacked, never more than `limit` bytes of it."""

    def __init__(self, coding: str | None, limit: int) -> None:
        """Start with the Content-Encoding of the answer.

        Raises:
            BadCoding: a coding that was not asked for.
        """
        self._stream = inflater(coding, limit)
        self._limit = limit
        self._parts: list[bytes] = []
        self.size = 0

    def take(self, chunk: bytes) -> None:
        """The next bytes.

        Raises:
            TooMuch: the limit is passed.
            BadCoding: the compression is broken.
        """
        piece = chunk if self._stream is None else self._stream.feed(chunk)
        self.size += len(piece)
        if self.size > self._limit:
            raise TooMuch
        self._parts.append(piece)

    @property
    def complete(self) -> bool:
        """Whether a compressed body came to its own end. One without a single byte is none."""
        return self._stream is None or self._stream.complete or not self._parts

    def body(self) -> bytes:
        """What has arrived."""
        return b"".join(self._parts)
