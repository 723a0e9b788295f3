"""The SSRF guard (spec crawler-support 17.4, 17.6, 17.12; DESIGN ruling 21).

All tables run with no private origin named, except where a test names one.
"""

import pytest

from orihon.config import ConfigError
from orihon.fetch.errors import Refused
from orihon.fetch.guard import ANY_HOST, AllowList, Guard, Target
from orihon.fetch.proxy import Proxy
from orihon.fetch.resolver import vetted
from orihon.fetch.urls import host_of, origin_of, referer, resolve

SITE = "http://127.0.0.1:8081"


def rule_of(url: str, allow: AllowList = ANY_HOST, guard: Guard | None = None, page: str | None = None) -> str:
    try:
        (guard or Guard()).check(url, allow, referer=page)
    except Refused as refused:
        return refused.rule if refused.rule in str(refused) and refused.hop == 0 else "a refusal without its name"
    return "passes"


def hop(location: str, requested: int, allow: AllowList = ANY_HOST, start: str = "https://cdn.example.com/a") -> Target:
    guard = Guard()
    return guard.follow(guard.check(start), location, requested, allow)


CHECKS = [
    ("SF-1", "http://2130706433/", "PrivateIp"),
    ("SF-1", "http://0x7f000001/", "PrivateIp"),
    ("SF-1", "http://0177.0.0.1/", "PrivateIp"),
    ("SF-1", "http://127.1/", "PrivateIp"),
    ("SF-1 full width", "http://１２７.0.0.1/", "PrivateIp"),
    ("SF-1 percent", "http://127%2e0.0.1/", "PrivateIp"),
    ("SF-1 dot", "http://127.0.0.1./", "PrivateIp"),
    ("SF-2", "http://mangalord-vision:8000/v1/chat/completions", "passes"),
    ("SF-2", "https://api.openai.com/v1/chat/completions", "passes"),
    ("SF-2", "https://example.com/", "passes"),
    ("SF-3", "http://169.254.169.254/latest/meta-data/", "PrivateIp"),
    ("SF-3", "http://127.0.0.1:5432/", "PrivateIp"),
    ("SF-3", "http://10.0.0.1/", "PrivateIp"),
    ("SF-3", "http://192.168.1.1/", "PrivateIp"),
    ("SF-3", "http://[::1]/", "PrivateIp"),
    ("SF-3", "http://[::ffff:127.0.0.1]/", "PrivateIp"),
    ("SF-3", "http://0.0.0.0/", "PrivateIp"),
    ("SF-3 backslash", "http:\\\\127.0.0.1\\", "PrivateIp"),
    ("SF-3 credentials", "http://example.com@127.0.0.1/", "PrivateIp"),
    ("SF-4", "http://localhost:5432/", "Loopback"),
    ("SF-4 dot (spec 19.3)", "http://localhost./", "Loopback"),
    ("SF-4 below (spec 19.3)", "http://a.localhost/", "Loopback"),
    ("SF-5", "file:///etc/passwd", "BadScheme"),
    ("SF-5", "gopher://x.example/", "BadScheme"),
    ("SF-5", "ftp://x/", "BadScheme"),
    ("SF-5 data", "data:text/html,x", "BadScheme"),
    ("SF-6", "not a url", "Unparseable"),
    ("SF-6 no host", "http://", "Unparseable"),
    ("SF-6 broken code point", "http://example.com/\ud800", "Unparseable"),
    ("SF-7", "https://anything.example/", "passes"),
    ("SF-12", "http://10.0.0.1/", "PrivateIp"),
    ("SF-13", "http://LOCALHOST/", "Loopback"),
]


@pytest.mark.parametrize(("url", "rule"), [row[1:] for row in CHECKS], ids=[f"{row[0]} {row[1]!r}" for row in CHECKS])
def test_url_checks_with_any_host_allowed(url: str, rule: str) -> None:
    assert rule_of(url) == rule


@pytest.mark.parametrize(
    ("row", "url", "allow", "rule"),
    [
        ("SF-8", "http://10.0.0.1/", AllowList.of("10.0.0.1"), "PrivateIp"),
        ("SF-9", "https://CDN.EXAMPLE.com/x.jpg", AllowList.of("cdn.example.com"), "passes"),
        ("SF-9 list in capitals", "https://cdn.example.com/x.jpg", AllowList.of("CDN.example.com"), "passes"),
        ("SF-10", "ftp://cdn.example.com/x", AllowList.of("cdn.example.com"), "BadScheme"),
        ("SF-11", "https://example.com/", AllowList(), "HostNotAllowed"),
        ("exact, no suffix", "https://a.example.com/", AllowList.of("example.com"), "HostNotAllowed"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else None,
)
def test_url_checks_with_an_allow_list(row: str, url: str, allow: AllowList, rule: str) -> None:
    assert rule_of(url, allow) == rule


def test_a_refusal_names_the_host_and_what_to_do() -> None:
    """SF-11: HostNotAllowed(`example.com`)."""
    with pytest.raises(Refused, match=r"example\.com is not among the allowed hosts.*CRAWLER_DOWNLOAD_ALLOWLIST"):
        Guard().check("https://example.com/", AllowList())


def test_credentials_and_fragment_are_dropped() -> None:
    assert Guard().check("https://user:secret@Example.com:443/a?b#c").url == "https://example.com/a?b"


def test_a_refusal_does_not_show_the_query() -> None:
    """Signed addresses carry their keys there, and error texts end up in logs."""
    with pytest.raises(Refused) as caught:
        Guard().check("ftp://example.com/x?token=secret")
    assert "secret" not in str(caught.value)


def test_a_refusal_speaks_to_people_and_says_how_to_allow_a_site_of_ones_own() -> None:
    with pytest.raises(Refused) as caught:
        Guard().check("http://10.0.0.5:8000/works/")
    text = str(caught.value)
    assert "leads into a private network (10.0.0.5)" in text
    assert "so that a hostile site cannot make it reach into your network" in text
    assert "ORIHON_PRIVATE_ORIGINS=http://10.0.0.5:8000." in text
    assert text.endswith("Nothing was asked of it (rule PrivateIp).")


def test_what_another_site_points_at_is_not_said_to_be_allowable() -> None:
    guard = Guard([SITE])
    with pytest.raises(Refused) as redirected:
        hop("http://10.0.0.5/", 1)
    with pytest.raises(Refused) as linked:
        guard.check(f"{SITE}/a", referer="https://example.com/")
    for caught in (redirected, linked):
        assert "no setting allows it" in str(caught.value)


def test_an_unlisted_configuration_allows_any_public_host() -> None:
    assert AllowList.for_source("https://site.example/", None, ()) is ANY_HOST


def test_a_listed_configuration_needs_no_entry_for_the_source_and_its_cdn() -> None:
    """Spec 6.1: start URL, CDN host, extras."""
    allow = AllowList.for_source("https://Site.example:8443/list", "CDN.example", ["img.example"])
    assert allow.hosts == {"site.example", "cdn.example", "img.example"}


@pytest.mark.parametrize(
    ("row", "location", "allow", "rule"),
    [
        ("RD-2", "http://169.254.169.254/", ANY_HOST, "PrivateIp"),
        ("RD-2", "http://127.0.0.1:5432/", ANY_HOST, "PrivateIp"),
        ("RD-2", "http://10.0.0.1/", ANY_HOST, "PrivateIp"),
        ("RD-3", "https://evil.example.org/x", AllowList.of("cdn.example.com"), "HostNotAllowed"),
        ("RD-4", "file:///etc/passwd", ANY_HOST, "BadScheme"),
        ("protocol-relative", "//127.0.0.1/x", ANY_HOST, "PrivateIp"),
    ],
)
def test_an_unsafe_hop_is_refused(row: str, location: str, allow: AllowList, rule: str) -> None:
    with pytest.raises(Refused, match=rule) as caught:
        hop(location, 1, allow)
    assert (caught.value.rule, caught.value.hop) == (rule, 1)


def test_a_safe_hop_is_followed() -> None:
    """RD-1."""
    target = hop("https://cdn.example.com/next.jpg", 1, AllowList.of("cdn.example.com"))
    assert target.url == "https://cdn.example.com/next.jpg"


def test_a_relative_hop_is_resolved() -> None:
    assert hop("../b?c", 1, start="https://cdn.example.com/x/a").url == "https://cdn.example.com/b?c"


def test_the_tenth_request_is_the_last() -> None:
    """RD-5, RD-6: ten requested are too many before anything else is looked at; nine are not."""
    with pytest.raises(Refused, match="10 addresses") as caught:
        hop("http://127.0.0.1/", 10)
    assert (caught.value.rule, caught.value.hop) == ("TooManyHops", 10)
    assert hop("https://cdn.example.com/x", 9).host == "cdn.example.com"


def test_a_named_private_origin_is_reached_exactly() -> None:
    """DESIGN ruling 21: scheme, host and port."""
    guard = Guard([SITE])
    assert guard.check(f"{SITE}/a").named
    assert rule_of("http://127.0.0.1:8082/", guard=guard) == "PrivateIp"
    assert rule_of("https://127.0.0.1:8081/", guard=guard) == "PrivateIp"
    assert rule_of("http://127.0.0.2:8081/", guard=guard) == "PrivateIp"
    assert rule_of("http://2130706433:8081/", guard=guard) == "passes"


def test_a_named_private_origin_is_still_subject_to_the_allow_list() -> None:
    assert rule_of(f"{SITE}/a", AllowList.of("example.com"), Guard([SITE])) == "HostNotAllowed"


def test_only_a_named_private_origin_may_redirect_to_itself() -> None:
    """DESIGN ruling 21: never through a redirect from elsewhere, not even from another named origin."""
    other = "http://127.0.0.1:9000"
    guard = Guard([SITE, other])
    assert guard.follow(guard.check(f"{SITE}/a"), "/b", 1).named
    for start in ("https://example.com/", other):
        with pytest.raises(Refused, match="PrivateIp"):
            guard.follow(guard.check(start), f"{SITE}/b", 1)


def test_a_chain_that_left_a_private_origin_does_not_come_back() -> None:
    guard = Guard([SITE])
    outside = guard.follow(guard.check(f"{SITE}/a"), "https://example.com/", 1)
    with pytest.raises(Refused, match="PrivateIp"):
        guard.follow(outside, f"{SITE}/b", 2)


def test_a_page_of_another_site_cannot_link_to_a_named_private_origin() -> None:
    """A link on a hostile page is a redirect by other means (ruling 21)."""
    guard = Guard([SITE, "http://images.internal:80"])
    assert rule_of(f"{SITE}/admin", guard=guard, page="https://example.com/list") == "PrivateIp"
    assert rule_of(f"{SITE}/a.jpg", guard=guard, page=f"{SITE}/chapter") == "passes"
    assert guard.check("http://images.internal/a.jpg", referer=f"{SITE}/chapter").named
    assert not guard.check("http://images.internal/a.jpg", referer="https://example.com/").named


@pytest.mark.parametrize("text", ["127.0.0.1:80", "http://127.0.0.1/path", "ftp://a", "", "http://u:p@a", "http://a?b"])
def test_something_that_is_no_origin_is_a_clear_error_at_start(text: str) -> None:
    with pytest.raises(ConfigError, match="ORIHON_PRIVATE_ORIGINS"):
        Guard([text])


def test_mixed_answers_keep_the_public_ones_in_order() -> None:
    """DN-1."""
    assert vetted("mixed.example", ["93.184.216.34", "127.0.0.1", "169.254.169.254"]) == ["93.184.216.34"]
    assert vetted("two.example", ["2606:4700::2", "::1", "1.1.1.1"]) == ["2606:4700::2", "1.1.1.1"]


@pytest.mark.parametrize(
    "addresses",
    [["127.0.0.1", "169.254.169.254"], [], ["fe80::1%eth0"], ["nonsense"]],
    ids=["DN-2", "DN-3", "zone", "unreadable"],
)
def test_a_name_without_a_public_address_is_refused_by_name(addresses: list[str]) -> None:
    with pytest.raises(Refused, match=r"rebind\.attacker"):
        vetted("rebind.attacker", addresses)


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://proxy.internal:8080", "http://proxy.internal:8080"),
        ("https://proxy.internal:8080", "https://proxy.internal:8080"),
        ("HTTP://Proxy:8080", "http://proxy:8080"),
        ("proxy.internal:8080", "http://proxy.internal:8080"),
    ],
)
def test_through_an_http_proxy_the_addresses_are_ours_to_vet(text: str, url: str) -> None:
    """PX-1, read as spec 6.6 recommends; that they are vetted is shown over HTTP."""
    assert Proxy.of(text) == Proxy(url, {})


@pytest.mark.parametrize("text", ["socks5://tor:9050", "socks5h://tor:9050", "socks4://x:1080", "SOCKS5://Tor:9050"])
def test_a_proxy_that_resolves_by_itself_is_refused_at_start(text: str) -> None:
    """PX-2, reworded (ruling 23) until the release that brings Tor: what nobody here can vet is not asked for."""
    with pytest.raises(ConfigError, match=r"CRAWLER_PROXY.*SOCKS"):
        Proxy.of(text)


def test_the_credentials_of_a_proxy_go_into_their_header_and_nowhere_else() -> None:
    proxy = Proxy.of("http://us%40er:pass%3Aword@proxy:8080")
    assert proxy == Proxy("http://proxy:8080", {"Proxy-Authorization": "Basic dXNAZXI6cGFzczp3b3Jk"})


@pytest.mark.parametrize("text", ["ftp://user:secret@a", "http://user:secret@", "file:///secret"])
def test_what_is_no_proxy_is_a_clear_error_that_shows_no_password(text: str) -> None:
    with pytest.raises(ConfigError, match="CRAWLER_PROXY") as caught:
        Proxy.of(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://[2001:db8::1]:80/x", "[2001:db8::1]"),
        ("https://Example.com/path", "example.com"),
        ("http://cdn.foo.bar/img.jpg", "cdn.foo.bar"),
        ("http://localhost:8080/x", "localhost"),
        ("not a url", None),
        ("mailto:x@example.com", None),
    ],
    ids=["UU-4", "reader 10", "reader 10", "reader 10", "reader 10", "no host"],
)
def test_host_of(url: str, host: str | None) -> None:
    """UU-4 and the table of crawler-daemon-reader section 10."""
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "origin"),
    [("https://Example.com:443/x", "https://example.com"), ("http://a:81/", "http://a:81"), ("file:///x", None)],
)
def test_origin_of(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("b.jpg", "https://site.example/x/b.jpg"),
        ("//cdn.example/b.jpg", "https://cdn.example/b.jpg"),
        ("?p=2", "https://site.example/x/a?p=2"),
        ("javascript:void(0)", None),
        ("data:image/png;base64,xx", None),
        ("http://[", None),
    ],
)
def test_a_reference_is_resolved_against_its_page(reference: str, found: str | None) -> None:
    assert resolve("https://site.example/x/a", reference) == found


@pytest.mark.parametrize(
    ("page", "sent"),
    [
        ("https://u:p@site.example/a#top", "https://site.example/a"),
        ("https://site.example/a\r\nX: y", "https://site.example/aX:%20y"),
        ("file:///etc/passwd", None),
        ("nonsense", None),
        (None, None),
    ],
)
def test_a_referer_carries_no_secrets_and_no_line_breaks(page: str | None, sent: str | None) -> None:
    assert referer(page) == sent
