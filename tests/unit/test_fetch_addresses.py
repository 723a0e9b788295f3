"""Which addresses are private (spec crawler-support 17.5)."""

from ipaddress import IPv6Address, ip_address

import pytest

from orihon.fetch.addresses import embedded_v4, is_private, literal

ROWS = [
    ("IP-1", "::ffff:127.0.0.1", True),
    ("IP-2", "::127.0.0.1", True),
    ("IP-3", "::ffff:10.1.2.3", True),
    ("IP-4", "::10.1.2.3", True),
    ("IP-5", "64:ff9b::7f00:1", True),
    ("IP-6", "64:ff9b::a01:203", True),
    ("IP-7", "2002:7f00:1::", True),
    ("IP-8", "2002:a01:203::", True),
    ("IP-9", "2002:a9fe:a9fe::", True),
    ("IP-10", "::ffff:8.8.8.8", False),
    ("IP-11", "2002:808:808::", False),
    ("IP-12", "2606:4700:4700::1111", False),
    ("IP-13", "::", True),
    ("IP-13", "::1", True),
    ("IP-14", "fd00::1", True),
    ("IP-15", "8.8.8.8", False),
    ("IP-16 local NAT64", "64:ff9b:1::7f00:1", True),
    ("IP-16 local NAT64, public inside", "64:ff9b:1::808:808", True),
    ("IP-16 Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2", True),
]


@pytest.mark.parametrize(("text", "private"), [row[1:] for row in ROWS], ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_acceptance_rows(text: str, private: bool) -> None:
    assert is_private(ip_address(text)) is private


@pytest.mark.parametrize(
    "network",
    [
        ("0.0.0.0", "0.255.255.255"),
        ("10.0.0.0", "10.255.255.255"),
        ("100.64.0.0", "100.127.255.255"),
        ("127.0.0.0", "127.255.255.255"),
        ("169.254.0.0", "169.254.255.255"),
        ("172.16.0.0", "172.31.255.255"),
        ("192.0.0.0", "192.0.0.255"),
        ("192.0.2.0", "192.0.2.255"),
        ("192.168.0.0", "192.168.255.255"),
        ("198.18.0.0", "198.19.255.255"),
        ("198.51.100.0", "198.51.100.255"),
        ("203.0.113.0", "203.0.113.255"),
        ("224.0.0.0", "255.255.255.255"),
        ("100::", "100::ffff:ffff:ffff:ffff"),
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ],
)
def test_every_range_is_private_to_both_ends(network: tuple[str, str]) -> None:
    """Spec 6.4."""
    assert all(is_private(ip_address(end)) for end in network)


@pytest.mark.parametrize(
    "address",
    [
        "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
        "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
        "198.17.255.255", "198.20.0.0", "223.255.255.255", "2a00:1450::1", "2001:4860:4860::8888", "2003::1",
    ],
)  # fmt: skip
def test_the_neighbours_of_a_range_are_public(address: str) -> None:
    assert not is_private(ip_address(address))


def test_the_embedded_address_alone_decides() -> None:
    """Spec 6.5: a 6to4 address is as private as the IPv4 address inside it."""
    assert str(embedded_v4(IPv6Address("2002:808:808:fe80::1"))) == "8.8.8.8"
    assert embedded_v4(IPv6Address("2606:4700::1")) is None


def test_a_zone_does_not_hide_a_link_local_address() -> None:
    assert is_private(ip_address("fe80::1%eth0"))


@pytest.mark.parametrize(
    ("host", "found"), [("[::1]", "::1"), ("127.0.0.1", "127.0.0.1"), ("example.com", None), ("", None)]
)
def test_a_literal_is_read_with_or_without_brackets(host: str, found: str | None) -> None:
    assert (str(literal(host)) if literal(host) else None) == found
