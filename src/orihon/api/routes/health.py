"""Whether the server lives, for people, supervisors and load balancers."""

from litestar import Response, get

from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.rights import anyone
from orihon.api.shapes import Health

PATIENCE = 3.0
"""Seconds that the database may take to answer, and to be reached: whoever asks for its health wants to know soon."""


@get("/healthz", guards=[anyone], responses=errors(), tags=["Health"], summary="The process answers")
async def alive() -> Health:
    return Health(status="ok")


async def _database(context: Given) -> Response[Health]:
    async with context.pool.acquire(timeout=PATIENCE) as db:
        await db.fetchval("SELECT 1", timeout=PATIENCE)
    return Response(Health(status="ok"), headers={"Cache-Control": "no-store"})


@get("/readyz", guards=[anyone], responses=errors(), tags=["Health"], summary="The database answers, too")
async def ready(context: Given) -> Response[Health]:
    return await _database(context)


@get("/health", guards=[anyone], responses=errors(), tags=["Health"], summary="The database answers, too")
async def health(context: Given) -> Response[Health]:
    return await _database(context)
