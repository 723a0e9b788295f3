"""What the event stream shows of each topic."""

from collections.abc import Mapping

import msgspec

from orihon.api.feeds import Look, Topic
from orihon.api.shapes import Lanes, SourceList, source_view
from orihon.db.pool import Connection
from orihon.ingest import sources
from orihon.jobs import board
from orihon.library import counts
from orihon.runtime import live_status


async def _library(db: Connection) -> bytes:
    return msgspec.json.encode(await counts.counts(db))


async def source_list(db: Connection) -> SourceList:
    """Every source with what it does now."""
    live = await live_status.read(db, kind="walk")
    return SourceList(items=[source_view(overview, live) for overview in await sources.overviews(db)])


async def _sources(db: Connection) -> bytes:
    return msgspec.json.encode(await source_list(db))


async def _jobs(db: Connection) -> bytes:
    return msgspec.json.encode(Lanes(lanes=await board.counts(db)))


LOOKS: Mapping[Topic, Look] = {"library": _library, "sources": _sources, "jobs": _jobs}
