"""What every request passes before a handler sees it: who asks, private mode, and the cross-site guard."""

import asyncio
from typing import Any

from litestar.types import ASGIApp, HTTPReceiveMessage, Receive, Send

from orihon.accounts import sessions
from orihon.accounts.sessions import Session
from orihon.api import origin, wire
from orihon.api.context import Context
from orihon.api.errors import ApiError, Code, envelope, unauthenticated
from orihon.api.wire import Headers
from orihon.config import Settings

OPEN_IN_PRIVATE = frozenset(
    ("/api/v1/auth/login", "/api/v1/auth/logout", "/api/v1/auth/config", "/api/v1/health", "/healthz", "/readyz")
)
"""What strangers reach in private mode. The web app itself is code, not library, and stays reachable, too."""

_SAFE = frozenset(("GET", "HEAD", "OPTIONS"))

_LONGEST_TOKEN = 200
_MOST_TOKENS = 4

BODY_PATIENCE = 60.0
"""Seconds in which the whole body of a change must arrive."""


def session_tokens(headers: Headers) -> list[str]:
    """What the cookies offer as the session's token, most often one.

    A browser sends an old one along, and programs on the same host may set what they like; neither may hide ours.
    """
    found = []
    for key, value in headers:
        if key == b"cookie":
            for cookie in value.decode("latin-1").split(";"):
                name, _, token = cookie.strip().partition("=")
                if name == sessions.COOKIE and 0 < len(token) <= _LONGEST_TOKEN:
                    found.append(token)
    return found[:_MOST_TOKENS]


async def who(context: Context, headers: Headers) -> Session | None:
    """Who sends these headers."""
    for token in session_tokens(headers):
        if (session := await context.sessions.get(token)) is not None:
            return session
    return None


def cross_site() -> ApiError:
    """403 for a change that another site's page may have sent."""
    return ApiError(
        403,
        Code.CROSS_SITE,
        "This change does not come from a page of this server. Behind a proxy that hides the address, set "
        "ORIHON_PUBLIC_URL to the address that people type; for a page elsewhere, add its origin to "
        "ADMIN_ALLOWED_ORIGINS.",
    )


def in_time(receive: Receive, seconds: float) -> Receive:
    """Messages of a request whose body must arrive in time; what comes after the body may take any time.

    A client that leaves in the middle of its body is no failure of the server's, so it is no error in the log, either.
    """
    deadline, whole = asyncio.get_running_loop().time() + seconds, False

    async def received() -> HTTPReceiveMessage:
        nonlocal whole
        if whole:
            return await receive()  # type: ignore[return-value]  # never of a websocket
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            late = "The body of the request did not arrive in time."
            raise ApiError(408, Code.INVALID_INPUT, late, headers={"Connection": "close"}) from None
        if message["type"] == "http.disconnect":
            raise ApiError(400, Code.INVALID_INPUT, "The client left before the body of its request was whole.")
        whole = not message.get("more_body", False)
        return message  # type: ignore[return-value]  # as above

    return received


class Gate:
    """ASGI middleware; handlers find the session, if there is one, in `scope["user"]` (see `rights`)."""

    def __init__(self, app: ASGIApp, context: Context) -> None:
        self._app = app
        self._context = context

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                scope["user"] = await self._admit(scope)
            except Exception as error:
                if (answer := envelope(error)).body.error.code is Code.INTERNAL:
                    raise
                await wire.error(send, answer, head=scope["method"] == "HEAD")
                return
            if scope["method"] not in _SAFE:
                receive = in_time(receive, BODY_PATIENCE)
        await self._app(scope, receive, send)

    async def _admit(self, scope: Any) -> Session | None:
        headers, settings = scope["headers"], self._context.settings
        session = await who(self._context, headers)
        if session is None and settings.private_mode and scope["path"] not in OPEN_IN_PRIVATE:
            raise unauthenticated()
        if scope["method"] not in _SAFE:
            # Without a session there is no power to abuse, but for the sign-in itself: a page elsewhere could sign its
            # visitor in to its own account. Programs, which name no page, may sign in.
            elsewhere = origin.foreign if session is None else _not_proven_ours
            if elsewhere(headers, settings):
                raise cross_site()
        return session


def _not_proven_ours(headers: Headers, settings: Settings) -> bool:
    return not origin.same_site(headers, settings)
