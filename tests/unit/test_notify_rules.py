"""How a listener that lost its connection comes back."""

from hypothesis import given
from hypothesis import strategies as st

from orihon.db.notify import reconnect_delay


@given(st.integers(-3, 10_000), st.floats(0, 1))
def test_reconnecting_slows_down_and_never_stops(failures: int, r: float) -> None:
    """graphile #224: reconnecting without a pause wrote 30,000 log lines in 20 seconds."""
    assert 0.05 <= reconnect_delay(failures, r) <= 30
    assert reconnect_delay(failures, r) <= reconnect_delay(failures + 1, r)


def test_the_first_try_is_prompt_and_the_tenth_is_not() -> None:
    assert reconnect_delay(0, 1) == 0.1
    assert reconnect_delay(9, 1) == 30
