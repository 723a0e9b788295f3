"""The queue's decisions (spec crawler-core 2.9, 3.4, 3.6; DESIGN ruling 4)."""

import random
from uuid import RFC_4122

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orihon.jobs.rules import (
    Reclaim,
    backoff,
    backoff_base,
    gives_up,
    idle_backoff,
    jitter,
    one_line,
    poll_delay,
    reclaim,
    storable,
    uuid7,
)


@pytest.mark.parametrize(
    ("attempts", "seconds"),
    [(1, 60), (2, 120), (3, 240), (4, 480), (5, 960), (6, 1920), (7, 3600), (20, 3600), (0, 60), (-5, 60)],
)
def test_backoff_doubles_from_a_minute_to_an_hour(attempts: int, seconds: int) -> None:
    """JB-4."""
    assert backoff_base(attempts) == seconds


@pytest.mark.parametrize(("r", "seconds"), [(0, 80), (0.5, 100), (1, 120), (-3, 80), (9, 120)])
def test_jitter_stays_within_a_fifth(r: float, seconds: int) -> None:
    """JB-5."""
    assert jitter(100, r) == seconds


def test_random_backoff_stays_in_its_band() -> None:
    """JB-6."""
    draws = random.Random(6)
    assert all(191 <= backoff(3, draws.random()) <= 289 for _ in range(1000))


def test_jitter_comes_after_the_cap() -> None:
    """H7: the true longest wait is 4320 s, and that is accepted."""
    assert backoff(50, 1.0) == 4320


@pytest.mark.parametrize(("polls", "seconds"), [(0, 1), (1, 2), (2, 4), (3, 8), (4, 16), (5, 30), (100, 30)])
def test_idle_polls_grow_apart_and_are_capped(polls: int, seconds: int) -> None:
    """DM-2."""
    assert idle_backoff(polls) == seconds


def test_idle_backoff_never_shrinks_and_never_passes_its_cap() -> None:
    """DM-2."""
    delays = [idle_backoff(polls) for polls in range(40)]
    assert delays == sorted(delays)
    assert max(delays) == 30


@given(st.integers(-5, 10_000), st.floats(allow_nan=False))
def test_poll_jitter_only_shortens(polls: int, r: float) -> None:
    """Idle workers must not poll in step (18F/identity-idp PR 7870), and none sleeps longer than the rule says."""
    assert 0.8 * idle_backoff(polls) <= poll_delay(polls, r) <= idle_backoff(polls)


@pytest.mark.parametrize(("failures", "over"), [(0, False), (1, False), (2, False), (3, True), (4, True)])
def test_a_worker_gives_up_after_three_missed_beats(failures: int, over: bool) -> None:
    """DM-1."""
    assert gives_up(failures) is over


@pytest.mark.parametrize(
    ("attempts", "reclaims", "fate"),
    [
        (1, 0, Reclaim.REFUND),
        (5, 0, Reclaim.REFUND),
        (1, 2, Reclaim.REFUND),
        (1, 3, Reclaim.COUNT),
        (4, 3, Reclaim.COUNT),
        (5, 3, Reclaim.DEAD),
        (9, 3, Reclaim.DEAD),
    ],
)
def test_a_vanished_worker_is_forgiven_three_times(attempts: int, reclaims: int, fate: Reclaim) -> None:
    """Ruling 4, H6: a payload that kills its worker ends up dead instead of looping."""
    assert reclaim(attempts, 5, reclaims) is fate


def test_an_error_is_told_with_its_causes_on_one_line() -> None:
    error = ValueError("no\nsuch\x00page")
    error.__cause__ = KeyError("chapter")
    assert one_line(error) == "ValueError: no such page <- KeyError: 'chapter'"


def test_an_error_chain_that_bites_its_tail_ends() -> None:
    first, second = ValueError("a"), ValueError("b")
    first.__cause__, second.__cause__ = second, first
    assert one_line(first) == "ValueError: a <- ValueError: b"


@given(st.text(alphabet=st.characters(exclude_categories=[])))
def test_any_text_becomes_one_that_postgresql_takes(text: str) -> None:
    """An error text from outside must never keep a failure from being recorded."""
    kept = storable(text, 100)
    assert len(kept) <= 100
    assert "\x00" not in kept
    assert "\n" not in kept
    kept.encode()


@pytest.mark.parametrize("drawn", [0, 1, (1 << 80) - 1, 0x5555_5555_5555_5555_5555])
def test_an_id_is_of_version_7_and_later_ones_sort_behind(drawn: int) -> None:
    made = uuid7(0x017F22E279B0, drawn)
    assert (made.version, made.variant) == (7, RFC_4122)
    assert str(made).startswith("017f22e2-79b0-7")
    assert made < uuid7(0x017F22E279B1, 0)


def test_an_id_keeps_the_randomness_that_it_is_given() -> None:
    assert len({uuid7(1, 1 << bit) for bit in range(74)}) == 74
