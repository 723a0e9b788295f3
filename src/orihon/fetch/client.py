"""The door itself: every request of the crawler leaves through a `FetchClient`.

Each hop is judged by the guard, waits for its host's pace, and connects only to vetted addresses. Bodies are capped
while they stream. Errors are typed (`fetch.errors`); trying again later is the caller's decision, except that a body
which breaks off is resumed here.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Self

import aiohttp
import msgspec
from aiohttp import ClientResponse, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector
from aiohttp.abc import AbstractResolver
from yarl import URL

from orihon import __version__
from orihon.config import Settings
from orihon.db.pool import Pool
from orihon.fetch import wire
from orihon.fetch.coding import ACCEPT, BadCoding, Collector, TooMuch
from orihon.fetch.errors import (
    CutShort,
    Denied,
    FetchError,
    Gone,
    HttpStatus,
    Malformed,
    Placeholder,
    RateLimited,
    Refused,
    TimedOut,
    TooLarge,
    UnexpectedHtml,
    Unreachable,
)
from orihon.fetch.guard import ANY_HOST, AllowList, Guard, Target
from orihon.fetch.headers import DEFAULT_PAUSE, plain, retry_after
from orihon.fetch.pacing import Intervals, Pacer, SharedPace
from orihon.fetch.pages import classify, is_challenge, leads_to_login, leads_to_stand_in, looks_like_html
from orihon.fetch.proxy import Proxy, vet
from orihon.fetch.resolver import VettingResolver, public_socket
from orihon.fetch.transfer import Sink, Transfer
from orihon.fetch.urls import referer as clean_referer
from orihon.fetch.wire import pump
from orihon.sources.adapter import Document

DOCUMENT_BYTES = 16 * 1024 * 1024
"""Largest document that is read into memory, unpacked."""

RESUMES = 4
"""How often one download asks again for what is missing."""

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_ERROR_PAGE = 2 * 1024 * 1024
_DNS_SECONDS = 60
_CONNECTIONS = 64
_CONNECTIONS_PER_HOST = 16


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long a request may take, in seconds."""

    connect: float = 10.0
    read: float = 30.0
    """Without a byte before the answer begins; with hardly any of its body (`wire.LEAST`) from then on."""
    total: float = 300.0
    """One request with its body, however steadily it drips."""


class Fetched(Document, frozen=True):
    """A document with what a later conditional request needs. Status 304: unchanged, no body."""

    etag: str | None = None
    last_modified: str | None = None


class Downloaded(msgspec.Struct, frozen=True):
    """A file that arrived whole. `content_type` is what the server said, which proves nothing."""

    url: str
    content_type: str
    size: int
    etag: str | None
    last_modified: str | None
    resumes: int
    """How often it broke off on the way."""


class FetchClient:
    """The one HTTP door of a process. An async context manager; safe for any number of concurrent requests."""

    def __init__(
        self,
        settings: Settings,
        pool: "Pool | None" = None,  # the alias is text at run time
        *,
        limits: Limits | None = None,
        resolver: Callable[[], AbstractResolver] = aiohttp.ThreadedResolver,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Without a pool the pace is kept by this process alone.

        Raises:
            ConfigError: ORIHON_PRIVATE_ORIGINS holds something that is not an origin, CRAWLER_PROXY no proxy.
        """
        self._guard = Guard(settings.private_origins)
        self._pacer = Pacer(Intervals.of(settings), SharedPace(pool) if pool is not None else None, sleep=sleep)
        self._cdn_host = settings.fetch_cdn_host
        self._allowed_hosts = settings.fetch_allowed_hosts
        self._agent = settings.fetch_user_agent or f"orihon/{__version__}"
        self._proxy = Proxy.of(settings.fetch_proxy) if settings.fetch_proxy else None
        self._limits = limits or Limits()
        self._resolver = resolver
        self._now = now
        self._clock = clock

    async def __aenter__(self) -> Self:
        self._names = self._resolver()
        self._public = self._session(
            TCPConnector(
                # Through a proxy only its own name is looked up and connected to; sites are vetted by `proxy.vet`.
                resolver=self._resolver() if self._proxy else VettingResolver(self._resolver()),
                socket_factory=None if self._proxy else public_socket,
                ttl_dns_cache=_DNS_SECONDS,
                limit=_CONNECTIONS,
                limit_per_host=_CONNECTIONS_PER_HOST,
            )
        )
        # Origins that the operator named have a pool of connections of their own, so that no public name can
        # ever ride on one of them.
        self._named = self._session(
            TCPConnector(resolver=self._resolver(), limit=_CONNECTIONS, limit_per_host=_CONNECTIONS_PER_HOST)
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._public.close()
        await self._named.close()
        await self._names.close()

    async def get(
        self,
        url: str,
        *,
        referer: str | None = None,
        max_bytes: int = DOCUMENT_BYTES,
        etag: str | None = None,
        last_modified: str | None = None,
        allow: AllowList = ANY_HOST,
    ) -> Fetched:
        """Fetch a document into memory.

        With `etag` or `last_modified` of an earlier answer, an unchanged document comes back as status 304 without
        a body. `max_bytes` counts unpacked bytes.

        Raises:
            FetchError: see `fetch.errors`; a status outside 200-299 is an error.
        """
        conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
        headers = {name: value for name, value in conditions.items() if value is not None}
        conditional = bool(headers)
        headers["Accept-Encoding"] = ACCEPT
        first = self._guard.check(url, allow, referer=referer)
        target, response = await self._open(first, allow, headers, referer)
        async with response:
            unchanged = conditional and response.status == 304
            if not unchanged:
                await self._expect(target, response, success=range(200, 206))
            body = b"" if unchanged else await self._document(target, response, max_bytes)
            if is_challenge(response.headers, body):
                raise UnexpectedHtml("challenge", target.url)
            return Fetched(
                target.url,
                response.status,
                plain(response.headers, "Content-Type") or "",
                body,
                plain(response.headers, "ETag"),
                plain(response.headers, "Last-Modified"),
            )

    async def download(
        self,
        url: str,
        sink: Sink,
        *,
        max_bytes: int,
        referer: str | None = None,
        allow: AllowList | None = None,
    ) -> Downloaded:
        """Stream a file into `sink`; returns once it is whole.

        Nothing reaches the sink before the first bytes have shown that they are not an HTML page. A body that
        breaks off is resumed; where it cannot be, `sink.restart()` is called and it comes from the start. Without
        `allow`, CRAWLER_DOWNLOAD_ALLOWLIST decides, with the host of the referring page in it.

        Raises:
            FetchError: see `fetch.errors`. What the sink holds then is to be thrown away.
        """
        if allow is None:
            allow = AllowList.for_source(referer, self._cdn_host, self._allowed_hosts)
        first = self._guard.check(url, allow, referer=referer)
        transfer = Transfer(sink, max_bytes)
        resumes = 0
        while True:
            try:
                outcome = await self._attempt(first, transfer, allow, referer, resumes)
            except (Unreachable, TimedOut) as error:
                if resumes == 0:
                    raise
                outcome = error
            if isinstance(outcome, Downloaded):
                return outcome
            if resumes == RESUMES:
                raise outcome
            resumes += 1

    async def _attempt(
        self, first: Target, transfer: Transfer, allow: AllowList, referer: str | None, resumes: int
    ) -> Downloaded | FetchError:
        """One request of a download. An error that is returned, not raised, may be resumed from."""
        target, response = await self._open(first, allow, transfer.ask(), referer, file=True)
        async with response:
            if response.status == 416 and resumes:
                transfer.start_over()
                return HttpStatus(416, target.url)
            await self._expect(target, response, success=(200, 206))
            transfer.begin(target.url, response.status, response.headers)
            try:
                await pump(response.content, transfer.take, self._limits.read)
            except wire.ERRORS as error:
                transfer.break_off()
                return wire.broken_off(error, target.url, transfer.received, transfer.expected)
            if not transfer.finish():
                return CutShort(target.url, transfer.received, transfer.expected)
            return Downloaded(
                target.url,
                plain(response.headers, "Content-Type") or "",
                transfer.received,
                plain(response.headers, "ETag"),
                plain(response.headers, "Last-Modified"),
                resumes,
            )

    def _session(self, connector: TCPConnector) -> ClientSession:
        return ClientSession(
            connector=connector,
            cookie_jar=DummyCookieJar(),
            headers={"User-Agent": self._agent, "Accept": "*/*"},
            timeout=ClientTimeout(
                total=self._limits.total, sock_connect=self._limits.connect, sock_read=self._limits.read
            ),
            # Bodies are unpacked by `fetch.coding`, which knows the limit.
            auto_decompress=False,
            trust_env=False,
        )

    async def _open(
        self, target: Target, allow: AllowList, headers: dict[str, str], referer: str | None, *, file: bool = False
    ) -> tuple[Target, ClientResponse]:
        """Send a request and follow redirects, each judged and paced like a first address."""
        page = clean_referer(referer)
        if page is not None:
            headers = headers | {"Referer": page}
        asked = target.url
        requested = 0
        while True:
            response = await self._send(target, headers)
            requested += 1
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or location is None:
                return target, response
            response.release()
            target = self._guard.follow(target, location, requested, allow)
            if leads_to_login(asked, target.url):
                raise UnexpectedHtml("login", target.url)
            if file and leads_to_stand_in(asked, target.url):
                raise Placeholder(asked)

    async def _send(self, target: Target, headers: dict[str, str]) -> ClientResponse:
        held = await self._pacer.wait_for(target.host)
        if held is not None:
            raise RateLimited(target.url, held.seconds)
        url = _as_sent(target)
        began = self._clock()
        try:
            response = await self._request(target, url, headers)
        except wire.ERRORS as error:
            if isinstance(error, TimeoutError):
                self._pacer.answered(target.host, self._clock() - began, None)
            raise wire.unanswered(error, target.url) from error
        self._pacer.answered(target.host, self._clock() - began, response.status)
        return response

    async def _request(self, target: Target, url: URL, headers: dict[str, str]) -> ClientResponse:
        if target.named:
            return await self._named.get(url, headers=headers, allow_redirects=False)
        if self._proxy is None:
            return await self._public.get(url, headers=headers, allow_redirects=False)
        return await self._send_by_proxy(self._proxy, url, headers)

    async def _send_by_proxy(self, proxy: Proxy, url: URL, headers: dict[str, str]) -> ClientResponse:
        try:
            await vet(self._names, url.raw_host or "", url.port or 0)
        except OSError as error:
            raise wire.unnamed(error, str(url)) from error
        # Over TLS the credentials belong to the tunnel, not to what the site gets to see.
        seen = headers if url.scheme == "https" else headers | proxy.headers
        try:
            return await self._public.get(
                url, headers=seen, allow_redirects=False, proxy=proxy.url, proxy_headers=proxy.headers
            )
        except aiohttp.ClientConnectorDNSError as error:  # of the proxy's name, which alone is looked up here
            raise Unreachable(str(url), "proxy", "its name cannot be looked up") from error

    async def _expect(self, target: Target, response: ClientResponse, success: range | tuple[int, ...]) -> None:
        """Turn anything but success into its error, telling the pacer when the host asks for a pause."""
        status, headers = response.status, response.headers
        if status in success:
            return
        start = await _start(response, self._limits.read) if status in (401, 403, 429) or status >= 500 else b""
        if is_challenge(headers, start):
            raise UnexpectedHtml("challenge", target.url)
        pause = retry_after(headers, self._now())
        if status == 429 or (status == 503 and pause is not None):
            pause = pause or DEFAULT_PAUSE
            await self._pacer.hold(target.host, pause, f"status {status}")
            raise RateLimited(target.url, pause)
        if status in (401, 403):
            kind = classify(headers, start) if looks_like_html(start, whole=True) else "page"
            if kind != "page":
                raise UnexpectedHtml(kind, target.url)
            raise Denied(status, target.url)
        if status in (404, 410):
            raise Gone(status, target.url)
        error = HttpStatus(status, target.url)
        error.retry_after = pause
        raise error

    async def _document(self, target: Target, response: ClientResponse, limit: int) -> bytes:
        announced = response.content_length
        if announced is not None and announced > limit:
            raise TooLarge(target.url, limit)
        try:
            gathered = Collector(response.headers.get("Content-Encoding"), limit)
        except BadCoding as error:
            raise Malformed(target.url, str(error)) from error
        try:
            await pump(response.content, gathered.take, self._limits.read)
        except TooMuch:
            raise TooLarge(target.url, limit) from None
        except BadCoding as error:
            raise Malformed(target.url, str(error)) from error
        except wire.ERRORS as error:
            raise wire.broken_off(error, target.url, gathered.size, announced) from error
        if not gathered.complete:
            raise CutShort(target.url, gathered.size, None)
        return gathered.body()


def _as_sent(target: Target) -> URL:
    """The address for the HTTP library, byte for byte; it must see the host that the guard judged."""
    try:
        url = URL(target.url, encoded=True)
        agreed = url.raw_host == target.host.strip("[]")
    except ValueError:
        agreed = False
    if not agreed:
        raise Refused("Unparseable", target.url, "two readers of this address disagree about its host.")
    return url


async def _start(response: ClientResponse, patience: float) -> bytes:
    """The start of an error page, as far as it can be had; it only serves to name the error."""
    try:
        gathered = Collector(response.headers.get("Content-Encoding"), _ERROR_PAGE)
    except BadCoding:
        return b""
    # Whatever ends the reading, the start that arrived is what there is.
    with suppress(*wire.ERRORS, TooMuch, BadCoding):
        await pump(response.content, gathered.take, patience)
    return gathered.body()
