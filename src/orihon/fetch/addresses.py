"""Which network addresses are nobody's business to fetch.

The tables stand here in full. `ipaddress.is_private` changes between Python versions and does not look inside
compatible, NAT64 and 6to4 forms (spec crawler-support 6.4, 6.5, 6.10). Pure: no look-ups.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

PRIVATE_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # "this network"; Linux connects 0.0.0.0 to loopback
        "10.0.0.0/8",
        "100.64.0.0/10",  # carrier-grade NAT
        "127.0.0.0/8",
        "169.254.0.0/16",  # link-local, with the metadata services of clouds
        "172.16.0.0/12",
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays, withdrawn
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)

PRIVATE_V6 = tuple(
    IPv6Network(network)
    for network in (
        "64:ff9b:1::/48",  # local NAT64: leads to whatever the operator's translator reaches
        "100::/64",  # discard
        "2001::/32",  # Teredo: carries an IPv4 address, obfuscated
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation
        "5f00::/16",  # segment routing
        "fc00::/7",  # unique local
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local, withdrawn
        "ff00::/8",  # multicast
    )
)

_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")


def embedded_v4(address: IPv6Address) -> IPv4Address | None:
    """The IPv4 address that an IPv6 address carries: mapped, compatible, NAT64 or 6to4 (spec 6.5).

    `::` and `::1` come out as 0.0.0.0 and 0.0.0.1, which the zero network refuses.
    """
    number = int(address)
    if number >> 32 in (0, 0xFFFF) or address in _NAT64:
        return IPv4Address(number & 0xFFFF_FFFF)
    if address in _SIX_TO_FOUR:
        return IPv4Address(number >> 80 & 0xFFFF_FFFF)
    return None


def is_private(address: Address) -> bool:
    """Whether an address is not a public one. An embedded IPv4 address alone decides where there is one."""
    if isinstance(address, IPv6Address):
        inner = embedded_v4(address)
        if inner is None:
            return any(address in network for network in PRIVATE_V6)
        address = inner
    return any(address in network for network in PRIVATE_V4)


def literal(host: str) -> Address | None:
    """The address that a canonical host spells out (brackets allowed), or None for a name."""
    try:
        return ip_address(host.strip("[]"))
    except ValueError:
        return None
