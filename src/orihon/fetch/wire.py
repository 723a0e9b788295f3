"""Reading from the HTTP library, and its errors in our words."""

from collections.abc import Callable

import aiohttp
from aiohttp import StreamReader

from orihon.fetch.errors import CutShort, FetchError, Malformed, Refused, TimedOut, Unreachable
from orihon.fetch.resolver import PrivatePeer

ERRORS = (aiohttp.ClientError, TimeoutError, ConnectionError, UnicodeError)
"""What the library raises while it looks up, connects, waits or reads (a name with an empty label: UnicodeError)."""


async def pump(content: StreamReader, take: Callable[[bytes], None]) -> None:
    """Hand over a body as it arrives, in the largest pieces that are there."""
    while chunk := await content.readany():
        take(chunk)


def unanswered(error: Exception, url: str) -> FetchError:
    """An error from before the headers of an answer."""
    if isinstance(error, TimeoutError):
        connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
        return TimedOut(url, "to accept a connection" if connecting else "to answer")
    if isinstance(error, aiohttp.ClientSSLError):
        return Unreachable(url, f"TLS failed: {error}", retryable=False)
    if isinstance(error, aiohttp.ClientConnectorError) and isinstance(error.os_error, PrivatePeer):
        return Refused("PrivateIp", url, f"{error.os_error.strerror}.")
    if isinstance(error, aiohttp.InvalidURL):
        return Refused("Unparseable", url, "the HTTP library cannot read this address.")
    if isinstance(error, aiohttp.ClientResponseError):
        return Malformed(url, error.message)
    return Unreachable(url, str(error) or type(error).__name__, retryable=not isinstance(error, UnicodeError))


def broken_off(error: Exception, url: str, received: int, expected: int | None) -> FetchError:
    """An error in the middle of a body."""
    if isinstance(error, TimeoutError):
        return TimedOut(url, f"to send the rest after {received:,} bytes")
    return CutShort(url, received, expected)
