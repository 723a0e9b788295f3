"""The walk engine: pages of a list, newest first, each item handed to the line of its kind, each page checkpointed.

One engine drives every source. What an item is, how it is kept and what proves that the rest is held already
belong to a `Line` (catalogue titles; posts of a feed). What survives a crash belongs to a `Journal`.
"""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

import msgspec

from orihon.ingest.rules import Outcome, breaker_trips
from orihon.sources.adapter import LayoutChanged
from orihon.sources.records import Cursor

Item = TypeVar("Item")

MOST_REPEATED = 3
"""Pages in a row with nothing on them that this chunk has not met. A list that grows while it is read pushes entries on
to the next page; a site that takes no notice of the page's number shows the same ones for ever."""


class Counts(msgspec.Struct, kw_only=True):
    """Live counts of a walk, carried from chunk to chunk."""

    pages: int = 0
    discovered: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: int = 0
    skipped: int = 0
    chapters_new: int = 0
    dropped: int = 0


class Page(msgspec.Struct, Generic[Item], frozen=True, kw_only=True):
    """Items of one page of the list, newest first. `next` None: this is the end, on positive evidence."""

    items: Sequence[Item]
    next: Cursor | None
    dropped: int = 0


class Kept(msgspec.Struct, frozen=True):
    """The item is held now. `proves_rest`: everything older is held, too."""

    proves_rest: bool = False


class Failed(msgspec.Struct, frozen=True):
    """The item could not be fetched; it counts towards the breaker and is tried again by a job of its own."""

    reason: str


class Skipped(msgspec.Struct, frozen=True):
    """The item was fetched but must not be believed; nothing of it was changed."""

    reason: str


Result = Kept | Failed | Skipped


class Line(Protocol[Item]):
    """What one kind of source does with its list."""

    def key(self, item: Item) -> str:
        """The item's identity within its source."""
        ...

    def label(self, item: Item) -> str:
        """The item's name for people."""
        ...

    async def page(self, cursor: Cursor) -> Page[Item]:
        """Read one page of the list."""
        ...

    async def keep(self, item: Item, counts: Counts) -> Result:
        """Keep an item; idempotent. Adds what it did to `counts`."""
        ...


class Journal(Protocol):
    """Where a walk writes down how far it has come."""

    async def stop_asked(self) -> bool:
        """Whether a person paused the source; asked before each page."""
        ...

    async def at(self, counts: Counts, label: str) -> None:
        """The walk turns to an item; for people who watch."""
        ...

    async def checkpoint(self, done: Cursor, following: Cursor | None, counts: Counts) -> None:
        """Every item of the page at `done` was handled; durable when this returns."""
        ...


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` a chunk may take; `items` a whole walk may discover (None: all); `failures` in a row that end it."""

    seconds: float
    items: int | None
    failures: int


async def run_chunk(
    line: Line[Item],
    journal: Journal,
    start: Cursor,
    *,
    limits: Limits,
    counts: Counts,
    clock: Callable[[], float],
) -> Outcome:
    """Walk from `start` until the list ends, the line proves the rest, a limit is met or the time box is full.

    Raises:
        LayoutChanged: the list leads back to a page that this chunk has read already, or repeats itself.
        Whatever `line.page` raises: a page that cannot be read ends the walk; the last checkpoint stands.
    """
    deadline = clock() + limits.seconds
    seen: set[str] = set()
    met: set[str] = set()
    visited: set[bytes] = set()
    failures = repeated = 0
    cursor = start
    while True:
        if await journal.stop_asked():
            return Outcome.STOPPED
        _refuse_loop(visited, cursor)
        page = await line.page(cursor)
        counts.pages += 1
        counts.dropped += page.dropped
        keys = {line.key(item) for item in page.items}
        repeated = repeated + 1 if keys <= met else 0
        _refuse_repetition(repeated)
        met |= keys
        for item in page.items:
            key = line.key(item)
            if key in seen:
                continue
            if limits.items is not None and counts.discovered >= limits.items:
                return Outcome.LIMIT
            counts.discovered += 1
            await journal.at(counts, line.label(item))
            match await line.keep(item, counts):
                case Kept(proves_rest=proves_rest):
                    seen.add(key)
                    failures = 0
                    if proves_rest:
                        return Outcome.CAUGHT_UP
                case Skipped():
                    counts.skipped += 1
                    failures = 0
                case Failed():
                    counts.failed += 1
                    failures += 1
                    if breaker_trips(failures, limits.failures):
                        return Outcome.BREAKER
        await journal.checkpoint(cursor, page.next, counts)
        if page.next is None:
            return Outcome.END_OF_LIST
        if clock() >= deadline:
            return Outcome.CONTINUED
        cursor = page.next


def _refuse_loop(visited: set[bytes], cursor: Cursor) -> None:
    mark = msgspec.json.encode(cursor, order="sorted")
    if mark in visited:
        raise LayoutChanged(
            "The list leads back to a page that was read already, so its end cannot be found. "
            "The site may have changed how it numbers its pages; check the source's profile."
        )
    visited.add(mark)


def _refuse_repetition(repeated: int) -> None:
    if repeated == MOST_REPEATED:
        raise LayoutChanged(
            f"{repeated} pages of the list in a row show only titles that were read already, so its end cannot be "
            "found. The site may take no notice of the page's number; check `paging` in the source's profile."
        )
