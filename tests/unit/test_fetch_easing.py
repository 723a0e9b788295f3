"""The gap to a host follows its answers (research/ingest-anchors 3.1, row 6), in virtual time.

A site of its own kind stands behind the pacer: it answers as slowly as the test says, or refuses what comes too fast.
"""

import itertools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orihon.fetch import easing
from orihon.fetch.pacing import JITTER, REMEMBERED, Held, Intervals, LocalPace, Pacer

pytestmark = pytest.mark.anyio

LEAST, SLOWEST = 1.0, 10.0


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Site:
    """A host, and the pacer before it."""

    def __init__(self, *, least: float = LEAST, slowest: float = SLOWEST, chance: float = 0.0) -> None:
        self.time = Time()
        self.seconds = 0.1
        self.status: Callable[[float], int | None] = lambda _gap: 200
        self.asked: list[float] = []
        self.pacer = Pacer(
            Intervals(least, slowest=slowest), local=LocalPace(self.time), sleep=self.time.sleep, chance=lambda: chance
        )

    async def ask(self, times: int = 1) -> float:
        """Ask so often; the gap between the last two requests."""
        for _ in range(times):
            assert await self.pacer.wait_for("a") is None
            self.asked.append(self.time.now)
            gap = self.asked[-1] - self.asked[-2] if len(self.asked) > 1 else self.time.now
            self.pacer.answered("a", self.seconds, self.status(gap))
        return self.asked[-1] - self.asked[-2]


async def test_a_site_that_answers_well_keeps_the_pace_of_the_settings() -> None:
    assert await Site().ask(20) == pytest.approx(LEAST)


async def test_a_site_that_gets_slow_has_one_request_at_a_time() -> None:
    """Row 6: adaptive slow-down on latency growth, one connection by default."""
    site = Site()
    await site.ask(5)
    site.seconds = 4.0
    assert await site.ask(30) == pytest.approx(4.0, rel=0.05)


async def test_answers_at_once_do_not_add_up_beyond_their_time() -> None:
    """Eight processes see the same slow site, each with a gap in mind that the others have made longer since."""
    time = Time()
    shared, asked = LocalPace(time), [time.now]
    pace = Intervals(LEAST, slowest=60.0)
    crowd = [Pacer(pace, local=shared, sleep=time.sleep, chance=lambda: 0.0) for _ in range(8)]
    for _ in range(6):
        for pacer in crowd:
            assert await pacer.wait_for("a") is None
            asked.append(time.now)
        for pacer in crowd:
            pacer.answered("a", 4.0, 200)
    gaps = [later - earlier for earlier, later in itertools.pairwise(asked[1:])]
    assert max(gaps) == pytest.approx(4.0)
    assert gaps[-1] == pytest.approx(4.0, rel=0.05)


async def test_one_slow_page_among_many_matters_little() -> None:
    site = Site()
    await site.ask(5)
    site.seconds = 3.0
    await site.ask()
    site.seconds = 0.1
    assert await site.ask(2) < 1.6
    assert await site.ask(30) == pytest.approx(LEAST)


@pytest.mark.parametrize("status", [429, 503, None])
async def test_a_site_that_is_busy_or_does_not_answer_is_asked_half_as_often(status: int | None) -> None:
    site = Site()
    await site.ask(5)
    site.status = lambda _gap: status
    await site.ask()
    site.status = lambda _gap: 200
    await site.ask()
    assert await site.ask() == pytest.approx(2 * LEAST, rel=0.05)


async def test_no_trouble_makes_it_slower_than_the_settings_say() -> None:
    site = Site()
    site.status, site.seconds = (lambda _gap: None), 30.0
    assert await site.ask(50) == pytest.approx(SLOWEST)


async def test_a_site_that_is_well_again_is_asked_as_before() -> None:
    site = Site()
    site.status = lambda _gap: 503
    await site.ask(50)
    site.status = lambda _gap: 200
    await site.ask(90)
    assert await site.ask() == pytest.approx(LEAST)


async def test_a_site_that_allows_less_than_the_settings_is_hardly_ever_asked_too_fast() -> None:
    """A site that refuses whatever comes within three seconds of the request before it: without easing, every one."""
    site = Site()
    refused: list[bool] = []

    def strict(gap: float) -> int:
        refused.append(gap < 3.0)
        return 429 if refused[-1] else 200

    site.status = strict
    await site.ask(400)
    assert sum(refused[100:]) <= 300 // 10


@pytest.mark.parametrize("status", [401, 403, 500, 502])
async def test_an_error_that_comes_fast_is_no_sign_of_health(status: int) -> None:
    site = Site()
    site.status = lambda _gap: 503
    await site.ask(20)
    site.status = lambda _gap: status
    assert await site.ask(50) == pytest.approx(SLOWEST)


async def test_a_pause_that_a_site_asks_for_does_not_make_it_forget_that_it_was_busy() -> None:
    site = Site()
    await site.ask(5)
    site.pacer.answered("a", 0.1, 429)
    await site.pacer.hold("a", 300, "status 429")
    assert isinstance(await site.pacer.wait_for("a"), Held)
    site.time.now += 301
    await site.ask()
    assert await site.ask() == pytest.approx(2 * LEAST, rel=0.05)


async def test_gaps_are_a_little_longer_by_chance_and_never_shorter() -> None:
    """Row 6: a minimum gap with jitter."""
    assert await Site(chance=1.0).ask(3) == pytest.approx(LEAST * (1 + JITTER))


@pytest.mark.parametrize(("least", "slowest", "gap"), [(0.0, 10.0, 0.0), (2.0, 0.0, 2.0), (20.0, 10.0, 20.0)])
async def test_no_pace_and_no_room_for_a_slower_one_mean_no_easing(least: float, slowest: float, gap: float) -> None:
    site = Site(least=least, slowest=slowest)
    site.status = lambda _gap: 503
    assert await site.ask(20) == pytest.approx(gap)


async def test_what_is_remembered_of_hosts_does_not_grow() -> None:
    site = Site()
    for number in range(REMEMBERED + 50):
        await site.pacer.wait_for(f"host{number}.example")
    assert len(site.pacer._seen) == REMEMBERED


@given(
    gap=st.floats(0.001, 3600),
    seconds=st.floats(0, 600),
    status=st.one_of(st.none(), st.integers(100, 599)),
)
def test_no_answer_changes_much_at_once(gap: float, seconds: float, status: int | None) -> None:
    assert easing.GOOD <= easing.factor(gap, seconds, status) <= easing.MOST
