"""Where the person who is signed in has got to."""

from typing import Any
from uuid import UUID

from litestar import Controller, Request, get, put
from litestar.params import FromQuery, JSONBody

from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.errors import invalid
from orihon.api.params import Limit, clamp_limit
from orihon.api.rights import person, signed_in
from orihon.api.shapes import ProgressBody, ProgressList
from orihon.reading import progress
from orihon.reading.progress import Saved

_MOST = 1000


class ProgressController(Controller):
    path = "/me/progress"
    tags = ("Reading",)

    @get(
        guards=[signed_in],
        responses=errors(401),
        summary="Progress, latest first",
        description="`manga_id`: of one title. `latest`: one per title, with its card, to go on reading.",
    )
    async def list_progress(
        self,
        context: Given,
        request: Request[Any, Any, Any],
        manga_id: FromQuery[UUID | None] = None,
        latest: FromQuery[bool] = False,
        limit: Limit = 50,
    ) -> ProgressList:
        async with context.pool.acquire() as db:
            found = await progress.recent(
                db, person(request).user_id, work_id=manga_id, latest=latest, limit=clamp_limit(limit, _MOST)
            )
        return ProgressList(items=found)

    @put(
        guards=[signed_in],
        responses=errors(401, 403, 415),
        summary="Say where one has got to; merged with what is known",
        description="Sending it again changes nothing. Chapters that do not exist are named in `unknown`.",
    )
    async def put_progress(
        self, context: Given, request: Request[Any, Any, Any], data: JSONBody[ProgressBody]
    ) -> Saved:
        if len(data.items) > progress.MOST_ITEMS:
            raise invalid("items", f"max {progress.MOST_ITEMS}", "Too many at once; send them in parts.")
        async with context.pool.acquire() as db:
            return await progress.put(db, person(request).user_id, data.items)
