"""The web process: the API, the files and the web app behind one server."""

import asyncio
import resource

from granian.constants import HTTPModes, Interfaces
from granian.server.embed import Server

from orihon.api.app import build
from orihon.api.context import Services
from orihon.app import process
from orihon.config import Settings
from orihon.db.notify import Bus
from orihon.media.decoder import DecoderPool
from orihon.media.thumbnails import Thumbnails
from orihon.runtime import logs
from orihon.storage.local import LocalStorage

CONNECTIONS = 8

PATIENCE = 30.0
"""Seconds that a statement may take. Who asks is told so before most proxies and people give up; the longest that there
is, the removal of a source of a hundred thousand titles, takes a few."""


MOST_CONNECTIONS = 4096
"""Browsers and proxies that may be connected at once; idle ones count. Whoever comes later waits until one leaves."""

_OTHER_FILES = 256
"""Descriptors for everything that is no connection of a client and no file that one is being sent."""


def connections_allowed() -> int:
    """How many may be connected, with room for a file that each is sent.

    The limit of open files is raised towards what it takes: systems set it to 1024 for old programs' sake, and let each
    process have more.
    """
    wanted = 2 * MOST_CONNECTIONS + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    return max(min(MOST_CONNECTIONS, (soft - _OTHER_FILES) // 2), 1)


def run_web(settings: Settings) -> int:
    """Serve the API, the files and the web app until told to stop; the exit status."""
    logs.configure(json=settings.log_json)
    return process.run_until_told(_serve(settings))


async def _serve(settings: Settings) -> None:
    dsn = process.database_of(settings)
    async with (
        process.pool(dsn, size=CONNECTIONS, patience=PATIENCE, most_idle=PATIENCE) as pool,
        Bus(dsn) as bus,
        DecoderPool(processes=1, most_pixels=settings.max_image_pixels) as decoder,
    ):
        thumbnails = Thumbnails(
            settings.data / "cache" / "thumbs", decoder, most_bytes=settings.thumbnail_cache_mb * 1024 * 1024
        )
        app = build(
            Services(
                settings=settings,
                pool=pool,
                storage=LocalStorage(settings.data),
                thumbnails=thumbnails,
                bus=bus,
            )
        )
        server = Server(
            app,
            address=settings.host,
            port=settings.port,
            interface=Interfaces.ASGI,
            http=HTTPModes.http1,
            websockets=False,
            backlog=1024,
            backpressure=connections_allowed(),
            log_enabled=False,
        )
        serving = asyncio.create_task(server.serve())
        try:
            await asyncio.shield(serving)
        finally:
            # Streams would otherwise hold the shutdown up for as long as somebody watches.
            app.close()
            server.stop()  # type: ignore[no-untyped-call]  # the library has no types here
            await serving
