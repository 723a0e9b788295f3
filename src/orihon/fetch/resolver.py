"""Names to addresses, keeping only those that may be connected to (DNS pinning; spec crawler-support 6.6).

The connection is made to the vetted addresses and to nothing else, with Host and SNI of the name, so a name cannot
change its mind between check and use.
"""

import errno
import socket
from collections.abc import Iterable, Sequence

from aiohttp import AddrInfoType
from aiohttp.abc import AbstractResolver, ResolveResult

from orihon.fetch.addresses import is_private, literal
from orihon.fetch.errors import Refused, inward

ALLOW = "If it is your own site, allow its exact origin (scheme://host:port) with ORIHON_PRIVATE_ORIGINS."


def is_public(address: str) -> bool:
    """Whether a resolved address may be connected to. One that cannot be read may not."""
    parsed = literal(address)
    return parsed is not None and not is_private(parsed)


def vetted(host: str, addresses: Iterable[str]) -> list[str]:
    """The public ones, in their order.

    Raises:
        Refused: none is left; the text names the host.
    """
    found = list(addresses)
    public = [address for address in found if is_public(address)]
    if not public:
        raise Refused("PrivateIp", host, inward(", ".join(found) or "the name has no address at all", ALLOW))
    return public


class VettingResolver(AbstractResolver):
    """Another resolver, without its private answers."""

    def __init__(self, inner: AbstractResolver) -> None:
        self._inner = inner

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Vetted answers.

        Raises:
            Refused: the name leads only to private addresses.
            OSError: the look-up failed.
        """
        found: Sequence[ResolveResult] = await self._inner.resolve(host, port, family)
        public = set(vetted(host, [answer["host"] for answer in found]))
        return [answer for answer in found if answer["host"] in public]

    async def close(self) -> None:
        """Close the inner resolver."""
        await self._inner.close()


class PrivatePeer(PermissionError):
    """A connection to a private address was about to be made. The `filename` of the error is that address."""


def public_socket(address: AddrInfoType) -> socket.socket:
    """A socket for a connection, or none for a private address.

    The last line: whatever led here, and address literals never meet a resolver.

    Raises:
        PrivatePeer: the address is not public.
    """
    family, kind, protocol, _, peer = address
    if not is_public(str(peer[0])):
        raise PrivatePeer(errno.EACCES, "a private address", str(peer[0]))
    return socket.socket(family, kind, protocol)
