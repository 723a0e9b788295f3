"""The web process's ASGI application: files, web app and API behind one door."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from litestar.types import Receive

from orihon.api import framework, webapp
from orihon.api.context import Context, Services, make
from orihon.api.files import PREFIX as FILES
from orihon.api.files import Files
from orihon.api.gate import Gate
from orihon.api.head import HeadAsGet
from orihon.api.webapp import WebApp

__all__ = ["App", "Services", "build"]

_FRAMEWORK = ("/api/", "/docs", "/openapi.json", "/healthz", "/readyz")


def build(services: Services, *, web: Path = webapp.FOLDER, now: Callable[[], float] = time.monotonic) -> "App":
    """The application. The services must be open, and stay open until the application was shut down.

    Call it on the loop that will serve it. `now` is the sign-in limiter's clock, in seconds.
    """
    return App(make(services, now=now), web)


class App:
    """The application. `close` it before the server is stopped: open streams would hold that up."""

    def __init__(self, context: Context, web: Path) -> None:
        self._context = context
        self._files = Files(context)
        self._web = WebApp(web)
        self._api = Gate(HeadAsGet(framework.make(context)), context)

    def close(self) -> None:
        """End every stream."""
        self._context.feeds.close()

    async def __call__(self, scope: Any, receive: Receive, send: Any) -> None:
        if scope["type"] == "http":
            path: str = scope["path"]
            if path.startswith(FILES):
                await self._files(scope, receive, send)
            elif path.startswith(_FRAMEWORK):
                await self._api(scope, receive, send)
            else:
                await self._web(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000, "reason": None})

    async def _live(self, receive: Any, send: Any) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await send({"type": "lifespan.startup.complete"})
            else:
                self._context.feeds.close()
                self._context.passwords.close()
                await send({"type": "lifespan.shutdown.complete"})
                return
