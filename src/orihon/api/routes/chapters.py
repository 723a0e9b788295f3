"""Chapters of a title, their pages, and fetching one that somebody opened."""

from uuid import UUID

from litestar import Controller, get, post
from litestar.params import FromPath

from orihon.api.context import Given
from orihon.api.documented import errors
from orihon.api.errors import ApiError, Code, not_found
from orihon.api.params import Limit, Offset, clamp_limit, clamp_offset
from orihon.api.rights import anyone
from orihon.api.shapes import ChapterPage, PageInfo, Pages, Queued
from orihon.ingest import asking
from orihon.ingest.asking import Opened
from orihon.library import chapters, pages
from orihon.library.chapters import ChapterDetail

_MOST = 1000


class ChapterController(Controller):
    path = "/mangas/{work_id:uuid}/chapters"
    tags = ("Library",)

    @get(guards=[anyone], responses=errors(404), summary="Chapters of a title, in reading order")
    async def list_chapters(
        self, context: Given, work_id: FromPath[UUID], limit: Limit = 50, offset: Offset = 0
    ) -> ChapterPage:
        rows, skipped = clamp_limit(limit, _MOST), clamp_offset(offset)
        async with context.pool.acquire() as db:
            found = await chapters.in_reading_order(db, work_id, limit=rows, offset=skipped)
        if found is None:
            raise not_found("title")
        return ChapterPage(items=found.chapters, page=PageInfo(limit=rows, offset=skipped, total=found.total))

    @get("/{chapter_id:uuid}", guards=[anyone], responses=errors(404), summary="A chapter and its neighbours")
    async def get_chapter(self, context: Given, work_id: FromPath[UUID], chapter_id: FromPath[UUID]) -> ChapterDetail:
        async with context.pool.acquire() as db:
            found = await chapters.placed(db, work_id, chapter_id)
        if found is None:
            raise not_found("chapter")
        return found

    @get("/{chapter_id:uuid}/pages", guards=[anyone], responses=errors(404), summary="Pages of a chapter, in order")
    async def get_pages(self, context: Given, work_id: FromPath[UUID], chapter_id: FromPath[UUID]) -> Pages:
        async with context.pool.acquire() as db:
            found = await pages.of_chapter(db, work_id, chapter_id)
        if found is None:
            raise not_found("chapter")
        return Pages(pages=found)

    @post(
        "/{chapter_id:uuid}/fetch",
        guards=[anyone],
        status_code=202,
        responses=errors(404, 409),
        summary="Have a chapter brought that a reader opened",
    )
    async def fetch_chapter(self, context: Given, work_id: FromPath[UUID], chapter_id: FromPath[UUID]) -> Queued:
        async with context.pool.acquire() as db, db.transaction():
            opened = await asking.open_chapter(db, work_id, chapter_id)
        match opened:
            case Opened.NO_CHAPTER:
                raise not_found("chapter")
            case Opened.OVER_BUDGET:
                raise ApiError(
                    409,
                    Code.CONFLICT,
                    "The source of this chapter has used up its byte budget. An administrator can raise it.",
                )
        return Queued(queued=opened is Opened.QUEUED)
