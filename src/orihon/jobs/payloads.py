"""What a job carries, and what its kind means to the queue.

A payload names what to work on; everything else is read when the job runs, so that a job that waited for a day does
not work on the news of yesterday. Kinds are facts in the database: a renamed one must stay decodable.
"""

from typing import ClassVar, TypeVar
from uuid import UUID

import msgspec

from orihon.jobs.rules import ATTEMPTS


class Payload(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    """A job's payload; each subclass is a kind, named by its `tag`."""

    lane: ClassVar[str]
    """Which workers take it."""
    priority: ClassVar[int] = 0
    """Lower first, unless the enqueuer says otherwise."""
    max_attempts: ClassVar[int] = ATTEMPTS
    """Failures until it is dead."""
    time_limit: ClassVar[float] = 600.0
    """Seconds a run may take."""
    coalesce: ClassVar[bool] = False
    """Whether asking for it while it runs makes it run once more (a change is never lost)."""

    def dedupe_key(self) -> str | None:
        """At most one waiting or running job of the kind has this key. None: any number."""
        return None

    def concurrency_key(self) -> str | None:
        """At most one job of any kind that has this key runs at a time. None: no limit."""
        return None

    def line(self) -> str | None:
        """Jobs of a lane that have the same line take turns with those of other lines (see `leases.lease`). None: it
        goes before all lines. A job with a concurrency key stands in no line.
        """
        return None


P = TypeVar("P", bound=Payload)


class BadPayload(ValueError):
    """Stored JSON that is no payload of its kind."""


def kind_of(payload: type[Payload] | Payload) -> str:
    """The name of a payload's kind."""
    tag = payload.__struct_config__.tag
    if not isinstance(tag, str):
        raise TypeError(f"{payload!r} has no kind: declare it with tag=.")
    return tag


def decode(kind: type[P], raw: str) -> P:
    """A payload from its stored JSON.

    Raises:
        BadPayload: it does not fit the kind.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadPayload(f"The payload is no {kind_of(kind)}: {error}") from error


class WalkSource(Payload, frozen=True, kw_only=True, tag="walk_source"):
    """Walk one time-boxed chunk of a source's list."""

    lane = "crawl"
    source_id: UUID

    def dedupe_key(self) -> str:
        return str(self.source_id)

    def concurrency_key(self) -> str:
        # Also for jobs made by hand: two walks of one source would tear its checkpoint.
        return f"walk:{self.source_id}"


class WalkFeed(WalkSource, frozen=True, kw_only=True, tag="walk_feed"):
    """The same for a creator's feed. A `platform` is walked by one job at a time, whoever it is that posts there."""

    lane = "feeds"
    # A chunk ends after a minute, but not in the midst of a file, and files of posts are large.
    time_limit = 3600.0
    platform: str

    def concurrency_key(self) -> str:
        return f"walk:{self.platform}"


class SyncTitle(Payload, frozen=True, kw_only=True, tag="sync_title"):
    """Fetch one title that a walk could not. `url` and `title` let it be rebuilt without the list, and name it."""

    lane = "content"
    source_id: UUID
    key: str
    url: str = ""
    title: str = ""

    def dedupe_key(self) -> str:
        return f"{self.source_id}:{self.key}"

    def line(self) -> str:
        return str(self.source_id)


class FetchChapter(Payload, frozen=True, kw_only=True, tag="fetch_chapter"):
    """Bring the pages of a chapter."""

    lane = "content"
    priority = 20
    # A long chapter at a polite pace: 2,000 pages at one a second.
    time_limit = 3600.0
    source_id: UUID
    chapter_id: UUID

    def dedupe_key(self) -> str:
        return str(self.chapter_id)

    def line(self) -> str:
        return str(self.source_id)


class FetchCover(Payload, frozen=True, kw_only=True, tag="fetch_cover"):
    """Bring the cover of a source's title."""

    lane = "content"
    priority = 10
    source_id: UUID
    key: str

    def dedupe_key(self) -> str:
        return f"{self.source_id}:{self.key}"

    def line(self) -> str:
        return str(self.source_id)


class PageRefetch(Payload, frozen=True, kw_only=True, tag="page_refetch"):
    """Replace a damaged page."""

    lane = "content"
    priority = 10
    page_id: UUID

    def dedupe_key(self) -> str:
        return str(self.page_id)


class CheckMedium(Payload, frozen=True, kw_only=True, tag="check_medium"):
    """Decode a medium in full and note what it is."""

    lane = "media"
    media_id: UUID

    def dedupe_key(self) -> str:
        return str(self.media_id)


class Sweep(Payload, frozen=True, kw_only=True, tag="sweep"):
    """Remove files that nothing names."""

    lane = "maintenance"
    time_limit = 3600.0

    def dedupe_key(self) -> str:
        return "sweep"


class ReapJobs(Payload, frozen=True, kw_only=True, tag="reap_jobs"):
    """Delete finished and dead jobs past their retention."""

    lane = "maintenance"

    def dedupe_key(self) -> str:
        return "reap_jobs"


class ReapMetrics(Payload, frozen=True, kw_only=True, tag="reap_metrics"):
    """Delete operation metrics past their retention."""

    lane = "maintenance"

    def dedupe_key(self) -> str:
        return "reap_metrics"


KINDS: tuple[type[Payload], ...] = (
    WalkSource,
    WalkFeed,
    SyncTitle,
    FetchChapter,
    FetchCover,
    PageRefetch,
    CheckMedium,
    Sweep,
    ReapJobs,
    ReapMetrics,
)
"""Every kind of job that this program knows."""
