"""Addresses on a page: what they resolve to, and the keys that are made from them."""

import hashlib
import unicodedata
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

import ada_url
from selectolax.lexbor import LexborHTMLParser

from orihon.sources.html.profile import Key
from orihon.sources.html.text import Css, first

LONGEST = 2_000

LONGEST_KEY = 500
"""Bytes of a key as it stands; an index that names a chapter by two of them holds no more than some 2,700."""


def base_of(tree: LexborHTMLParser, url: str) -> str:
    """What relative addresses of a page are relative to: its own address, unless it has a `base` element."""
    element = first(tree, _BASE)
    return (element is not None and resolve(url, element.attributes.get("href") or "")) or url


_BASE = Css("base[href]")


def resolve(base: str, written: str) -> str | None:
    """The absolute address that a page means, without fragment. None: no address that can be fetched."""
    written = written.strip()
    if not written or written.startswith("#") or len(written) > LONGEST:
        return None
    try:
        url = ada_url.join_url(base, written).partition("#")[0]
    except ValueError:
        return None
    return url if url.startswith(("http://", "https://")) and len(url) <= LONGEST else None


def origin(url: str) -> tuple[str, str]:
    """Scheme and host with port."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def key_of(written: str, rule: Key) -> str:
    """The key of an address as it is written on the page (crawler-daemon-reader 12.3).

    An address without what the rule asks for is its own key, whole. A key that could not be stored is told apart by
    its hash.
    """
    key = _composed(_as_written(written.strip(), rule))
    told = key.encode("utf-8", "surrogatepass")
    if len(told) <= LONGEST_KEY and "\0" not in key:
        return key
    return f"sha256:{hashlib.sha256(told).hexdigest()}"


def _composed(key: str) -> str:
    """A key has one spelling, whether its accents are composed or not, and escaped or not."""
    if "%" not in key:
        return unicodedata.normalize("NFC", key)
    try:
        plain = unquote(key, errors="strict")
    except UnicodeDecodeError:
        return key
    composed = unicodedata.normalize("NFC", plain)
    return key if composed == plain else quote(composed, safe="/:?#[]@!$&'()*+,;=~")


def _as_written(address: str, rule: Key) -> str:
    path, _, query = address.partition("#")[0].partition("?")
    if rule.query:
        return next(iter(parse_qs(query).get(rule.query, ())), address)
    if "//" in path:
        path = path.split("//", 1)[1].partition("/")[2]
    segments = path.rstrip("/").split("/")
    if rule.after:
        following = segments[segments.index(rule.after) + 1 :] if rule.after in segments else []
        return next((segment for segment in following if segment), address)
    if segments and any(pattern.whole(segments[-1]) is not None for pattern in rule.drop):
        segments.pop()
    return next((segment for segment in reversed(segments) if segment), address)


def numbered_path(url: str) -> int | None:
    """The first numeric path segment of an address."""
    return next((int(segment) for segment in urlsplit(url).path.split("/") if _is_number(segment)), None)


def with_path_number(url: str, number: int) -> str:
    """The address with its first numeric path segment replaced."""
    parts = urlsplit(url)
    segments = parts.path.split("/")
    place = next(index for index, segment in enumerate(segments) if _is_number(segment))
    segments[place] = str(number)
    return urlunsplit(parts._replace(path="/".join(segments)))


def query_number(url: str, name: str) -> int | None:
    """The number in a query parameter of an address."""
    value = dict(parse_qsl(urlsplit(url).query)).get(name, "")
    return int(value) if _is_number(value) else None


def with_query_number(url: str, name: str, number: int) -> str:
    """The address with this query parameter set."""
    parts = urlsplit(url)
    pairs = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if pair[0] != name]
    return urlunsplit(parts._replace(query=urlencode([*pairs, (name, str(number))])))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 9
