"""Wire types that are the API's own; the others are those of the packages that make them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from orihon.accounts.users import User
from orihon.ingest.forgetting import Removed
from orihon.ingest.rules import Content
from orihon.ingest.sources import SourceOverview, WalkRow
from orihon.jobs.board import JobRow, LaneCount
from orihon.library.cards import MangaCard
from orihon.library.chapters import Chapter
from orihon.library.ledger import GivenUp
from orihon.library.pages import Page
from orihon.reading.progress import Progress, ProgressItem
from orihon.runtime.live_status import Live as LiveEntry
from orihon.runtime.live_status import Now
from orihon.sources.adapter import Preset, Setting
from orihon.sources.records import SourceKind


class PageInfo(msgspec.Struct, frozen=True, kw_only=True):
    """Where a list stands: as asked, after clamping. `total` and `next` (a cursor for `after`) only where told."""

    limit: int
    offset: int
    total: int | None = None
    next: str | None = None


class MangaPage(msgspec.Struct, frozen=True, kw_only=True):
    items: list[MangaCard]
    page: PageInfo


class ChapterPage(msgspec.Struct, frozen=True, kw_only=True):
    items: list[Chapter]
    page: PageInfo


class Pages(msgspec.Struct, frozen=True, kw_only=True):
    pages: list[Page]


class Queued(msgspec.Struct, frozen=True, kw_only=True):
    """False: it is here already, or no source lists it any more."""

    queued: bool


class AuthConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What a sign-in page shows."""

    self_register_enabled: bool
    private_mode: bool


class Login(msgspec.Struct, frozen=True, kw_only=True):
    username: str
    password: str


class UserAnswer(msgspec.Struct, frozen=True, kw_only=True):
    user: User


class ProgressList(msgspec.Struct, frozen=True, kw_only=True):
    items: list[Progress]


class ProgressBody(msgspec.Struct, frozen=True, kw_only=True):
    items: list[ProgressItem]


class SourceView(msgspec.Struct, frozen=True, kw_only=True):
    """A source, what it has brought, and what it does now (`live`) and did last."""

    id: UUID
    name: str
    adapter: str
    kind: SourceKind
    url: str
    settings: dict[str, Any]
    content: Content
    byte_budget: int | None
    bytes_fetched: int
    item_limit: int | None
    interval_seconds: int
    paused: bool
    clean: bool
    last_error: str | None
    work_id: UUID | None
    works: int
    chapters: int
    chapters_ready: int
    media_dead: int
    next_run_at: datetime | None
    live: Now | None
    last_walk: WalkRow | None
    created_at: datetime


class SourceList(msgspec.Struct, frozen=True, kw_only=True):
    items: list[SourceView]


class RemovedList(msgspec.Struct, frozen=True, kw_only=True):
    """Sources that are followed no more, the latest first."""

    items: list[Removed]


class WalkList(msgspec.Struct, frozen=True, kw_only=True):
    items: list[WalkRow]
    page: PageInfo


class GivenUpList(msgspec.Struct, frozen=True, kw_only=True):
    """Files that are asked for no more."""

    items: list[GivenUp]
    page: PageInfo


class AdapterView(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of source that can be followed, what its settings mean, and settings that are ready to use.

    `title` is what people choose it by, `address` says which address a source of this kind has.
    """

    name: str
    title: str
    about: str
    address: str
    offers: list[str]
    settings: list[Setting]
    presets: list[Preset]


class AdapterList(msgspec.Struct, frozen=True, kw_only=True):
    items: list[AdapterView]


class CheckBody(msgspec.Struct, frozen=True, kw_only=True):
    """A source that is not followed yet."""

    url: str
    adapter: str = "html"
    settings: dict[str, Any] = {}


class Lanes(msgspec.Struct, frozen=True, kw_only=True):
    lanes: list[LaneCount]


class JobPage(msgspec.Struct, frozen=True, kw_only=True):
    items: list[JobRow]
    page: PageInfo


class RequeueBody(msgspec.Struct, frozen=True, kw_only=True):
    """Which dead jobs get a new life. `all` needs `confirm`."""

    scope: Literal["all", "kind", "job"]
    kind: str | None = None
    id: UUID | None = None
    confirm: bool = False


class Requeued(msgspec.Struct, frozen=True, kw_only=True):
    requeued: int


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """`ok`, or in words why not."""

    status: str


def source_view(overview: SourceOverview, live: Sequence[LiveEntry]) -> SourceView:
    """A source as it is shown, with what of `live` is about it."""
    now = next((entry.now for entry in live if entry.key == f"source:{overview.source.id}"), None)
    told = {name: getattr(overview.source, name) for name in overview.source.__struct_fields__}
    return SourceView(
        **told,
        work_id=overview.work_id,
        works=overview.works,
        chapters=overview.chapters,
        chapters_ready=overview.chapters_ready,
        media_dead=overview.media_dead,
        next_run_at=overview.next_run_at,
        live=now,
        last_walk=overview.last_walk,
    )
