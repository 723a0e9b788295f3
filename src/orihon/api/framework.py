"""The API as the framework sees it: every route, its document, and how errors look."""

import re
from typing import Any

from litestar import Litestar, Request, Router
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.types import ControllerRouterHandler, Message, Scope

from orihon import __version__
from orihon.accounts.sessions import COOKIE
from orihon.api.context import Context
from orihon.api.errors import HANDLERS, unsupported_media_type
from orihon.api.reference import ReferencePage
from orihon.api.routes import auth, chapters, events, health, jobs, mangas, progress, sources

PREFIX = "/api/v1"

MOST_BODY = 2 * 1024 * 1024
"""Bytes of a request's body; the largest is a guest's progress of a thousand chapters."""

_BODILESS = frozenset(("GET", "HEAD", "OPTIONS"))

_JSON = re.compile(r"application/([a-z0-9.-]+\+)?json", re.IGNORECASE)

ROUTES: tuple[ControllerRouterHandler, ...] = (
    auth.AuthController,
    mangas.MangaController,
    chapters.ChapterController,
    progress.ProgressController,
    sources.SourceController,
    jobs.JobController,
    events.events,
    health.health,
)


async def _harden(message: Message, _: Scope) -> None:
    """Nothing is guessed about a body, and nobody keeps an answer that does not say so itself."""
    if message["type"] == "http.response.start":
        headers = [(name, _with_head(value) if name == b"allow" else value) for name, value in message["headers"]]
        headers.append((b"x-content-type-options", b"nosniff"))
        if all(name != b"cache-control" for name, _ in headers):
            headers.append((b"cache-control", b"private, no-cache"))
        message["headers"] = headers


def _with_head(allowed: bytes) -> bytes:
    return allowed + b", HEAD" if b"GET" in allowed and b"HEAD" not in allowed else allowed


async def _require_json(request: Request[Any, Any, Any]) -> None:
    """Refuse a body that says it is something else, where one is read; one that says nothing may be JSON."""
    if request.method in _BODILESS:
        return
    kind, _ = request.content_type
    if kind and not _JSON.fullmatch(kind) and "data" in request.route_handler.parsed_fn_signature.parameters:
        raise unsupported_media_type(kind)


def make(context: Context | None) -> Litestar:
    """The framework's application. Without a context it can only be described (`openapi`)."""

    async def given() -> Context | None:
        return context

    return Litestar(
        route_handlers=[Router(PREFIX, route_handlers=ROUTES), health.alive, health.ready],
        dependencies={"context": Provide(given)},
        exception_handlers=HANDLERS,
        before_request=_require_json,
        before_send=[_harden],
        request_max_body_size=MOST_BODY,
        openapi_config=OpenAPIConfig(
            title="Orihon",
            version=__version__,
            description=(
                "The library over HTTP. Every error has the shape of `ErrorEnvelope`. Changes that carry the session "
                "cookie must come from a page of this server. Bytes of images are served at the addresses that the "
                "answers name, `?w=` pixels wide on demand."
            ),
            path="/",
            render_plugins=[ReferencePage(path="/docs"), JsonRenderPlugin(path="/openapi.json")],
            components=Components(
                security_schemes={"session": SecurityScheme(type="apiKey", name=COOKIE, security_scheme_in="cookie")}
            ),
            use_handler_docstrings=False,
        ),
    )
