"""Bytes of media: whole files by path-send, ranges in pieces, thumbnails on demand (public-api-auth section 7).

This is the hot path of reading, so it does not go through the framework, and a file that was served before costs one
look at the disk and no query. An address holds the hash of the bytes, so answers may be kept for ever.
"""

import asyncio
import re
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
import structlog
from litestar.types import Receive, Send

from orihon.api import conditional, sending, wire
from orihon.api.context import Context
from orihon.api.errors import ApiError, Code, envelope, not_found, unauthenticated
from orihon.api.gate import who
from orihon.api.sending import HeaderList
from orihon.api.wire import header
from orihon.library import files, visibility
from orihon.library.files import File
from orihon.library.images import ROOT
from orihon.media.errors import MediaError
from orihon.media.sniff import EXTENSIONS, MIME_TYPES, Kind
from orihon.media.thumbnails import Output, negotiate, snap

log = structlog.get_logger(__name__)

K = TypeVar("K")
V = TypeVar("V")

PREFIX = f"{ROOT}/"

MOST_KNOWN = 20_000
"""Files whose place and headers are remembered."""

_NAME = re.compile(r"([0-9a-f]{64})\.([a-z]{3,4})")
# Whatever strangers put into a file, no browser runs it as a page of this site.
_NEVER_SHOWN: HeaderList = [
    (b"content-disposition", b"attachment"),
    (b"content-security-policy", b"default-src 'none'; sandbox"),
]
_THUMBNAIL_TYPES: dict[Output, str] = {"webp": "image/webp", "jpeg": "image/jpeg"}


class Served(msgspec.Struct, frozen=True):
    """A file that can be sent: where it is, how large, and its headers but for the length."""

    path: str
    etag: str
    headers: HeaderList
    size: int


class Files:
    """The ASGI application below `PREFIX`."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._private = context.settings.private_mode
        shared = visibility.shared_caches(private_mode=self._private)
        self._forever = f"{'public' if shared else 'private'}, max-age=31536000, immutable"
        self._known: dict[tuple[str, int, str], Served] = {}
        self._places: dict[str, tuple[str, File]] = {}

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        head = scope["method"] == "HEAD"
        try:
            await self._answer(scope, send, head=head)
        except ApiError as error:
            await wire.error(send, error, head=head)
        except FileNotFoundError:
            await wire.error(send, not_found("file"), head=head)
        except Exception as error:
            answer = envelope(error)
            if answer.body.error.code is Code.INTERNAL:
                log.exception("a file could not be served", path=scope["path"])
            await wire.error(send, answer, head=head)

    async def _answer(self, scope: Any, send: Send, *, head: bool) -> None:
        headers = scope["headers"]
        if not head and scope["method"] != "GET":
            message = "Files are read, nothing else."
            raise ApiError(405, Code.METHOD_NOT_ALLOWED, message, headers={"Allow": "GET, HEAD"})
        if self._private and await who(self._context, headers) is None:
            raise unauthenticated()
        name = scope["path"][len(PREFIX) :]
        width = _width(scope["query_string"]) if scope["query_string"] else None
        if width is None:
            served = self._held((name, 0, "")) or await self._original(name)
        else:
            output = negotiate(header(headers, b"accept") or "")
            served = self._held((name, width, output)) or await self._thumbnail(name, width, output)
        await self._send(scope, send, served, head=head)

    def _held(self, key: tuple[str, int, str]) -> Served | None:
        """What was served before, if its file is still there: the sweeper and the thumbnail cache remove files."""
        served = self._known.get(key)
        if served is not None and not Path(served.path).is_file():
            del self._known[key]
            self._places.pop(key[0], None)
            return None
        return served

    async def _send(self, scope: Any, send: Send, served: Served, *, head: bool) -> None:
        headers = scope["headers"]
        if conditional.matches(header(headers, b"if-none-match"), served.etag):
            await wire.unchanged(send, served.headers)
            return
        asked = None if head else header(headers, b"range")
        span = conditional.span(asked, header(headers, b"if-range"), served.etag, served.size)
        if span is None:
            await sending.whole(scope, send, served.path, served.headers, served.size, head=head)
        elif span == "unsatisfiable":
            await wire.body(send, 416, b"", [*served.headers, (b"content-range", b"bytes */%d" % served.size)])
        else:
            first, last = span
            await sending.span(send, served.path, served.headers, served.size, first=first, last=last)

    async def _place(self, name: str) -> tuple[str, File]:
        """The hash of a name, and where its bytes are."""
        if (held := self._places.get(name)) is not None:
            return held
        parts = _NAME.fullmatch(name)
        if parts is None:
            raise not_found("file")
        sha256, extension = parts.groups()
        file = await files.find(self._context.pool, bytes.fromhex(sha256))
        if file is None or EXTENSIONS[file.format] != extension:
            raise not_found("file")
        _remember(self._places, name, (sha256, file))
        return sha256, file

    async def _original(self, name: str) -> Served:
        sha256, file = await self._place(name)
        path = self._context.services.storage.path(file.storage_key)
        size = (await asyncio.to_thread(path.stat)).st_size
        headers = self._headers(MIME_TYPES[file.format], f'"{sha256}"', self._forever)
        if file.format == "file":
            headers += _NEVER_SHOWN
        served = Served(str(path), f'"{sha256}"', headers, size)
        _remember(self._known, (name, 0, ""), served)
        return served

    async def _thumbnail(self, name: str, width: int, output: Output) -> Served:
        sha256, file = await self._place(name)
        if file.format == "file" or file.width is None or file.height is None:
            return await self._original(name)
        original = self._context.services.storage.path(file.storage_key)
        try:
            path, made = await self._context.services.thumbnails.get(
                sha256, original, file.format, width=width, output=output, size=(file.width, file.height)
            )
        except (MediaError, OSError) as error:
            # A passing failure must not be kept for a year, and a page is better large than missing.
            log.warning("a thumbnail could not be made; the original is served", file=name, error=str(error))
            return await self._instead(original, file.format, sha256)
        etag = f'"{sha256}-w{width}-{made}"'
        headers = [*self._headers(_THUMBNAIL_TYPES[made], etag, self._forever), (b"vary", b"Accept")]
        served = Served(str(path), etag, headers, (await asyncio.to_thread(path.stat)).st_size)
        _remember(self._known, (name, width, output), served)
        return served

    async def _instead(self, original: Path, kind: Kind, sha256: str) -> Served:
        size = (await asyncio.to_thread(original.stat)).st_size
        etag = f'"{sha256}"'
        return Served(
            str(original), etag, [*self._headers(MIME_TYPES[kind], etag, "no-store"), (b"vary", b"Accept")], size
        )

    def _headers(self, content_type: str, etag: str, cache_control: str) -> HeaderList:
        return [
            (b"content-type", content_type.encode()),
            (b"etag", etag.encode()),
            (b"cache-control", cache_control.encode()),
            (b"accept-ranges", b"bytes"),
            (b"x-content-type-options", b"nosniff"),
        ]


def _width(query: bytes) -> int | None:
    return snap(dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)).get("w"))


def _remember(known: dict[K, V], key: K, value: V) -> None:
    if len(known) >= MOST_KNOWN:
        del known[next(iter(known))]
    known[key] = value
