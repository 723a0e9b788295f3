"""crawler-core 8.3 and 13.1: the pure rules of a walk."""

import pytest

from orihon.ingest.rules import (
    Change,
    Chunk,
    Outcome,
    Plan,
    breaker_trips,
    caught_up,
    is_clean,
    partial_render,
    plan,
)

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
