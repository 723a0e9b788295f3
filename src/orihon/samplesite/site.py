"""The sample site as a server: every request comes in through one door, which counts it and dresses its errors."""

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Self

from aiohttp import web

from orihon.samplesite import folder, html
from orihon.samplesite.catalogue import NEWEST, Catalogue, Chapter, Given, Image, Work
from orihon.samplesite.creators import Creators
from orihon.samplesite.delivery import WHOLE, deliver
from orihon.samplesite.faults import Rule, Switches, control, signing, wire
from orihon.samplesite.faults.sending import Sleep, send, taken
from orihon.samplesite.feed import ApiError, Feed
from orihon.samplesite.log import RequestLog, Seen
from orihon.samplesite.manifest import send_manifest
from orihon.samplesite.pictures import Pictures
from orihon.samplesite.ports import listen

PER_PAGE = 12
_WAIT = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24">'
    '<circle cx="12" cy="12" r="9" fill="none" stroke="#888" stroke-width="3" stroke-dasharray="40 20"/></svg>'
)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """The handlers, over a catalogue that may change at any time."""

    def __init__(
        self,
        catalogue: Catalogue,
        creators: Creators,
        pictures: Pictures,
        log: RequestLog,
        faults: Switches,
        *,
        clock: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
        per_page: int = PER_PAGE,
    ) -> None:
        self._faults = faults
        self._clock = clock
        self._sleep = sleep
        self._catalogue = catalogue
        self._creators = creators
        self._pictures = pictures
        self._log = log
        self._per_page = per_page

    def app(self) -> web.Application:
        """The routes behind the door."""
        app = web.Application(middlewares=[self._door])
        app.router.add_get("/", self._home)
        app.router.add_get("/works/", self._listing)
        app.router.add_get(r"/works/page/{page:[0-9]{1,9}}/", self._listing)
        app.router.add_get("/works/{slug}/", self._title)
        app.router.add_get("/read/{slug}/{key}/", self._reader)
        app.router.add_get("/img/{slug}/{name}", self._cover)
        app.router.add_get("/img/{slug}/{key}/{name}", self._page)
        app.router.add_get("/manifest.json", self._manifest)
        app.router.add_get("/static/site.css", self._style)
        app.router.add_get("/static/wait.svg", self._spinner)
        app.router.add_get(wire.LOGIN, self._login)
        app.router.add_get(wire.REMOVED, self._removed)
        app.router.add_get("/requests", self._requests)
        Feed(self._creators, self._pictures).add_to(app)
        control.add_to(app, self._faults)
        return app

    @web.middleware
    async def _door(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The one way in and out: what the site does to every request happens here and nowhere else."""
        response = await self._healthy(request, handler)
        fault = None
        answer = taken(response) if self._faults.any and request.method == "GET" else None
        if answer is not None:
            changed, fault = self._faults.apply(request.path, request.query, answer, response.get(WHOLE))
            if fault is not None:
                # Noted before it is sent: who waits for an answer that never comes has asked all the same.
                self._note(request, changed.status, fault)
                return await send(request, changed, self._sleep)
        self._note(request, response.status, None)
        return response

    async def _healthy(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """The answer of a site that nothing ails."""
        try:
            if not signing.valid(request.rel_url.raw_path, request.query, self._clock()):
                raise web.HTTPForbidden(text="This address has expired.")
            return await handler(request)
        except ApiError as error:
            return error.answer()
        except web.HTTPException as error:
            response = _document(html.error(HTTPStatus(error.status), error.text or ""), error.status)
            if "Allow" in error.headers:
                response.headers["Allow"] = error.headers["Allow"]
            return response

    def _note(self, request: web.Request, status: int, fault: str | None) -> None:
        headers = request.headers
        self._log.note(
            Seen(
                request.method,
                request.path,
                status,
                headers.get("Range"),
                "If-None-Match" in headers or "If-Modified-Since" in headers,
                fault,
            )
        )

    async def _home(self, _: web.Request) -> web.StreamResponse:
        return web.Response(status=302, headers={"Location": "/works/"})

    async def _listing(self, request: web.Request) -> web.StreamResponse:
        page = int(request.match_info.get("page", "1"))
        last = max(1, -(-len(self._catalogue) // self._per_page))
        if not 1 <= page <= last:
            raise web.HTTPNotFound(text=f"The listing has {last} pages, and {page} is not one of them.")
        works = self._catalogue.listed((page - 1) * self._per_page, self._per_page)
        return _document(html.listing(works, page, last))

    async def _title(self, request: web.Request) -> web.StreamResponse:
        return _document(html.title(self._work(request)))

    async def _reader(self, request: web.Request) -> web.StreamResponse:
        work = self._work(request)
        return _document(html.reader(work, _chapter(request, work)))

    async def _cover(self, request: web.Request) -> web.StreamResponse:
        work = self._work(request)
        if work.cover is None or html.cover_url(work) != request.path:
            raise web.HTTPNotFound(text="There is no such cover.")
        return await self._image(request, work.cover, NEWEST)

    async def _page(self, request: web.Request) -> web.StreamResponse:
        work = self._work(request)
        chapter = _chapter(request, work)
        number = request.match_info["name"].partition(".")[0]
        place = int(number) - 1 if number.isascii() and number.isdecimal() else -1
        if not 0 <= place < len(chapter.pages):
            raise web.HTTPNotFound(text=f"This chapter has {len(chapter.pages)} pages.")
        image = chapter.pages[place]
        if html.page_url(work, chapter, place + 1, image) != request.path:
            raise web.HTTPNotFound(text="There is no such page.")
        return await self._image(request, image, chapter.uploaded)

    async def _image(self, request: web.Request, image: Image, modified: datetime) -> web.StreamResponse:
        try:
            picture = await self._pictures.get(image)
        except FileNotFoundError as error:
            raise web.HTTPNotFound(text="This image was taken away while the site ran.") from error
        # Bytes that a test swaps in have no age of their own, and must not pass for the drawn ones.
        return deliver(request, picture, None if isinstance(image, Given) else modified)

    async def _manifest(self, request: web.Request) -> web.StreamResponse:
        work, creator = request.query.get("work"), request.query.get("creator")
        everything = work is None and creator is None
        works = self._catalogue.works if everything else [] if work is None else [self._find(work)]
        creators = [one for one in self._creators.all if everything or one.slug == creator]
        if creator is not None and not creators:
            raise web.HTTPNotFound(text="There is no such creator.")
        pictures = None if request.query.get("hashes") == "0" else self._pictures
        return await send_manifest(request, works, creators, pictures)

    async def _style(self, _: web.Request) -> web.StreamResponse:
        return web.Response(text=_stylesheet(), content_type="text/css", charset="utf-8")

    async def _login(self, _: web.Request) -> web.StreamResponse:
        return web.Response(body=wire.LOGIN_PAGE, content_type="text/html", charset="utf-8")

    async def _removed(self, _: web.Request) -> web.StreamResponse:
        return web.Response(body=wire.removed(), content_type="image/png")

    async def _requests(self, request: web.Request) -> web.StreamResponse:
        if not control.is_loopback(request.remote):
            raise web.HTTPForbidden(text="The log is read from this machine only.")
        return web.json_response(self._log.told())

    async def _spinner(self, _: web.Request) -> web.StreamResponse:
        return web.Response(text=_WAIT, content_type="image/svg+xml")

    def _work(self, request: web.Request) -> Work:
        return self._find(request.match_info["slug"])

    def _find(self, slug: str) -> Work:
        try:
            return self._catalogue.work(slug)
        except KeyError as error:
            raise web.HTTPNotFound(text="There is no such work.") from error


class SampleSite:
    """A running site, for tests and for the command: `async with SampleSite(tmp_path, works=3) as site: site.url`.

    Without a measure it offers the whole sample catalogue; `works` (with `chapters` and `pages` each) a small one;
    `titles` a long list of works that cost nothing; `catalogue` one's own. The creators are those of the demo beside
    the whole sample catalogue and none beside another, unless `creators` says who, or `posts` how much one creator has
    posted. `faults` are its switches, `log` is what it was asked for. Everything it keeps is under `data`.
    """

    def __init__(
        self,
        data: Path,
        *,
        works: int | None = None,
        chapters: int | None = None,
        pages: int | None = None,
        titles: int | None = None,
        catalogue: Catalogue | None = None,
        creators: Creators | None = None,
        posts: int | None = None,
        with_folder: Path | None = None,
        per_page: int = PER_PAGE,
        host: str = "127.0.0.1",
        port: int = 0,
        clock: Callable[[], float] = time.time,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        whole = catalogue is None and titles is None and works is None
        if catalogue is not None:
            self.catalogue = catalogue
        elif titles is not None:
            self.catalogue = Catalogue.plain(titles, chapters or 0, pages or 1)
        elif works is not None:
            self.catalogue = Catalogue.small(works, 4 if chapters is None else chapters, pages or 5)
        else:
            self.catalogue = Catalogue.sample()
        for work in reversed(folder.works(with_folder) if with_folder else []):
            self.catalogue.add(work)
        if creators is not None:
            self.creators = creators
        elif posts is not None:
            self.creators = Creators.plain(posts)
        else:
            self.creators = Creators.sample() if whole else Creators()
        self.log = RequestLog()
        self.faults = Switches(clock)
        self._clock = clock
        self._sleep = sleep
        self._data = data
        self._host, self._port = host, port
        self._per_page = per_page
        self._runner: web.AppRunner | None = None
        self._pictures: Pictures | None = None

    @property
    def origin(self) -> str:
        """Scheme, host and port: what the SSRF guard is told."""
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"http://{host}:{self._port}"

    @property
    def url(self) -> str:
        """The first page of the listing: what a source follows."""
        return f"{self.origin}/works/"

    def feed_url(self, slug: str) -> str:
        """A creator, as a source follows them."""
        return f"{self.origin}/api/creators/{slug}"

    async def start(self) -> None:
        """Listen.

        Raises:
            PortTaken: somebody else listens on the site's port.
        """
        socket = listen(self._host, self._port, self._data)
        self._port = socket.getsockname()[1]
        self._pictures = Pictures(self._data / "cache")
        site = Site(
            self.catalogue,
            self.creators,
            self._pictures,
            self.log,
            self.faults,
            clock=self._clock,
            sleep=self._sleep,
            per_page=self._per_page,
        )
        self._runner = web.AppRunner(site.app(), access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.SockSite(self._runner, socket).start()

    async def stop(self) -> None:
        """Close every connection and let the drawing threads end. A later start resumes on the same port."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()


def site_folder(data: Path) -> Path:
    """Where the sample site keeps its port and its drawings inside the data directory."""
    return data / "samplesite"


async def run(site: SampleSite, stop: asyncio.Event, ready: Callable[[str], None] | None = None) -> None:
    """Serve until `stop` is set. `ready` is told the address once it answers."""
    async with site:
        if ready is not None:
            ready(site.url)
        await stop.wait()


def serve(
    host: str,
    port: int,
    data: Path,
    with_folder: Path | None,
    ready: Callable[[str], None] | None = None,
    faults: Sequence[Rule] = (),
) -> None:
    """Serve the whole catalogue until SIGINT or SIGTERM. Port 0: the one of earlier runs, or else a free one.

    `faults` are switched on from the start.

    Raises:
        PortTaken: another program listens there.
        BadFolder: the folder of real images cannot be used.
        BadRule: one of the faults means nothing.
    """
    site = SampleSite(site_folder(data), with_folder=with_folder, host=host, port=port)
    site.faults.replace(faults)

    async def main() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        await run(site, stop, ready)

    asyncio.run(main())


def _document(text: str, status: int = 200) -> web.Response:
    return web.Response(text=text, status=status, content_type="text/html", charset="utf-8")


def _chapter(request: web.Request, work: Work) -> Chapter:
    try:
        return work.chapter(request.match_info["key"])
    except KeyError as error:
        raise web.HTTPNotFound(text="There is no such chapter.") from error


@cache
def _stylesheet() -> str:
    return files("orihon.samplesite").joinpath("site.css").read_text(encoding="utf-8")
