"""What is moving, as server-sent events."""

from typing import Any

from litestar import Request, get
from litestar.params import FromQuery
from litestar.response import Stream

from orihon.accounts.sessions import Session
from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.errors import ApiError, forbidden, invalid, unauthenticated, unavailable
from orihon.api.feeds import CHANNELS, TooManyStreams, Topic
from orihon.api.gate import who
from orihon.api.rights import anyone, viewer

_FOR_ALL: frozenset[Topic] = frozenset(("library",))


@get(
    "/events",
    guards=[anyone],
    media_type="text/event-stream",
    responses=errors(401, 403),
    tags=["Events"],
    summary="A stream of what is moving",
    description=(
        "`topics`: a comma separated list of library (the default), sources and jobs; the last two need an "
        "administrator. Each topic is an event of its name whose data is a snapshot; the first comes at once."
    ),
)
async def events(
    context: Given,
    request: Request[Any, Any, Any],
    topics: FromQuery[str | None] = None,
) -> Stream:
    chosen = _topics(topics)
    if refused := _refused(chosen, viewer(request)):
        raise refused

    async def may_watch() -> bool:
        session = await who(context, request.scope["headers"])
        if session is None and context.settings.private_mode:
            return False
        return _refused(chosen, session) is None

    try:
        stream = context.feeds.open(chosen, may_watch)
    except TooManyStreams as error:
        raise unavailable(str(error), seconds=10) from error
    # Proxies that gather answers before they pass them on would hold events back.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(stream, media_type="text/event-stream", headers=headers)


def _refused(topics: list[Topic], session: Session | None) -> ApiError | None:
    """Why these topics are not for this reader. Strangers of a private installation do not come so far."""
    if _FOR_ALL.issuperset(topics):
        return None
    if session is None:
        return unauthenticated()
    return None if session.is_admin else forbidden()


def _topics(text: str | None) -> list[Topic]:
    words = [word.strip() for word in (text or "").split(",") if word.strip()] or ["library"]
    chosen: list[Topic] = [topic for topic in CHANNELS if topic in words]
    if len(chosen) < len(set(words)):
        raise invalid("topics", "invalid", f"`topics` are some of: {', '.join(CHANNELS)}.")
    return chosen
