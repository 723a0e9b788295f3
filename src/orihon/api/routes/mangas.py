"""Titles: the catalogue, one in full, and what is wanted."""

import functools
from typing import Any
from uuid import UUID

import msgspec
from litestar import Controller, Request, Response, delete, get, put
from litestar.params import FromPath, FromQuery

from orihon.api.context import Context, Given
from orihon.api.documented import answers, errors
from orihon.api.errors import invalid, not_found
from orihon.api.params import Limit, Offset, choice, clamp_limit, clamp_offset
from orihon.api.rights import administrator, anyone
from orihon.api.shapes import MangaPage, PageInfo
from orihon.db.notify import notify
from orihon.ingest import asking
from orihon.library import catalogue, wanted, works
from orihon.library.catalogue import NATURAL, Listing, Order, Sort
from orihon.library.visibility import WorkKind
from orihon.library.works import MangaDetail
from orihon.search import catalogue as searching
from orihon.search.catalogue import Query
from orihon.sources.records import Status

_KINDS: tuple[WorkKind, ...] = ("manga", "feed")
_STATUSES: tuple[Status, ...] = ("ongoing", "completed", "hiatus", "cancelled")
_SORTS: tuple[Sort, ...] = ("updated", "created", "title", "author")
_ALIASES: dict[str, Sort] = {"recent": "created"}
_ORDERS: tuple[Order, ...] = ("asc", "desc")


class MangaController(Controller):
    path = "/mangas"
    tags = ("Library",)

    @get(
        guards=[anyone],
        responses={**answers(MangaPage), **errors()},
        summary="The catalogue, sorted or searched",
        description=(
            "`kind`: manga (the default), feed (creators, their posts as chapters). "
            "`status`: ongoing, completed, hiatus, cancelled. `sort`: updated (the default), created, title, author; "
            "with `search` the best first unless a sort is named. `order`: asc, desc. `after`: the `next` of the page "
            "before, instead of `offset`. `total` is told on a first page without `search`."
        ),
    )
    async def list_mangas(
        self,
        context: Given,
        request: Request[Any, Any, Any],
        search: FromQuery[str | None] = None,
        kind: FromQuery[str | None] = None,
        status: FromQuery[str | None] = None,
        sort: FromQuery[str | None] = None,
        order: FromQuery[str | None] = None,
        after: FromQuery[str | None] = None,
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> Response[bytes]:
        wanted_kind = choice("kind", kind, _KINDS) or "manga"
        wanted_status = choice("status", status, _STATUSES)
        wanted_sort = choice("sort", sort, _SORTS, _ALIASES)
        wanted_order = choice("order", order, _ORDERS)
        rows, skipped = clamp_limit(limit), clamp_offset(offset)
        question: Query | Listing
        if text := (search or "").strip():
            question = Query(
                text=text,
                kind=wanted_kind,
                status=wanted_status,
                sort=wanted_sort,
                order=wanted_order,
                limit=rows,
                offset=skipped,
            )
        else:
            by: Sort = wanted_sort or "updated"
            direction = wanted_order or NATURAL[by]
            question = Listing(
                kind=wanted_kind,
                status=wanted_status,
                sort=by,
                order=direction,
                limit=rows,
                offset=0 if after else skipped,
                after=_place(after, by, direction),
            )
        answer = await context.answers.get(question, functools.partial(_make, context, question))
        return unless_held(request, answer.body, answer.etag)

    @get("/{work_id:uuid}", guards=[anyone], responses=errors(404), summary="A title in full")
    async def get_manga(self, context: Given, work_id: FromPath[UUID]) -> MangaDetail:
        async with context.pool.acquire() as db:
            found = await works.detail(db, work_id)
        if found is None:
            raise not_found("title")
        return found

    @put(
        "/{work_id:uuid}/wanted",
        guards=[administrator],
        status_code=204,
        responses=errors(401, 403, 404),
        summary="Have a title's chapters brought",
    )
    async def want(self, context: Given, work_id: FromPath[UUID]) -> None:
        async with context.pool.acquire() as db, db.transaction():
            found = await asking.want(db, work_id)
        if not found:
            raise not_found("title")

    @delete(
        "/{work_id:uuid}/wanted",
        guards=[administrator],
        status_code=204,
        responses=errors(401, 403),
        summary="Want a title no more",
    )
    async def unwant(self, context: Given, work_id: FromPath[UUID]) -> None:
        async with context.pool.acquire() as db, db.transaction():
            await wanted.remove(db, work_id)
            await notify(db, "library", str(work_id))


def _place(after: str | None, sort: Sort, order: Order) -> catalogue.Cursor | None:
    if not (text := (after or "").strip()):
        return None
    try:
        return catalogue.decode(text, sort=sort, order=order)
    except catalogue.BadCursor as error:
        raise invalid("after", "invalid", str(error)) from error


async def _make(context: Context, question: Query | Listing) -> bytes:
    async with context.pool.acquire() as db:
        if isinstance(question, Query):
            found = await searching.search(db, question)
            return _page(found.cards, PageInfo(limit=question.limit, offset=question.offset))
        part = await catalogue.page(db, question)
        first = question.after is None and question.offset == 0
        total = await catalogue.total(db, question.status, question.kind) if first else None
    following = catalogue.encode(part.next) if part.next else None
    return _page(part.cards, PageInfo(limit=question.limit, offset=question.offset, total=total, next=following))


def _page(cards: bytes, page: PageInfo) -> bytes:
    return b'{"items":%b,"page":%b}' % (cards, msgspec.json.encode(page))


def unless_held(request: Request[Any, Any, Any], body: bytes, etag: str) -> Response[bytes]:
    """The body, or 304 when the client says that it has it."""
    headers = {"ETag": etag, "Cache-Control": "private, no-cache"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(b"", status_code=304, headers=headers, media_type="application/json")
    return Response(body, headers=headers, media_type="application/json")
