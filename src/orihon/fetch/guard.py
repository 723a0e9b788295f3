"""Which addresses may be fetched (SSRF guard; spec crawler-support 6.1-6.3, 6.7; DESIGN ruling 21).

The guard judges the text of an address. Names that resolve to private addresses are caught when connecting
(`fetch.resolver`), where check and use see the same answer. Pure: no look-ups.
"""

from collections.abc import Iterable

import msgspec

from orihon.config import ConfigError
from orihon.fetch.addresses import is_private, literal
from orihon.fetch.errors import Refused, inward
from orihon.fetch.urls import host_of, origin_of, parse

MAX_REQUESTS = 10
"""Most addresses requested in one chain of redirects, the first included (spec 6.7, RD-5, RD-6)."""


class AllowList(msgspec.Struct, frozen=True):
    """Hosts that may be fetched from, exactly as named; an empty list allows none."""

    hosts: frozenset[str] = frozenset()
    any_host: bool = False

    @classmethod
    def of(cls, *hosts: str) -> "AllowList":
        """These hosts (no ports) and no others, in any case of letters."""
        return cls(frozenset(host.lower() for host in hosts))

    @classmethod
    def for_source(cls, source_url: str | None, cdn_host: str | None, extras: Iterable[str]) -> "AllowList":
        """Where the files of a source may come from: anywhere public, unless the operator lists hosts.

        Then the source's own host and the CDN host need no listing (spec 6.1).
        """
        listed = [*extras]
        if not listed:
            return ANY_HOST
        own = host_of(source_url) if source_url else None
        return cls.of(*filter(None, (own, cdn_host, *listed)))

    def allows(self, host: str) -> bool:
        """Whether a host is in the list."""
        return self.any_host or host.lower() in self.hosts


ANY_HOST = AllowList(any_host=True)


class Target(msgspec.Struct, frozen=True):
    """An address that passed: canonical, without credentials and fragment."""

    url: str
    origin: str
    host: str
    named: bool
    """A private origin that the operator named: its addresses are not vetted again."""


class Guard:
    """The rules, with the private origins that the operator named."""

    def __init__(self, private_origins: Iterable[str] = ()) -> None:
        """Take `scheme://host[:port]` texts.

        Raises:
            ConfigError: one of them is not an origin.
        """
        self._private = frozenset(_named_origin(text) for text in private_origins)

    def check(self, url: str, allow: AllowList = ANY_HOST, *, referer: str | None = None) -> Target:
        """Judge the first address of a request.

        A named private origin is out of reach for a link that stands on a page of another, public origin: such a
        link is a redirect by other means (ruling 21). `referer` is that page.

        Raises:
            Refused: naming the rule.
        """
        own = referer is None or origin_of(referer) in self._private
        return self._judge(url, allow, self._private if own else frozenset(), hop=0, own=own)

    def follow(self, target: Target, location: str, requested: int, allow: AllowList = ANY_HOST) -> Target:
        """Judge a redirect from `target` after `requested` addresses of the chain were requested.

        Raises:
            Refused: naming the rule; too many hops before anything else.
        """
        if requested >= MAX_REQUESTS:
            raise Refused(
                "TooManyHops",
                location,
                f"{requested} addresses were requested already. The site sends its visitors in circles.",
                hop=requested,
            )
        # Only a named origin may lead to itself: anywhere else a redirect could aim at it.
        private = frozenset((target.origin,)) if target.named else frozenset()
        return self._judge(location, allow, private, hop=requested, own=False, base=target.url)

    def _judge(
        self, url: str, allow: AllowList, private: frozenset[str], *, hop: int, own: bool, base: str | None = None
    ) -> Target:
        try:
            parsed = parse(url, base)
        except ValueError:
            raise Refused("Unparseable", url, "it is not an address. Write it as https://host/path.", hop=hop) from None
        if parsed.protocol not in ("http:", "https:"):
            scheme = parsed.protocol.rstrip(":")
            raise Refused(
                "BadScheme",
                url,
                f"{scheme}: is nothing that Orihon fetches. Give an address that begins with https:// or http://.",
                hop=hop,
            )
        parsed.username = parsed.password = parsed.hash = ""
        target = Target(parsed.href, parsed.origin, parsed.hostname, parsed.origin in private)
        if not target.named:
            _refuse_private(target, hop, own=own)
        if not allow.allows(target.host):
            raise Refused(
                "HostNotAllowed",
                target.url,
                f"{target.host} is not among the allowed hosts. Add it to CRAWLER_DOWNLOAD_ALLOWLIST to fetch from it.",
                hop=hop,
            )
        return target


def _refuse_private(target: Target, hop: int, *, own: bool) -> None:
    """Spec 6.2 items 4 and 5; `localhost.` and `*.localhost` mean the same place (RFC 6761).

    `own`: a person gave the address, so that a person can allow it; what sites point at stays refused.
    """
    advice = (
        f"If it is your own site, allow it with ORIHON_PRIVATE_ORIGINS={target.origin}"
        if own
        else "Another site points at it, so no setting allows it; addresses that you give yourself can be allowed with "
        "ORIHON_PRIVATE_ORIGINS"
    )
    name = target.host.rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        raise Refused("Loopback", target.url, inward(f"{target.host}, this machine itself", f"{advice}."), hop=hop)
    address = literal(target.host)
    if address is not None and is_private(address):
        raise Refused("PrivateIp", target.url, inward(str(address), f"{advice}."), hop=hop)


def _named_origin(text: str) -> str:
    try:
        parsed = parse(text)
    except ValueError:
        parsed = None
    bare = parsed is not None and parsed.href in (f"{parsed.origin}/", parsed.origin)
    if parsed is None or not bare or parsed.protocol not in ("http:", "https:"):
        raise ConfigError(
            f"ORIHON_PRIVATE_ORIGINS: {text!r} is not an origin. Write scheme://host:port, such as http://127.0.0.1:8081."
        )
    return parsed.origin
