"""The walk engine: pages of a list, newest first, each item handed to the line of its kind, each page checkpointed.

One engine drives every source. What an item is, how it is kept and what proves that the rest is held already
belong to a `Line` (catalogue titles; posts of a feed). What survives a crash belongs to a `Journal`.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Generic, Literal, Protocol, TypeVar

import msgspec

from orihon.ingest.rules import Outcome, breaker_trips
from orihon.sources.adapter import LayoutChanged
from orihon.sources.records import Cursor

Item = TypeVar("Item")

MOST_REPEATED = 3
"""Pages in a row with nothing on them that this chunk has not met. A list that grows while it is read pushes entries on
to the next page; a site that takes no notice of the page's number shows the same ones for ever."""


class Counts(msgspec.Struct, kw_only=True):
    """Live counts of a walk, carried from chunk to chunk.

    `entered`: how far the page at the cursor was counted, so that going on in its midst counts nothing twice: 0, it
    was not entered; else one more than its items that were handled.
    """

    pages: int = 0
    discovered: int = 0
    new: int = 0
    updated: int = 0
    unchanged: int = 0
    failed: int = 0
    skipped: int = 0
    chapters_new: int = 0
    dropped: int = 0
    media_new: int = 0
    media_held: int = 0
    media_failed: int = 0
    media_dead: int = 0
    media_refused: int = 0
    entered: int = 0


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
    """The item must not be believed, or is not wanted; nothing of it was changed."""

    reason: str


class Cut(msgspec.Struct, frozen=True):
    """The item was not handled, or only in part, and the walk ends here: its time is up, or its budget."""

    outcome: Literal[Outcome.CONTINUED, Outcome.LIMIT] = Outcome.CONTINUED


Result = Kept | Failed | Skipped | Cut

TimeIsUp = Callable[[], bool]
"""Whether the chunk's time box is full."""


class Line(Protocol[Item]):
    """What one kind of source does with its list."""

    @property
    def steady(self) -> bool:
        """Whether a cursor keeps its meaning while the list grows above it; else a page is read twice to be safe."""
        ...

    def start(self) -> Cursor:
        """The top of the list."""
        ...

    def key(self, item: Item) -> str:
        """The item's identity within its source."""
        ...

    def label(self, item: Item) -> str:
        """The item's name for people."""
        ...

    async def page(self, cursor: Cursor) -> Page[Item]:
        """Read one page of the list."""
        ...

    async def keep(self, item: Item, counts: Counts, time_is_up: TimeIsUp) -> Result:
        """Keep an item; idempotent. Adds what it did to `counts`.

        A line whose items take long, and are cheap when they are handled again, asks `time_is_up` and may return `Cut`.
        """
        ...

    async def close(self, outcome: Outcome) -> str | None:
        """The chunk ended without an error. What the site seems to have changed, in words for people, if anything."""
        ...


class Journal(Protocol):
    """Where a walk writes down how far it has come."""

    async def stop_asked(self) -> bool:
        """Whether a person paused the source; asked before each page."""
        ...

    async def at(self, counts: Counts, label: str) -> None:
        """The walk turns to an item; for people who watch."""
        ...

    async def checkpoint(self, resume: Cursor, following: Cursor | None, counts: Counts) -> None:
        """Every item before the page at `following` was handled; durable when this returns.

        After a crash the walk resumes at `resume`.
        """
        ...


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """`seconds` a chunk may take; `items` a whole walk may discover (None: all); `failures` in a row that end it."""

    seconds: float
    items: int | None
    failures: int


async def run_chunk(
    line: Line[Item],
    journal: Journal,
    start: Cursor | None,
    *,
    limits: Limits,
    counts: Counts,
    clock: Callable[[], float],
) -> Outcome:
    """Walk from `start` until the list ends, the line proves the rest, a limit is met or the time box is full.

    `start` None: from the top.

    Raises:
        LayoutChanged: the list leads back to a page that this chunk has read already, or repeats itself.
        Whatever `line.page` raises: a page that cannot be read ends the walk; the last checkpoint stands.
    """
    deadline = clock() + limits.seconds

    def time_is_up() -> bool:
        return clock() >= deadline

    recent, met = _Recent(), _Recent()
    visited: set[int] = set()
    failures = repeated = 0
    cursor = start or line.start()
    while True:
        if await journal.stop_asked():
            return Outcome.STOPPED
        _refuse_loop(visited, cursor)
        page = await line.page(cursor)
        repeated = repeated + 1 if met.add_all([line.key(item) for item in page.items]) == 0 else 0
        _refuse_repetition(repeated)
        counted = max(counts.entered - 1, 0)
        if not counts.entered:
            counts.pages += 1
            counts.dropped += page.dropped
            counts.entered = 1
        for item in page.items:
            key = line.key(item)
            if key in recent:
                continue
            again = counted > 0
            if not again and limits.items is not None and counts.discovered >= limits.items:
                return Outcome.LIMIT
            await journal.at(counts, line.label(item))
            result = await line.keep(item, Counts() if again else counts, time_is_up)
            if isinstance(result, Cut):
                return result.outcome
            if again:
                counted -= 1
            else:
                counts.discovered += 1
                counts.entered += 1
            match result:
                case Kept(proves_rest=proves_rest):
                    recent.add(key)
                    failures = 0
                    if proves_rest:
                        return Outcome.CAUGHT_UP
                case Skipped():
                    counts.skipped += not again
                    failures = 0
                case Failed():
                    counts.failed += not again
                    failures += 1
                    if breaker_trips(failures, limits.failures):
                        return Outcome.BREAKER
        counts.entered = 0
        following = page.next
        await journal.checkpoint(following if line.steady and following is not None else cursor, following, counts)
        if following is None:
            return Outcome.END_OF_LIST
        if time_is_up():
            return Outcome.CONTINUED
        cursor = following


MEMORY = 500
"""Keys that a chunk remembers, so that an item which slid to the next page is handled once; a longer memory would grow
with the list, and forgetting costs no more than handling an item twice."""


class _Recent:
    """The keys that came last."""

    def __init__(self) -> None:
        self._keys: OrderedDict[str, None] = OrderedDict()

    def add(self, key: str) -> None:
        self._keys[key] = None
        if len(self._keys) > MEMORY:
            self._keys.popitem(last=False)

    def add_all(self, keys: Sequence[str]) -> int:
        """Add some keys; how many of them are new."""
        new = sum(key not in self._keys for key in keys)
        for key in keys:
            self.add(key)
        return new

    def __contains__(self, key: str) -> bool:
        return key in self._keys


def _refuse_loop(visited: set[int], cursor: Cursor) -> None:
    mark = hash(msgspec.json.encode(cursor, order="sorted"))
    if mark in visited:
        raise LayoutChanged(
            "The list leads back to a page that was read already, so its end cannot be found. "
            "The site may have changed how it numbers its pages; check the source's profile."
        )
    visited.add(mark)


def _refuse_repetition(repeated: int) -> None:
    if repeated == MOST_REPEATED:
        raise LayoutChanged(
            f"{repeated} pages of the list in a row show only entries that were read already, so its end cannot be "
            "found. The site may take no notice of the page's number; check `paging` in the source's profile."
        )
