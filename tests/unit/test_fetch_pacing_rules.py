"""Pacing in virtual time (spec crawler-support 17.1, crawler-daemon-reader 10).

The rows that count tracked hosts are reworded by the ruling that the pace is kept in the database (DESIGN section 7,
ruling 23): there is no cap of 1,024; a host that was not known before starts a sweep, at most once a minute.
"""

import anyio
import pytest

from orihon.config import Settings
from orihon.fetch.pacing import Held, Intervals, LocalPace, Pacer, Slot

pytestmark = pytest.mark.anyio


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(round(seconds, 6))
        self.now += seconds


def never() -> float:
    """The chance by which a gap is longer."""
    return 0.0


@pytest.fixture
def time() -> Time:
    return Time()


def pacer(time: Time, default: float, **by_host: float) -> Pacer:
    intervals = Intervals(default, {host.replace("_", "."): pace for host, pace in by_host.items()})
    return Pacer(intervals, local=LocalPace(time), sleep=time.sleep, chance=never)


async def touch(pace: LocalPace, count: int) -> None:
    for index in range(count):
        await pace.claim(f"host{index}.example", 0.001, 20)


async def test_the_first_call_is_free_and_the_next_waits_the_rest(time: Time) -> None:
    """Reader 10: first calls wait zero, then exactly 100 ms."""
    pace = pacer(time, 0.1)
    await pace.wait_for("a")
    await pace.wait_for("b")
    assert time.slept == []
    await pace.wait_for("a")
    assert time.slept == [0.1]


async def test_an_override_paces_its_host_alone(time: Time) -> None:
    """RL-4."""
    pace = pacer(time, 1.0, fast_example=0.1)
    for host in ("fast.example", "fast.example", "slow.example", "slow.example"):
        await pace.wait_for(host)
    assert time.slept == [0.1, 1.0]


async def test_a_host_that_rested_longer_than_its_interval_does_not_wait(time: Time) -> None:
    """Reader 10: 250 ms past its interval."""
    pace = pacer(time, 0.1)
    await pace.wait_for("a")
    time.now += 0.35
    await pace.wait_for("a")
    assert time.slept == []


async def test_requests_that_come_together_are_spread(time: Time) -> None:
    pace = LocalPace(time)
    slots = [await pace.claim("a", 2.0, 20) for _ in range(4)]
    assert slots == [Slot(0, 2), Slot(2, 2), Slot(4, 2), Slot(6, 2)]


async def test_one_waiting_host_does_not_delay_another() -> None:
    """RL-9: with a real event loop; host a sleeps until it is let go, host b passes meanwhile."""
    let_go, passed = anyio.Event(), []

    async def sleep(_seconds: float) -> None:
        await let_go.wait()

    pace = Pacer(Intervals(10.0), local=LocalPace(), sleep=sleep, chance=never)
    await pace.wait_for("a")

    async def second(host: str) -> None:
        await pace.wait_for(host)
        passed.append(host)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(second, "a")
        tasks.start_soon(second, "b")
        await anyio.wait_all_tasks_blocked()
        assert passed == ["b"]
        let_go.set()
    assert passed == ["b", "a"]


async def test_no_interval_means_no_wait(time: Time) -> None:
    pace = pacer(time, 0.0)
    for _ in range(5):
        await pace.wait_for("a")
    assert time.slept == []


async def test_a_short_hold_is_sat_out(time: Time) -> None:
    pace = pacer(time, 0.0)
    await pace.hold("a", 5, "status 429")
    assert await pace.wait_for("a") is None
    assert time.slept == [5]


async def test_a_long_hold_is_handed_back_at_once(time: Time) -> None:
    """Research 3.1 row 5: the job comes back later and loses no attempt."""
    pace = pacer(time, 1.0)
    await pace.hold("a", 300, "status 429")
    assert await pace.wait_for("a") == Held(300, "status 429")
    assert time.slept == []
    time.now += 301
    assert await pace.wait_for("a") is None


async def test_a_hold_is_never_shortened(time: Time) -> None:
    pace = pacer(time, 1.0)
    await pace.hold("a", 300, "first")
    await pace.hold("a", 30, "second")
    assert await pace.wait_for("a") == Held(300, "first")


async def test_a_hold_voids_the_slots_that_were_claimed_before_it(time: Time) -> None:
    """Research 3.1 row 5: a row of sleepers must not walk into the next 429."""
    local = LocalPace(time)

    async def sleep(seconds: float) -> None:
        time.now += seconds
        await local.hold("a", 300, "status 429")

    pace = Pacer(Intervals(1.0), local=local, sleep=sleep, chance=never)
    await pace.wait_for("a")
    held = await pace.wait_for("a")
    assert isinstance(held, Held)
    assert held.seconds == 300


async def test_a_thousand_hosts_are_tracked(time: Time) -> None:
    """RL-1."""
    pace = LocalPace(time)
    await touch(pace, 1024)
    assert pace.tracked() == 1024


async def test_a_newcomer_sweeps_idle_hosts(time: Time) -> None:
    """RL-2."""
    pace = LocalPace(time)
    await touch(pace, 1024)
    time.now += 3601
    await pace.claim("newcomer.example", 0.001, 20)
    assert pace.tracked() == 1


async def test_a_host_that_came_back_survives_the_sweep(time: Time) -> None:
    """RL-3."""
    pace = LocalPace(time)
    await touch(pace, 1024)
    time.now += 3601
    await pace.claim("host0.example", 0.001, 20)
    await pace.claim("newcomer.example", 0.001, 20)
    assert pace.tracked() == 2


async def test_hosts_of_the_last_hour_are_all_kept(time: Time) -> None:
    """RL-5."""
    pace = LocalPace(time)
    await touch(pace, 1024)
    time.now += 1800
    await pace.claim("newcomer.example", 0.001, 20)
    assert pace.tracked() == 1025


async def test_few_idle_hosts_are_swept_too(time: Time) -> None:
    """RL-6, reworded (DESIGN section 7: pace in the database): below the former cap, too."""
    pace = LocalPace(time)
    await touch(pace, 1023)
    time.now += 7200
    await pace.claim("newcomer.example", 0.001, 20)
    assert pace.tracked() == 1


@pytest.mark.parametrize(("idle", "left"), [(3600.0, 1), (3599.999, 2)])
async def test_an_hour_of_idleness_is_the_limit(time: Time, idle: float, left: int) -> None:
    """RL-7: exactly 3600 s evicted, 3599.999 s kept; idleness counts from the next free slot."""
    pace = LocalPace(time)
    time.now = 0.0
    await pace.claim("old.example", 0.0, 20)
    time.now += idle
    await pace.claim("newcomer.example", 0.0, 20)
    assert pace.tracked() == left


def test_intervals_come_from_the_settings() -> None:
    """Spec 2: CRAWLER_RATE_MS, CRAWLER_CDN_HOST, CRAWLER_CDN_RATE_MS (unset: as the others)."""
    intervals = Intervals.of(Settings(fetch_rate_ms=1500, fetch_cdn_host="CDN.example", fetch_cdn_rate_ms=50))
    assert (intervals.of_host("a"), intervals.of_host("cdn.example")) == (1.5, 0.05)
    assert Intervals.of(Settings(fetch_rate_ms=1500, fetch_cdn_host="cdn.example")).of_host("cdn.example") == 1.5
