"""How progress of several devices becomes one (the pure rule)."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from orihon.reading.progress import ProgressItem, merge, merge_all

NOW = datetime(2026, 3, 1, tzinfo=UTC)
CHAPTER = UUID(int=1)


def said(page: int, furthest: int, minutes_ago: float) -> ProgressItem:
    return ProgressItem(
        chapter_id=CHAPTER, page=page, furthest_page=furthest, client_time=NOW - timedelta(minutes=minutes_ago)
    )


def test_the_later_word_decides_the_page_and_the_furthest_only_grows() -> None:
    assert merge(said(9, 9, 10), said(2, 2, 5), NOW) == said(2, 9, 5)
    assert merge(said(2, 2, 5), said(9, 9, 10), NOW) == said(2, 9, 5)


def test_a_clock_that_runs_ahead_counts_as_now() -> None:
    assert merge(None, said(3, 3, -60 * 24), NOW) == said(3, 3, 0)


def test_a_server_whose_clock_was_set_back_lets_people_read_on() -> None:
    """What is held was said an hour later than now."""
    assert merge(said(3, 3, -60), said(4, 4, -65), NOW) == said(4, 4, -60)


def test_the_furthest_page_is_at_least_the_page() -> None:
    assert merge(None, said(7, 2, 1), NOW).furthest_page == 7


items = st.builds(
    said,
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from([-5.0, 0.0, 1.0, 1.0, 2.0, 3.0]),
)


@given(st.lists(items, min_size=1, max_size=4))
def test_neither_the_order_nor_repetition_matters(batch: list[ProgressItem]) -> None:
    ends = {
        tuple(merge_all({}, order, NOW).values()) for order in (*permutations(batch), batch + batch, batch + batch[:1])
    }
    assert len(ends) == 1


@given(items, items)
def test_what_is_held_counts_like_what_is_said(first: ProgressItem, second: ProgressItem) -> None:
    held = merge_all({}, [first], NOW)
    assert merge_all(held, [second], NOW) == merge_all({}, [first, second], NOW)
