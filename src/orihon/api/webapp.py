"""The web app: static files from the package, and its first page for every address that it routes itself.

What the answers say of the files (sizes, hashes, the scripts that the page may run) is worked out once and kept. A new
build under a running server makes all of it wrong at once, so its first page is looked at before each answer.
"""

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import msgspec
from litestar.types import Receive, Send

from orihon.api import conditional, sending, wire
from orihon.api.errors import ApiError, Code, not_found
from orihon.api.sending import HeaderList
from orihon.api.wire import header

FOLDER = Path(__file__).parent.parent / "web"

_IMMUTABLE = "_app/immutable/"
"""Names in there carry a hash of their content."""

_ENCODINGS = (("br", ".br"), ("gzip", ".gz"))

# Not from the machine's table, which may say anything.
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".jpg": "image/jpeg",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}

_NOT_BUILT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Orihon</title>
<h1>The web app has not been built</h1>
<p>The server runs, but this copy came without its pages. In a checkout, run <code>make web</code> and load this page
again. An installed package always has them; if yours does not, install it anew.</p>
"""

_SECURITY: HeaderList = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
]

_INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)


class Variant(msgspec.Struct, frozen=True):
    """A file in one content coding."""

    path: str
    size: int
    etag: str
    headers: HeaderList


class Asset(msgspec.Struct, frozen=True):
    """A file in the codings that there are of it, the best first; the last is the plain one."""

    variants: list[tuple[str, Variant]]


Build = tuple[int, int, int]
"""Inode, size and time of the first page: another build has another."""


def content_security_policy(page: bytes) -> str:
    """What the page may load: its own origin, and the inline scripts that it was built with."""
    scripts = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'"
        for script in _INLINE_SCRIPT.findall(page)
    )
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {scripts}",
            "style-src 'self' 'unsafe-inline'",  # style attributes of components
            "img-src 'self' data: blob:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def choose(asset: Asset, accept_encoding: str | None) -> Variant:
    """The best variant that the client can unpack."""
    accepted = set()
    for entry in (accept_encoding or "").lower().split(","):
        coding, _, weight = entry.partition(";")
        if weight.replace(" ", "") not in {"q=0", "q=0.0", "q=0.00", "q=0.000"}:
            accepted.add(coding.strip())
    return next(variant for coding, variant in asset.variants if not coding or coding in accepted)


class WebApp:
    """The ASGI application for everything that is not the API."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._assets: dict[str, Asset] = {}
        self._build: Build | None = None
        self._follow()

    def _follow(self) -> None:
        """Keep what is there now, if it is another build than the one that is kept."""
        try:
            build = _build(self._folder)
            if build != self._build:
                self._assets, self._build = _assets(self._folder), build
        except FileNotFoundError:
            # None yet, or one that is being exchanged.
            self._assets, self._build = {}, None

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        head = scope["method"] == "HEAD"
        if not head and scope["method"] != "GET":
            message = "The web app is read, nothing else."
            answer = ApiError(405, Code.METHOD_NOT_ALLOWED, message, headers={"Allow": "GET, HEAD"})
            await wire.error(send, answer, head=head)
            return
        self._follow()
        if self._build is None:
            headers = [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store"), *_SECURITY]
            await wire.body(send, 503, _NOT_BUILT.encode(), headers, head=head)
            return
        name = scope["path"].lstrip("/")
        asset = self._assets.get(name)
        if asset is None and name.startswith(("_app/", "api/")):
            await wire.error(send, not_found("file"), head=head)
            return
        headers = scope["headers"]
        variant = choose(asset or self._assets["index.html"], header(headers, b"accept-encoding"))
        if conditional.matches(header(headers, b"if-none-match"), variant.etag):
            await wire.unchanged(send, variant.headers)
            return
        await sending.whole(scope, send, variant.path, variant.headers, variant.size, head=head)


def _build(folder: Path) -> Build:
    """Which build the folder holds.

    Raises:
        FileNotFoundError: none.
    """
    page = (folder / "index.html").stat()
    return page.st_ino, page.st_size, page.st_mtime_ns


def _assets(folder: Path) -> dict[str, Asset]:
    """Every file of the app by its address, in all its codings."""
    policy = (b"content-security-policy", content_security_policy((folder / "index.html").read_bytes()).encode())
    found = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and path.suffix not in {".br", ".gz"} and not name.startswith("."):
            found[name] = _asset(path, name, [policy] if path.suffix == ".html" else [])
    return found


def _asset(path: Path, name: str, extra: HeaderList) -> Asset:
    kept = "public, max-age=31536000, immutable" if name.startswith(_IMMUTABLE) else "no-cache"
    common: HeaderList = [
        (b"content-type", _content_type(path).encode()),
        (b"cache-control", kept.encode()),
        (b"vary", b"Accept-Encoding"),
        *_SECURITY,
        *extra,
    ]
    variants = []
    for coding, ending in (*_ENCODINGS, ("", "")):
        file = path.with_name(path.name + ending)
        if file.is_file():
            etag = f'"{hashlib.blake2b(file.read_bytes(), digest_size=12).hexdigest()}"'
            coded = [(b"content-encoding", coding.encode())] if coding else []
            headers = [*common, *coded, (b"etag", etag.encode())]
            variants.append((coding, Variant(str(file), file.stat().st_size, etag, headers)))
    return Asset(variants)


def _content_type(path: Path) -> str:
    return _TYPES.get(path.suffix, "application/octet-stream")
