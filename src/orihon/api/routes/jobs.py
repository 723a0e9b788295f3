"""The queue, for those who run the place."""

from typing import Annotated

from litestar import Controller, get, post
from litestar.params import FromQuery, JSONBody, QueryParameter

from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.errors import invalid
from orihon.api.params import Limit, Offset, choice, clamp_limit, clamp_offset
from orihon.api.rights import administrator
from orihon.api.shapes import JobPage, Lanes, PageInfo, RequeueBody, Requeued
from orihon.jobs import board, upkeep
from orihon.jobs.board import State

_STATES: tuple[State, ...] = ("pending", "running", "done", "dead")


class JobController(Controller):
    path = "/jobs"
    tags = ("Jobs",)

    @get("/counts", guards=[administrator], responses=errors(401, 403), summary="How much waits, runs and lies dead")
    async def counts(self, context: Given) -> Lanes:
        async with context.pool.acquire() as db:
            return Lanes(lanes=await board.counts(db))

    @get(
        guards=[administrator],
        responses=errors(401, 403),
        summary="Jobs of a state",
        description="`state`: pending, running, done or dead (the default). `kind`: of one kind.",
    )
    async def list_jobs(
        self,
        context: Given,
        in_state: Annotated[str | None, QueryParameter(name="state")] = None,
        kind: FromQuery[str | None] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> JobPage:
        rows, skipped = clamp_limit(limit, board.MOST_LISTED), clamp_offset(offset)
        wanted = choice("state", in_state, _STATES) or "dead"
        async with context.pool.acquire() as db:
            found = await board.listed(db, wanted, kind=(kind or "").strip() or None, limit=rows, offset=skipped)
        return JobPage(items=found, page=PageInfo(limit=rows, offset=skipped))

    @post(
        "/requeue",
        guards=[administrator],
        status_code=200,
        responses=errors(401, 403, 415),
        summary="Give dead jobs a new life",
    )
    async def requeue(self, context: Given, data: JSONBody[RequeueBody]) -> Requeued:
        match data.scope:
            case "all" if not data.confirm:
                raise invalid("confirm", "required", "Every dead job would run again. Say `confirm` to do it.")
            case "kind" if not (data.kind or "").strip():
                raise invalid("kind", "required", "Say which kind.")
            case "job" if data.id is None:
                raise invalid("id", "required", "Say which job.")
        async with context.pool.acquire() as db:
            count = await upkeep.requeue(
                db,
                kind=data.kind if data.scope == "kind" else None,
                job_id=data.id if data.scope == "job" else None,
            )
        return Requeued(requeued=count)
