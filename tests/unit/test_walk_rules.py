"""crawler-core 8.3 and 13.1: the pure rules of a walk."""

import pytest

from orihon.fetch.errors import Denied, Gone, HttpStatus, RateLimited, Refused, TimedOut, UnexpectedHtml, Unreachable
from orihon.ingest.failures import Failure, failure_of, in_words
from orihon.ingest.rules import (
    Asked,
    Change,
    Chunk,
    Fate,
    Outcome,
    Plan,
    breaker_trips,
    caught_up,
    fate,
    held_in_a_row,
    is_clean,
    partial_render,
    plan,
    stalls_after,
    uneven,
)
from orihon.sources.adapter import BadSettings, Challenge, EndUnproven, LayoutChanged, LoginRequired, Transient
from orihon.storage.errors import StorageFull

NEW, UPDATED, UNCHANGED = Change.NEW, Change.UPDATED, Change.UNCHANGED


@pytest.mark.parametrize(
    ("was_clean", "change", "chapters_new", "stops"),
    [
        pytest.param(True, UNCHANGED, 0, True, id="8.3 row 1"),
        pytest.param(True, UNCHANGED, 3, False, id="8.3 row 2"),
        pytest.param(True, UNCHANGED, None, False, id="8.3 row 3"),
        pytest.param(True, NEW, 0, False, id="8.3 row 4 new"),
        pytest.param(True, UPDATED, 0, False, id="8.3 row 4 updated"),
        pytest.param(True, NEW, None, False, id="8.3 row 4 new, unknown"),
        pytest.param(True, UPDATED, 2, False, id="8.3 row 4 updated, some"),
        pytest.param(False, UNCHANGED, 0, False, id="8.3 row 5 unchanged"),
        pytest.param(False, NEW, None, False, id="PL-3 8.3 row 5 new"),
        pytest.param(False, UPDATED, 1, False, id="8.3 row 5 updated"),
    ],
)
def test_a_walk_stops_at_the_first_title_that_proves_the_rest(
    was_clean: bool, change: Change, chapters_new: int | None, stops: bool
) -> None:
    assert caught_up(was_clean=was_clean, change=change, chapters_new=chapters_new) is stops


@pytest.mark.parametrize(
    ("outcome", "clean"),
    [
        pytest.param(Outcome.END_OF_LIST, True, id="PL-2 end of catalogue"),
        pytest.param(Outcome.CAUGHT_UP, True, id="stop rule"),
        pytest.param(Outcome.LIMIT, False, id="limit reached"),
        pytest.param(Outcome.STOPPED, False, id="restart pending (a pause, here)"),
        pytest.param(Outcome.BREAKER, False, id="failure breaker"),
        pytest.param(Outcome.FAILED, False, id="batch or discover error"),
        pytest.param(Outcome.INTERRUPTED, False, id="crash, kill, cancel"),
        pytest.param(Outcome.CONTINUED, False, id="a chunk boundary is not an end"),
    ],
)
def test_only_an_end_that_saw_everything_is_clean(outcome: Outcome, clean: bool) -> None:
    assert is_clean(outcome) is clean


@pytest.mark.parametrize(
    ("consecutive", "threshold", "trips"),
    [(0, 0, False), (100, 0, False), (9, 10, False), (10, 10, True), (11, 10, True)],
    ids=["PL-1 a", "PL-1 b", "PL-1 c", "PL-1 d", "PL-1 e"],
)
def test_the_breaker_trips_at_its_threshold_and_can_be_switched_off(
    consecutive: int, threshold: int, trips: bool
) -> None:
    assert breaker_trips(consecutive, threshold) is trips


@pytest.mark.parametrize(
    ("listed", "held", "partial"),
    [
        pytest.param(0, 5, True, id="AN-21 prior > 0"),
        pytest.param(0, 0, False, id="AN-21 prior = 0"),
        pytest.param(0, None, True, id="AN-21 unknown"),
        pytest.param(3, 5, False, id="RS-8 a shorter list is believed"),
    ],
)
def test_an_empty_chapter_list_is_believed_only_where_there_was_none(
    listed: int, held: int | None, partial: bool
) -> None:
    assert partial_render(listed=listed, held=held) is partial


def _chunk(outcome: Outcome, mode: str = "tick") -> Chunk:
    return Chunk(mode=mode, cursor={"page": 7}, outcome=outcome)  # type: ignore[arg-type]  # literal by test table


@pytest.mark.parametrize(
    ("last", "clean", "recovery", "expected"),
    [
        pytest.param(None, True, None, Plan(mode="backfill", cursor=None), id="never walked"),
        pytest.param(_chunk(Outcome.CAUGHT_UP), True, None, Plan(mode="tick", cursor=None), id="after a clean walk"),
        pytest.param(
            _chunk(Outcome.CONTINUED),
            False,
            {"page": 6},
            Plan(mode="tick", cursor={"page": 7}, carries_on=True),
            id="a chunk boundary is not an unclean end",
        ),
        pytest.param(
            _chunk(Outcome.STOPPED, "recovery"),
            False,
            {"page": 6},
            Plan(mode="recovery", cursor={"page": 7}, carries_on=True),
            id="a pause is resumed",
        ),
        pytest.param(
            _chunk(Outcome.INTERRUPTED),
            False,
            {"page": 6},
            Plan(mode="recovery", cursor={"page": 6}),
            id="a crash resumes one page before its checkpoint",
        ),
        pytest.param(
            _chunk(Outcome.INTERRUPTED), False, None, Plan(mode="backfill", cursor=None), id="a crash on page one"
        ),
        pytest.param(_chunk(Outcome.LIMIT), False, None, Plan(mode="backfill", cursor=None), id="a limit is not clean"),
    ],
)
def test_the_next_chunk(last: Chunk | None, clean: bool, recovery: dict[str, object] | None, expected: Plan) -> None:
    assert plan(last, clean=clean, recovery_cursor=recovery) == expected


def test_only_a_tick_may_stop_early() -> None:
    assert [Plan(mode=mode, cursor=None).stops_early for mode in ("tick", "backfill", "recovery")] == [
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("last", "asked", "expected"),
    [
        pytest.param(None, "backfill", Plan(mode="backfill", cursor=None), id="never walked"),
        pytest.param(
            _chunk(Outcome.CONTINUED), "backfill", Plan(mode="backfill", cursor=None), id="in place of one that goes on"
        ),
        pytest.param(
            _chunk(Outcome.CAUGHT_UP),
            "recovery",
            Plan(mode="recovery", cursor=None, distrust=True),
            id="2.3 recovery bypasses the ledgers",
        ),
    ],
)
def test_what_a_person_asks_for_begins_at_the_top(last: Chunk | None, asked: Asked, expected: Plan) -> None:
    assert plan(last, clean=True, recovery_cursor=None, asked=asked) == expected


@pytest.mark.parametrize(
    ("outcome", "cursor", "carries_on"),
    [(Outcome.CONTINUED, {"page": 7}, True), (Outcome.INTERRUPTED, {"page": 6}, False), (Outcome.FAILED, None, False)],
)
def test_a_recovery_stays_one_over_chunks_and_crashes(
    outcome: Outcome, cursor: dict[str, object] | None, carries_on: bool
) -> None:
    last = Chunk(mode="recovery", cursor={"page": 7}, outcome=outcome, distrust=True)
    recovery_cursor = None if carries_on else cursor
    expected = Plan(mode="recovery", cursor=cursor, carries_on=carries_on, distrust=True)
    assert plan(last, clean=False, recovery_cursor=recovery_cursor) == expected


HELD, DEAD, LOOK = Fate.HELD, Fate.DEAD, Fate.LOOK


@pytest.mark.parametrize(
    ("seen", "stored", "attempts", "edited", "distrust", "expected"),
    [
        pytest.param(False, False, 0, True, False, LOOK, id="new"),
        pytest.param(True, True, 0, False, False, HELD, id="tier 1"),
        pytest.param(True, True, 0, True, False, HELD, id="tier 1, the post was edited"),
        pytest.param(True, False, 0, False, False, HELD, id="tier 1, dropped from the store"),
        pytest.param(True, False, 0, True, False, LOOK, id="dropped, and an edit shows it anew"),
        pytest.param(True, True, 3, False, False, HELD, id="seen comes before dead"),
        pytest.param(False, False, 2, False, False, LOOK, id="C17 failed twice"),
        pytest.param(False, False, 3, False, False, DEAD, id="C15 dead at 3"),
        pytest.param(False, False, 9, True, False, DEAD, id="dead stays dead"),
        pytest.param(True, True, 0, False, True, LOOK, id="C4 recovery: seen is not believed"),
        pytest.param(False, False, 3, False, True, LOOK, id="C16 recovery: dead is not believed"),
    ],
)
def test_the_tiers_in_their_order(
    seen: bool, stored: bool, attempts: int, edited: bool, distrust: bool, expected: Fate
) -> None:
    """curator 2.4."""
    assert fate(seen=seen, stored=stored, attempts=attempts, edited=edited, distrust=distrust) is expected


@pytest.mark.parametrize(
    ("before", "pinned", "held", "after"),
    [(4, False, True, 5), (19, False, False, 0), (4, True, True, 4), (4, True, False, 4)],
)
def test_only_posts_in_their_own_place_prove_that_the_rest_is_held(
    before: int, pinned: bool, held: bool, after: int
) -> None:
    assert held_in_a_row(before, pinned=pinned, held=held) == after


@pytest.mark.parametrize(
    ("before", "moved", "gained", "after"),
    [(1, True, False, 0), (1, False, True, 0), (0, False, False, 1), (1, False, False, 2)],
)
def test_a_chunk_stalls_that_neither_moves_nor_gains(before: int, moved: bool, gained: bool, after: int) -> None:
    """curator 2.9."""
    assert stalls_after(before, moved=moved, gained=gained) == after


U = "https://s.example/x"


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        (Denied(403, U), Failure.AUTH),
        (UnexpectedHtml("login", U), Failure.AUTH),
        (LoginRequired("x"), Failure.AUTH),
        (UnexpectedHtml("challenge", U), Failure.CHALLENGE),
        (Challenge("x"), Failure.CHALLENGE),
        (LayoutChanged("x"), Failure.DRIFT),
        (EndUnproven("x"), Failure.DRIFT),
        (RateLimited(U, 5), Failure.RATE_LIMITED),
        (Gone(404, U), Failure.NOT_FOUND),
        (HttpStatus(500, U), Failure.HTTP),
        (TimedOut(U, "x"), Failure.NETWORK),
        (Unreachable(U, "nobody_there"), Failure.NETWORK),
        (Transient("x"), Failure.NETWORK),
        (Refused("PrivateIp", U, "x"), Failure.REFUSED),
        (BadSettings("x"), Failure.SETTINGS),
        (StorageFull("x"), Failure.STORAGE),
        (ZeroDivisionError(), Failure.PROGRAM),
    ],
    ids=lambda value: value.value if isinstance(value, Failure) else type(value).__name__,
)
def test_every_failure_has_a_kind_of_its_own(error: Exception, failure: Failure) -> None:
    """curator 2.18."""
    assert failure_of(error) is failure
    assert in_words(error)


@pytest.mark.parametrize(
    ("shortest", "longest", "doubtful"), [(4, 4, False), (3, 4, False), (2, 4, True), (37, 50, True), (38, 50, False)]
)
def test_a_page_in_the_midst_of_a_list_that_is_much_shorter_than_another_is_not_whole(
    shortest: int, longest: int, doubtful: bool
) -> None:
    assert uneven(shortest=shortest, longest=longest) is doubtful
