"""Who is asking, behind a proxy or not (public-api-auth 3.8)."""

import ipaddress


def client_address(forwarded_for: str | None, *, trusted_proxy: bool) -> str | None:
    """The address that the limiter counts: the left-most one that a trusted proxy names, else none.

    Without a trusted proxy the header is what anybody may write, and counts for nothing.
    """
    if not trusted_proxy or forwarded_for is None:
        return None
    first = forwarded_for.split(",", 1)[0].strip()
    if "%" in first:
        return None
    try:
        return str(ipaddress.ip_address(first))
    except ValueError:
        return None
