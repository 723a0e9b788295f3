"""Addresses as a browser reads them (WHATWG), so that check and use see the same host."""

from ada_url import URL


def parse(url: str, base: str | None = None) -> URL:
    """Parse by the WHATWG rules: `0x7f000001`, `127.1` and full-width digits come out as the address they mean.

    Raises:
        ValueError: not a URL.
    """
    return URL(url, base)


def host_of(url: str) -> str | None:
    """The host in lower case, without port; IPv6 keeps its brackets. None where there is none."""
    try:
        return parse(url).hostname or None
    except ValueError:
        return None


def origin_of(url: str) -> str | None:
    """`scheme://host[:port]` without the scheme's own port, or None where the URL has no such origin."""
    try:
        origin = parse(url).origin
    except ValueError:
        return None
    return origin if origin != "null" else None


def resolve(page: str, reference: str) -> str | None:
    """A reference found on a page as a full http(s) address, or None for anything else (`data:`, `javascript:`)."""
    try:
        found = parse(reference, page)
    except ValueError:
        return None
    return found.href if found.protocol in ("http:", "https:") else None


def referer(url: str | None) -> str | None:
    """A page's address as a Referer header may carry it: canonical, without credentials and fragment."""
    if url is None:
        return None
    try:
        parsed = parse(url)
    except ValueError:
        return None
    if parsed.protocol not in ("http:", "https:"):
        return None
    parsed.username = parsed.password = parsed.hash = ""
    return parsed.href
