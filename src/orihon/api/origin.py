"""Whether a page of our own sent a request."""

from urllib.parse import urlsplit

from orihon.api.wire import Headers, header
from orihon.config import Settings

_DEFAULT_PORTS = (":80", ":443")


def same_site(headers: Headers, settings: Settings) -> bool:
    """Whether a page of our own, or of an allowed origin, sent this request (DESIGN section 8).

    A request that says nothing of the kind did not come from a page of ours: browsers always say.
    """
    if header(headers, b"sec-fetch-site") == "same-origin":
        return True
    said = header(headers, b"origin") or header(headers, b"referer")
    if not said:
        return False
    try:
        sender = urlsplit(said)
    except ValueError:
        return False
    if not sender.netloc:
        return False
    origin = f"{sender.scheme}://{sender.netloc}".lower()
    if origin in {allowed.rstrip("/").lower() for allowed in settings.allowed_origins}:
        return True
    return _host(sender.netloc) in _own_hosts(headers, settings)


def foreign(headers: Headers, settings: Settings) -> bool:
    """Whether a request says that a page elsewhere sent it. One that says nothing did not come from a page at all."""
    said = [header(headers, name) for name in (b"sec-fetch-site", b"origin", b"referer")]
    return any(word not in {None, "", "none"} for word in said) and not same_site(headers, settings)


def _own_hosts(headers: Headers, settings: Settings) -> set[str]:
    forwarded = header(headers, b"x-forwarded-host") if settings.trusted_proxy else None
    public = urlsplit(settings.public_url).netloc if settings.public_url else None
    return {_host(name) for name in (header(headers, b"host"), forwarded, public) if name}


def _host(netloc: str) -> str:
    """Host and port; the scheme does not matter, so neither does its default port."""
    name = netloc.rpartition("@")[2].strip().lower()
    for port in _DEFAULT_PORTS:
        name = name.removesuffix(port)
    return name
