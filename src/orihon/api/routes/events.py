"""What is moving, as server-sent events."""

from typing import Any

from litestar import Request, get
from litestar.params import FromQuery
from litestar.response import Stream

from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.errors import forbidden, invalid, unauthenticated, unavailable
from orihon.api.feeds import CHANNELS, TooManyStreams, Topic
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
    if not _FOR_ALL.issuperset(chosen):
        session = viewer(request)
        if session is None:
            raise unauthenticated()
        if not session.is_admin:
            raise forbidden()
    try:
        stream = context.feeds.open(chosen)
    except TooManyStreams as error:
        raise unavailable(str(error), seconds=10) from error
    # Proxies that gather answers before they pass them on would hold events back.
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(stream, media_type="text/event-stream", headers=headers)


def _topics(text: str | None) -> list[Topic]:
    words = [word.strip() for word in (text or "").split(",") if word.strip()] or ["library"]
    chosen: list[Topic] = [topic for topic in CHANNELS if topic in words]
    if len(chosen) < len(set(words)):
        raise invalid("topics", "invalid", f"`topics` are some of: {', '.join(CHANNELS)}.")
    return chosen
