"""The decisions of a walk, as pure functions (crawler-core 8.3; DESIGN section 7)."""

from enum import StrEnum
from typing import Literal

import msgspec

from orihon.sources.records import Cursor

Mode = Literal["tick", "backfill", "recovery"]


class Change(StrEnum):
    """What keeping a title changed about its metadata."""

    NEW = "new"
    UPDATED = "updated"
    UNCHANGED = "unchanged"


class Outcome(StrEnum):
    """How a chunk of a walk ended."""

    END_OF_LIST = "end_of_list"
    CAUGHT_UP = "caught_up"
    CONTINUED = "continued"
    STOPPED = "stopped"
    LIMIT = "limit"
    BREAKER = "breaker"
    FAILED = "failed"
    STALLED = "stalled"
    INTERRUPTED = "interrupted"


def caught_up(*, was_clean: bool, change: Change, chapters_new: int | None) -> bool:
    """Whether a title proves that everything older is held (`should_stop`).

    `chapters_new` is None when the chapter list could not be kept, which proves nothing.
    """
    return was_clean and change is Change.UNCHANGED and chapters_new == 0


def is_clean(outcome: Outcome) -> bool:
    """Whether the next walk may stop early again (`should_mark_clean_exit`).

    A limit is a caller's choice and says nothing about the rest of the list, so it never counts as clean.
    """
    return outcome in (Outcome.END_OF_LIST, Outcome.CAUGHT_UP)


def within_budget(bytes_fetched: int, byte_budget: int | None) -> bool:
    """Whether a source may fetch more content. None: no limit."""
    return byte_budget is None or bytes_fetched < byte_budget


Content = Literal["all", "wanted", "on_open"]
"""Which chapters a source brings by itself: all, those of works that are wanted, none."""

_BRINGS: tuple[Content, ...] = ("on_open", "wanted", "all")


def brings_more(before: Content, after: Content) -> bool:
    """Whether a source is to bring chapters by itself now that it left alone before."""
    return _BRINGS.index(after) > _BRINGS.index(before)


def goes_on(outcome: Outcome) -> bool:
    """Whether the next chunk carries on the same walk: neither a chunk boundary nor a pause is an unclean end."""
    return outcome in (Outcome.CONTINUED, Outcome.STOPPED)


def breaker_trips(consecutive: int, threshold: int) -> bool:
    """Whether so many failures in a row end the walk (`should_abort_pass`); threshold 0 never does."""
    return threshold > 0 and consecutive >= threshold


def partial_render(*, listed: int, held: int | None) -> bool:
    """Whether an empty chapter list must not be believed.

    Empty although the source had chapters before, or although that could not be told: a snapshot taken between
    a table and its rows, never "all chapters vanished" (DESIGN ruling 14).
    """
    return listed == 0 and held != 0


def uneven(*, shortest: int, longest: int) -> bool:
    """Whether a page of a list, not its last, was probably read before all of its rows were there: it has less than
    three quarters of those that another one has.
    """
    return shortest * 4 < longest * 3


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """The latest chunk of a source's walks, as its row says."""

    mode: Mode
    cursor: Cursor | None
    outcome: Outcome
    distrust: bool = False


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What the next chunk does. `cursor` None: from the top of the list. `distrust`: ledgers are not believed."""

    mode: Mode
    cursor: Cursor | None
    carries_on: bool = False
    distrust: bool = False

    @property
    def stops_early(self) -> bool:
        """Only a tick may stop at the first title that is held and unchanged."""
        return self.mode == "tick"


Asked = Literal["backfill", "recovery"]
"""A walk that a person may ask for: over the whole list; or over the whole list, believing no ledger."""


def plan(
    last: Chunk | None,
    *,
    clean: bool,
    recovery_cursor: Cursor | None,
    asked: Asked | None = None,
    overdue: bool = False,
) -> Plan:
    """Choose the next chunk.

    What a person asked for begins at the top. A walk that goes on keeps its mode and cursor. After an unclean end the
    early stop is off until the end of the list, resumed where the line says it is safe; a tick from the top follows
    it. A source that was never walked is walked whole; so is one whose last whole walk is long ago (`overdue`), since
    a walk that stops early never sees what changed further down.
    """
    if asked is not None:
        return Plan(mode=asked, cursor=None, distrust=asked == "recovery")
    if last is None:
        return Plan(mode="backfill", cursor=None)
    if goes_on(last.outcome):
        return Plan(mode=last.mode, cursor=last.cursor, carries_on=True, distrust=last.distrust)
    if clean:
        return Plan(mode="backfill" if overdue else "tick", cursor=None)
    if recovery_cursor is not None or last.distrust:
        return Plan(mode="recovery", cursor=recovery_cursor, distrust=last.distrust)
    return Plan(mode="backfill", cursor=None)


MOST_STALLS = 2
"""Chunks in a row that get nowhere before a person is asked (curator 2.9)."""


def stalls_after(before: int, *, moved: bool, gained: bool) -> int:
    """How many chunks in a row got nowhere: their time ran out, no page was finished and nothing new is held."""
    return 0 if moved or gained else before + 1


DEAD_AFTER = 3
"""Walks in which a medium failed before it is not asked for any more (curator 2.4)."""

ENOUGH_HELD = 20
"""Posts in a row that are held prove that everything older is held (DESIGN section 7)."""


class Fate(StrEnum):
    """What a walk does about a medium."""

    HELD = "held"
    DEAD = "dead"
    BURIED = "buried"
    """A person deleted it here."""
    REFUSED = "refused"
    """It is not asked for, and the post says why; there is nothing to wait for."""
    LOOK = "look"
    """It is held if the store has it; else it is fetched."""


def fate(*, seen: bool, stored: bool, attempts: int, edited: bool, distrust: bool) -> Fate:
    """The tiers in their order: the seen ledger, the dead ledger, then the store (curator 2.4).

    `stored`: the ledger names a medium. One that it does not name is no reason to look while its post stays as it is:
    it may have been dropped on purpose; an edit shows it anew.
    """
    if distrust:
        return Fate.LOOK
    if seen and (stored or not edited):
        return Fate.HELD
    return Fate.DEAD if attempts >= DEAD_AFTER else Fate.LOOK


def held_in_a_row(before: int, *, pinned: bool, held: bool) -> int:
    """How many posts in a row are held whole. A pinned one stands out of order and says nothing."""
    if pinned:
        return before
    return before + 1 if held else 0
