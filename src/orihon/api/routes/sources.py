"""Sources: what is followed."""

from collections.abc import Collection
from uuid import UUID

from litestar import Controller, delete, get, patch, post
from litestar.params import FromPath, FromQuery, JSONBody

from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.errors import ApiError, Code, invalid, not_found
from orihon.api.looks import source_list
from orihon.api.params import Limit, Offset, choice, clamp_limit, clamp_offset
from orihon.api.rights import administrator
from orihon.api.shapes import (
    AdapterList,
    AdapterView,
    CheckBody,
    GivenUpList,
    PageInfo,
    Queued,
    RemovedList,
    SourceList,
    SourceView,
    WalkList,
    source_view,
)
from orihon.config import ConfigError
from orihon.db.pool import Connection
from orihon.fetch.errors import FetchError
from orihon.ingest import forgetting, sources
from orihon.ingest.forgetting import StillFollowed
from orihon.ingest.rules import Asked
from orihon.ingest.sources import AlreadyFollowed, NewSource, SourceEdit
from orihon.jobs.queue import Enqueued
from orihon.runtime import live_status
from orihon.sources.adapter import BadSettings
from orihon.sources.preview import Preview, preview
from orihon.sources.registry import kinds, open_adapter

_ASKED: tuple[Asked, ...] = ("backfill", "recovery")


class SourceController(Controller):
    path = "/sources"
    tags = ("Sources",)

    @get(guards=[administrator], responses=errors(401, 403), summary="Every source, with what it does now")
    async def list_sources(self, context: Given) -> SourceList:
        async with context.pool.acquire() as db:
            return await source_list(db)

    @post(guards=[administrator], responses=errors(401, 403, 409, 415), summary="Follow a source")
    async def add_source(self, context: Given, data: JSONBody[NewSource]) -> SourceView:
        try:
            async with context.pool.acquire() as db, db.transaction():
                source_id = await sources.add(db, data)
                return await _view(db, source_id)
        except BadSettings as error:
            raise invalid("settings", "invalid", str(error)) from error
        except AlreadyFollowed as error:
            raise ApiError(409, Code.CONFLICT, str(error)) from error

    @get("/adapters", guards=[administrator], responses=errors(401, 403), summary="Kinds of source that there are")
    async def list_adapters(self) -> AdapterList:
        return AdapterList(
            items=[
                AdapterView(
                    name=kind.name,
                    title=kind.title,
                    about=kind.about,
                    address=kind.address,
                    offers=list(kind.offers),
                    settings=list(kind.settings),
                    presets=list(kind.presets()),
                )
                for kind in kinds()
            ]
        )

    @post(
        "/check",
        guards=[administrator],
        status_code=200,
        responses=errors(401, 403, 415),
        summary="What a source would bring, before it is followed",
        description="Of a catalogue one list page, one title and one chapter are read, of a feed its creator and the "
        "newest posts. What goes wrong is told in `failure`.",
    )
    async def check(self, context: Given, data: JSONBody[CheckBody]) -> Preview:
        # Loaded when it is needed: it is seldom used, and would make every start and the idle web process heavier.
        from orihon.fetch.client import FetchClient

        try:
            adapter = open_adapter(data.adapter, data.url, data.settings)
        except BadSettings as error:
            raise invalid("settings", "invalid", str(error)) from error
        try:
            door = FetchClient(context.settings, context.pool)
        except ConfigError as error:
            # `orihon serve` stops at once with these words; a web process alone has nobody else to tell.
            raise ApiError(503, Code.UNAVAILABLE, str(error)) from error

        async def held(keys: Collection[str]) -> Collection[str]:
            async with context.pool.acquire() as db:
                return await sources.held_media(db, data.adapter, data.url, keys)

        async with door as fetcher:
            return await preview(adapter, fetcher, expected=(FetchError,), held=held)

    @get("/{source_id:uuid}", guards=[administrator], responses=errors(401, 403, 404), summary="One source")
    async def get_source(self, context: Given, source_id: FromPath[UUID]) -> SourceView:
        async with context.pool.acquire() as db:
            return await _view(db, source_id)

    @patch(
        "/{source_id:uuid}",
        guards=[administrator],
        responses=errors(401, 403, 404, 409, 415),
        summary="Change or pause a source; what is absent stays",
    )
    async def edit_source(self, context: Given, source_id: FromPath[UUID], data: JSONBody[SourceEdit]) -> SourceView:
        try:
            async with context.pool.acquire() as db, db.transaction():
                await sources.edit(db, source_id, data)
                return await _view(db, source_id)
        except BadSettings as error:
            raise invalid("settings", "invalid", str(error)) from error
        except AlreadyFollowed as error:
            raise ApiError(409, Code.CONFLICT, str(error)) from error

    @delete(
        "/{source_id:uuid}",
        guards=[administrator],
        status_code=204,
        responses=errors(401, 403, 404),
        summary="Stop following; what it brought stays",
    )
    async def remove_source(self, context: Given, source_id: FromPath[UUID]) -> None:
        async with context.pool.acquire() as db, db.transaction():
            removed = await sources.remove(db, source_id)
        if not removed:
            raise not_found("source")

    @get(
        "/removed",
        guards=[administrator],
        responses=errors(401, 403),
        summary="Sources that were removed and are still remembered, latest first",
    )
    async def list_removed(self, context: Given) -> RemovedList:
        async with context.pool.acquire() as db:
            return RemovedList(items=await forgetting.removed(db))

    @delete(
        "/removed/{source_id:uuid}",
        guards=[administrator],
        status_code=204,
        responses=errors(401, 403, 409),
        summary="Forget a removed source for good",
        description="Which titles, posts and media are its own, its history, and what was deleted here of it are "
        "forgotten. Titles, files and reading progress stay. Following the address again begins anew: its titles come "
        "a second time. One that is forgotten already is no error.",
    )
    async def forget_source(self, context: Given, source_id: FromPath[UUID]) -> None:
        try:
            async with context.pool.acquire() as db, db.transaction():
                await forgetting.forget(db, source_id)
        except StillFollowed as error:
            raise ApiError(409, Code.CONFLICT, str(error)) from error

    @post(
        "/{source_id:uuid}/run",
        guards=[administrator],
        status_code=202,
        responses=errors(401, 403, 404),
        summary="Look for news now",
        description=(
            "`mode`: left out, look for news, or go on with the walk that is under way; `backfill`, walk the whole "
            "list; `recovery`, do so and ask again for media that were seen or given up, unless they are held whole."
        ),
    )
    async def run_source(self, context: Given, source_id: FromPath[UUID], mode: FromQuery[str | None] = None) -> Queued:
        asked = choice("mode", mode, _ASKED)
        async with context.pool.acquire() as db, db.transaction():
            answer = await sources.run_now(db, source_id, asked)
        if answer is None:
            raise not_found("source")
        return Queued(queued=isinstance(answer, Enqueued))

    @get(
        "/{source_id:uuid}/walks",
        guards=[administrator],
        responses=errors(401, 403, 404),
        summary="Walks of a source, latest first",
    )
    async def list_walks(
        self, context: Given, source_id: FromPath[UUID], limit: Limit = 50, offset: Offset = 0
    ) -> WalkList:
        rows, skipped = clamp_limit(limit), clamp_offset(offset)
        async with context.pool.acquire() as db:
            await _require(db, source_id)
            walks = await sources.walks(db, source_id, limit=rows, offset=skipped)
        return WalkList(items=walks, page=PageInfo(limit=rows, offset=skipped))

    @get(
        "/{source_id:uuid}/failures",
        guards=[administrator],
        responses=errors(401, 403, 404),
        summary="Files of a source that were given up, with the reason, latest first",
    )
    async def list_failures(
        self, context: Given, source_id: FromPath[UUID], limit: Limit = 50, offset: Offset = 0
    ) -> GivenUpList:
        rows, skipped = clamp_limit(limit), clamp_offset(offset)
        async with context.pool.acquire() as db:
            await _require(db, source_id)
            items = await sources.given_up(db, source_id, limit=rows, offset=skipped)
        return GivenUpList(items=items, page=PageInfo(limit=rows, offset=skipped))


async def _require(db: Connection, source_id: UUID) -> None:
    if await sources.get(db, source_id) is None:
        raise not_found("source")


async def _view(db: Connection, source_id: UUID) -> SourceView:
    found = await sources.overviews(db, source_id)
    if not found:
        raise not_found("source")
    return source_view(found[0], await live_status.read(db, kind="walk"))
