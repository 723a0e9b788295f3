"""The right that a route needs. Every route states exactly one of these guards, and a test finds one that does not.

They are coroutines only because the framework sends a plain function to a thread, which costs more than the guard.
"""

from typing import Any

from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from orihon.accounts.sessions import Session
from orihon.api.errors import forbidden, unauthenticated

Connection = ASGIConnection[Any, Any, Any, Any]


def viewer(connection: Connection) -> Session | None:
    """Who is signed in (set by the gate)."""
    session: Session | None = connection.scope["user"]
    return session


def person(connection: Connection) -> Session:
    """Who is signed in.

    Raises:
        ApiError: nobody.
    """
    session = viewer(connection)
    if session is None:
        raise unauthenticated()
    return session


async def anyone(_: Connection, __: BaseRouteHandler) -> None:
    """Everybody whom the gate lets in: strangers, too, unless the installation is private."""


async def signed_in(connection: Connection, _: BaseRouteHandler) -> None:
    """Whoever has a session."""
    person(connection)


async def administrator(connection: Connection, _: BaseRouteHandler) -> None:
    """An administrator with a session of their own; no other credential carries this power."""
    if not person(connection).is_admin:
        raise forbidden()


RIGHTS = (anyone, signed_in, administrator)
