"""The web process's application behind a real server on loopback, and a browser-like client."""

import asyncio
import socket
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import aiohttp
import asyncpg
import msgspec
from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server

from orihon.accounts import users
from orihon.accounts.passwords import Passwords
from orihon.api.app import App, build
from orihon.api.context import Services
from orihon.config import Settings
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.notify import Bus
from orihon.db.pool import Pool, open_pool
from orihon.media import store
from orihon.media.decoder import DecoderPool
from orihon.media.inbound import Inbound
from orihon.media.store import Medium
from orihon.media.thumbnails import Thumbnails
from orihon.storage.local import LocalStorage

PASSWORD = "correct horse battery staple"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


class Answer(msgspec.Struct):
    """What came back."""

    status: int
    headers: Any
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)


class Browser:
    """A client with cookies of its own, whose changes say that they come from the same origin, as a browser's do."""

    def __init__(self, origin: str, session: aiohttp.ClientSession) -> None:
        self.origin = origin
        self.session = session

    async def ask(self, method: str, path: str, **options: Any) -> Answer:
        headers = (
            SAME_ORIGIN | options.pop("headers", {}) if method not in {"GET", "HEAD"} else options.pop("headers", {})
        )
        url = path if path.startswith("http") else self.origin + path
        async with self.session.request(method, url, headers=headers, allow_redirects=False, **options) as answer:
            return Answer(answer.status, answer.headers, await answer.read())

    async def get(self, path: str, **options: Any) -> Answer:
        return await self.ask("GET", path, **options)

    async def post(self, path: str, body: Any = None, **options: Any) -> Answer:
        return await self.ask("POST", path, json=body, **options)

    async def put(self, path: str, body: Any = None, **options: Any) -> Answer:
        return await self.ask("PUT", path, json=body, **options)

    async def sign_in(self, username: str, password: str = PASSWORD) -> Answer:
        return await self.post("/api/v1/auth/login", {"username": username, "password": password})


class Site:
    """A running application."""

    def __init__(self, app: App, services: Services, origin: str) -> None:
        self.app = app
        self.services = services
        self.origin = origin
        self._sessions: list[aiohttp.ClientSession] = []

    @property
    def pool(self) -> Pool:
        return self.services.pool

    def browser(self) -> Browser:
        """Somebody with no cookies yet."""
        session = aiohttp.ClientSession(
            cookie_jar=aiohttp.CookieJar(unsafe=True), auto_decompress=False, skip_auto_headers={"Accept-Encoding"}
        )
        self._sessions.append(session)
        return Browser(self.origin, session)

    async def person(self, username: str, *, admin: bool = False) -> Browser:
        """Somebody new, signed in."""
        hasher = Passwords(threads=1)
        async with self.pool.acquire() as db:
            await users.add(db, username, PASSWORD, admin=admin, hasher=hasher)
        hasher.close()
        browser = self.browser()
        assert (await browser.sign_in(username)).status == 200
        return browser

    async def keep(self, body: bytes) -> Medium:
        """Put an image, or a file that is none, into the store."""
        return await keep_file(self.pool, self.services.storage, body)

    async def close(self) -> None:
        for session in self._sessions:
            await session.close()


@asynccontextmanager
async def own_database(server: EmbeddedPostgres) -> AsyncIterator[tuple[Pool, str]]:
    """A migrated database for a whole module, whose tests leave each other's rows alone."""
    name = f"t_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE orihon_template STRATEGY file_copy")
    pool = await open_pool(server.dsn(name))
    try:
        yield pool, server.dsn(name)
    finally:
        pool.terminate()
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


async def keep_file(pool: Pool, storage: LocalStorage, body: bytes) -> Medium:
    """Put a file into a store."""
    with storage.stage() as staged:
        inbound = Inbound(staged)
        inbound.write(body)
        probed = inbound.finish_file()
        await storage.keep(staged, store.storage_key(probed.sha256, probed.format))
        async with pool.acquire() as db:
            return await store.keep(db, storage, probed)


@asynccontextmanager
async def serving(
    pool: Pool,
    dsn: str,
    folder: Path,
    *,
    web: Path | None = None,
    now: Callable[[], float] = time.monotonic,
    **settings: Any,
) -> AsyncIterator[Site]:
    """Serve on a free port of loopback."""
    configured = Settings(**({"data": folder, "auth_rate_per_sec": 0} | settings))
    async with Bus(dsn) as bus, DecoderPool(processes=1) as decoder:
        await bus.ready()
        services = Services(
            settings=configured,
            pool=pool,
            storage=LocalStorage(folder),
            thumbnails=Thumbnails(folder / "cache" / "thumbs", decoder, most_bytes=2**30),
            bus=bus,
        )
        app = build(services, now=now, **({"web": web} if web else {}))
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        server = Server(
            app,
            port=port,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            websockets=False,
            log_enabled=False,
        )
        serve = asyncio.create_task(server.serve())
        site = Site(app, services, f"http://127.0.0.1:{port}")
        try:
            await _answering(port)
            yield site
        finally:
            await site.close()
            app.close()
            server.stop()
            await serve


async def _answering(port: int) -> None:
    while True:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.01)
        else:
            writer.close()
            return


async def a_work(pool: Pool, title: str, **fields: Any) -> UUID:
    """A work with its searchable titles, as a source would have brought it."""
    names = ["title", *fields]
    places = ", ".join(f"${index + 1}" for index in range(len(names)))
    work_id: UUID = await pool.fetchval(
        f"INSERT INTO works ({', '.join(names)}) VALUES ({places}) RETURNING id", title, *fields.values()
    )
    await pool.execute(
        "INSERT INTO work_titles SELECT DISTINCT id, fold(t) FROM works, unnest(title || alt_titles) t WHERE id = $1",
        work_id,
    )
    return work_id


async def a_chapter(pool: Pool, work_id: UUID, position: int, **fields: Any) -> UUID:
    """A chapter at a place of the reading order."""
    values = {"number": position} | fields
    names = ["work_id", "sort_key", *values]
    places = ", ".join(f"${index + 1}" for index in range(len(names)))
    chapter_id: UUID = await pool.fetchval(
        f"INSERT INTO chapters ({', '.join(names)}) VALUES ({places}) RETURNING id",
        work_id,
        position,
        *values.values(),
    )
    await pool.execute(
        "UPDATE works SET chapter_count = (SELECT count(*) FROM chapters WHERE work_id = $1) WHERE id = $1", work_id
    )
    return chapter_id
