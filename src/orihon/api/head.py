"""HEAD as the GET that it stands for, without the body (RFC 9110 section 9.3.2)."""

from typing import Any

from litestar.types import ASGIApp, Receive, Send


class HeadAsGet:
    """ASGI middleware for an application that knows GET alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        started = False

        async def head_alone(message: Any) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                await send(message)
                started = True

        async def gone() -> Any:
            # A stream would go on for as long as somebody listens, and nobody does.
            return {"type": "http.disconnect"} if started else await receive()

        as_get: Any = {**scope, "method": "GET"}
        await self._app(as_get, gone, head_alone)
        await send({"type": "http.response.body", "body": b"", "more_body": False})
