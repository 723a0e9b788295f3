"""An HTTP proxy that the crawler's requests go through (spec crawler-support 6.6).

The proxy resolves a site's name again, and nobody sees what it finds. So a name is resolved here first, and one that
has any private address is refused. The proxy's own name is the operator's word and is not vetted. A SOCKS proxy
resolves by itself alone; it comes with the release that brings Tor.
"""

import base64
import socket
from urllib.parse import unquote

import msgspec
from aiohttp.abc import AbstractResolver

from orihon.config import ConfigError
from orihon.fetch.addresses import literal
from orihon.fetch.errors import Refused, inward
from orihon.fetch.resolver import ALLOW, is_public
from orihon.fetch.urls import parse


class Proxy(msgspec.Struct, frozen=True):
    """Where the proxy is, without credentials, and the header that carries them."""

    url: str
    headers: dict[str, str]

    @classmethod
    def of(cls, text: str) -> "Proxy":
        """Read `[http[s]://][user:password@]host[:port]`.

        Raises:
            ConfigError: it is something else. The text never shows it, since it may hold a password.
        """
        if text.lower().startswith("socks"):
            raise ConfigError(
                "CRAWLER_PROXY: SOCKS proxies are not supported yet. Name an HTTP proxy, http://host:port."
            )
        try:
            parsed = parse(text if "://" in text else f"http://{text}")
        except ValueError:
            parsed = None
        if parsed is None or parsed.protocol not in ("http:", "https:"):
            raise ConfigError("CRAWLER_PROXY: its value is no HTTP proxy. Write http://host:port.")
        headers = {}
        if parsed.username:
            told = f"{unquote(parsed.username)}:{unquote(parsed.password)}".encode()
            headers["Proxy-Authorization"] = f"Basic {base64.b64encode(told).decode()}"
        return cls(parsed.origin, headers)


async def vet(resolver: AbstractResolver, host: str, port: int) -> None:
    """Make sure that a name has public addresses alone; an address literal was judged by the guard.

    Raises:
        Refused: any address is private, or there is none.
        OSError: the look-up failed.
    """
    if literal(host) is not None:
        return
    found = [answer["host"] for answer in await resolver.resolve(host, port, socket.AF_UNSPEC)]
    private = [address for address in found if not is_public(address)]
    if private or not found:
        raise Refused("PrivateIp", host, inward(", ".join(private) or "the name has no address at all", ALLOW))
