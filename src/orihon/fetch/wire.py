"""Reading from the HTTP library, and its errors in our words."""

import asyncio
import errno
import socket
import ssl
from collections.abc import Callable

import aiohttp
from aiohttp import StreamReader

from orihon.fetch.errors import Cause, CutShort, FetchError, Malformed, Refused, TimedOut, Unreachable, inward
from orihon.fetch.resolver import ALLOW, PrivatePeer

ERRORS = (aiohttp.ClientError, TimeoutError, ConnectionError, UnicodeError)
"""What the library raises while it looks up, connects, waits or reads (a name with an empty label: UnicodeError)."""


LEAST = 4096
"""Bytes that a body must bring in each stretch of patience. What comes more slowly than any line is held up on purpose,
and would hold up everything that waits behind it for as long as its jobs may take."""


async def pump(content: StreamReader, take: Callable[[bytes], None], patience: float) -> None:
    """Hand over a body as it arrives, in the largest pieces that are there.

    Raises:
        TimeoutError: less than `LEAST` bytes, and not the end, came in `patience` seconds.
    """
    now = asyncio.get_running_loop().time
    brought = 0
    async with asyncio.timeout(patience) as stretch:
        while chunk := await content.readany():
            take(chunk)
            brought += len(chunk)
            if brought >= LEAST:
                brought = 0
                stretch.reschedule(now() + patience)


def unanswered(error: Exception, url: str) -> FetchError:
    """An error from before the headers of an answer. The library's own texts are for programmers; none gets out."""
    if isinstance(error, TimeoutError):
        connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
        return TimedOut(url, "to accept a connection" if connecting else "to answer")
    if isinstance(error, UnicodeError):
        return Unreachable(url, "impossible_name")
    if isinstance(error, aiohttp.InvalidURL):
        return Refused("Unparseable", url, "the HTTP library cannot read this address. Check it for what was mistyped.")
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return Unreachable(url, "proxy", f"it answered with status {error.status}")
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return Unreachable(url, "proxy", "nothing answers there")
    if isinstance(error, aiohttp.ClientResponseError):
        return Malformed(url, "it does not keep to the rules of HTTP")
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return Unreachable(url, "certificate", _verdict(error.certificate_error))
    if isinstance(error, aiohttp.ClientSSLError):
        return Unreachable(url, "tls", _verdict(error.os_error))
    if isinstance(error, aiohttp.ClientConnectorError):
        if isinstance(error.os_error, PrivatePeer):
            return Refused("PrivateIp", url, inward(error.os_error.filename, ALLOW))
        if isinstance(error, aiohttp.ClientConnectorDNSError):
            return unnamed(error.os_error, url)
        return Unreachable(url, _cause(error))
    return Unreachable(url, "hung_up")


def unnamed(error: OSError, url: str) -> Unreachable:
    """An error of a look-up."""
    return Unreachable(url, "no_name_server" if error.errno in _NO_NAME_SERVER else "unknown_name")


def _cause(error: aiohttp.ClientConnectorError) -> Cause:
    number = error.os_error.errno
    if number in _NO_WAY:
        return "no_way"
    return "nobody_there" if number == errno.ECONNREFUSED else "hung_up"


_NO_NAME_SERVER = {socket.EAI_AGAIN, socket.EAI_FAIL}
_NO_WAY = {errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL}


def _verdict(error: Exception) -> str:
    """What OpenSSL found: `self-signed certificate`, `wrong version number`."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    reason = getattr(error, "reason", None)
    return str(reason).replace("_", " ").lower() if reason else "the host ended the talk"


def broken_off(error: Exception, url: str, received: int, expected: int | None) -> FetchError:
    """An error in the middle of a body."""
    if isinstance(error, TimeoutError):
        return TimedOut(url, f"to send the rest after {received:,} bytes")
    return CutShort(url, received, expected)
