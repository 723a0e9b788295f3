"""The pace that all processes share, in the database (DESIGN section 7; spec crawler-support 17.1, ruling 23)."""

import asyncio
import math
import sys
from contextlib import suppress

import pytest

from orihon.config import Settings
from orihon.db.pool import Pool, open_pool
from orihon.fetch.client import FetchClient, Limits
from orihon.fetch.errors import RateLimited, Refused, TimedOut
from orihon.fetch.pacing import Change, Held, Intervals, Pacer, SharedPace, Slot

pytestmark = pytest.mark.anyio

AGE = "UPDATE host_pace SET next_at = next_at - $2::float8 * interval '1 second' WHERE host = $1 OR $1 = '*'"


class Clock:
    """Process time, which only decides how often a sweep may run."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(pool: Pool, clock: Clock) -> SharedPace:
    return SharedPace(pool, clock)


async def tracked(pool: Pool) -> int:
    count: int = await pool.fetchval("SELECT count(*) FROM host_pace")
    return count


async def fill(pool: Pool, count: int) -> None:
    await pool.execute(
        "INSERT INTO host_pace (host, next_at) SELECT 'host' || n || '.example', clock_timestamp() "
        "FROM generate_series(0, $1 - 1) AS n",
        count,
    )


async def no_sleep(_seconds: float) -> None:
    """Waits for nothing."""


def wait_of(slot: Slot | Held) -> float:
    assert isinstance(slot, Slot)
    return slot.wait


async def test_the_first_slot_is_free_and_the_next_ones_stand_in_a_row(pace: SharedPace) -> None:
    waits = [wait_of(await pace.claim("a", 10.0, 20)) for _ in range(3)]
    assert waits == pytest.approx([0, 10, 20], abs=0.5)
    assert wait_of(await pace.claim("b", 10.0, 20)) <= 0


async def test_many_claims_at_once_get_one_slot_each(dsn: str) -> None:
    """Two processes cannot claim one slot: as many connections as two workers have."""
    pools = [await open_pool(dsn, size=8), await open_pool(dsn, size=8)]
    paces = [SharedPace(pool) for pool in pools]
    slots = await asyncio.gather(*(paces[index % 2].claim("a", 10.0, 20) for index in range(40)))
    for pool in pools:
        pool.terminate()
    waits = sorted(wait_of(slot) for slot in slots)
    assert waits == pytest.approx([10.0 * index for index in range(40)], abs=2)


async def test_other_processes_keep_the_same_pace(dsn: str, pace: SharedPace) -> None:
    script = (
        "import asyncio, sys\n"
        "from orihon.db.pool import open_pool\n"
        "from orihon.fetch.pacing import SharedPace\n"
        "async def main():\n"
        "    pool = await open_pool(sys.argv[1], size=1)\n"
        "    print((await SharedPace(pool).claim('a', 100.0, 20)).wait)\n"
        "    await pool.close()\n"
        "asyncio.run(main())\n"
    )
    await pace.claim("a", 100.0, 20)
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", script, dsn, stdout=asyncio.subprocess.PIPE)
    output, _ = await child.communicate()
    assert float(output) == pytest.approx(100, abs=20)


async def test_a_rested_host_does_not_wait(pool: Pool, pace: SharedPace) -> None:
    """Reader 10, in database time."""
    await pace.claim("a", 10.0, 20)
    await pool.execute(AGE, "a", 12.0)
    assert wait_of(await pace.claim("a", 10.0, 20)) <= 0


async def test_an_interval_of_zero_never_touches_the_database(pool: Pool) -> None:
    pacer = Pacer(Intervals(1.0, {"fast.example": 0.0}), SharedPace(pool))
    await pacer.wait_for("fast.example")
    await pacer.hold("fast.example", 300, "status 429")
    assert isinstance(await pacer.wait_for("fast.example"), Held)
    assert await tracked(pool) == 0
    await pacer.wait_for("slow.example")
    assert await tracked(pool) == 1


async def test_a_hold_is_seen_by_everybody_with_its_reason(dsn: str, pool: Pool, pace: SharedPace) -> None:
    """Research 3.1 row 5: a cooldown shared by all jobs; claims do not move a held host."""
    await pace.claim("a", 10.0, 20)
    await pace.hold("a", 300, "status 429")
    elsewhere = await open_pool(dsn, size=1)
    held = await SharedPace(elsewhere).claim("a", 10.0, 20)
    elsewhere.terminate()
    assert isinstance(held, Held)
    assert held.seconds == pytest.approx(300, abs=2)
    assert held.reason == "status 429"
    assert await pool.fetchval("SELECT next_at = held_until FROM host_pace")


async def test_a_short_hold_moves_the_next_slot(pace: SharedPace) -> None:
    await pace.hold("a", 15, "status 429")
    assert wait_of(await pace.claim("a", 10.0, 20)) == pytest.approx(15, abs=1)
    assert wait_of(await pace.claim("a", 10.0, 20)) == pytest.approx(25, abs=1)


async def test_a_hold_is_never_shortened(pace: SharedPace) -> None:
    await pace.hold("a", 300, "first")
    await pace.hold("a", 5, "second")
    held = await pace.claim("a", 10.0, 20)
    assert isinstance(held, Held)
    assert held.reason == "first"


async def test_a_hold_ends_by_itself(pool: Pool, pace: SharedPace) -> None:
    await pace.hold("a", 300, "status 429")
    await pool.execute(AGE, "a", 301.0)
    await pool.execute("UPDATE host_pace SET held_until = held_until - interval '301 s'")
    assert not await pace.held("a")
    assert wait_of(await pace.claim("a", 10.0, 20)) <= 0


async def test_a_hold_voids_the_slots_that_were_claimed_before_it(pool: Pool, pace: SharedPace) -> None:
    """Research 3.1 row 5: a row of sleepers must not walk into the next 429."""

    async def sleep(_seconds: float) -> None:
        await pace.hold("a", 300, "status 429")

    pacer = Pacer(Intervals(5.0), pace, sleep=sleep)
    assert await pacer.wait_for("a") is None
    assert isinstance(await pacer.wait_for("a"), Held)


async def test_hosts_of_the_last_hour_are_all_kept(pool: Pool, pace: SharedPace) -> None:
    """RL-1, RL-5: 1,024 recent hosts and one more."""
    await fill(pool, 1024)
    await pace.claim("newcomer.example", 0.001, 20)
    assert await tracked(pool) == 1025


async def test_a_newcomer_sweeps_idle_hosts(pool: Pool, pace: SharedPace) -> None:
    """RL-2."""
    await fill(pool, 1024)
    await pool.execute(AGE, "*", 3601.0)
    await pace.claim("newcomer.example", 0.001, 20)
    assert await tracked(pool) == 1


async def test_a_host_that_came_back_survives_the_sweep(pool: Pool, pace: SharedPace) -> None:
    """RL-3: a known host sweeps nothing, the newcomer does."""
    await fill(pool, 1024)
    await pool.execute(AGE, "*", 3601.0)
    await pace.claim("host0.example", 0.001, 20)
    assert await tracked(pool) == 1024
    await pace.claim("newcomer.example", 0.001, 20)
    assert await tracked(pool) == 2


async def test_few_idle_hosts_are_swept_too(pool: Pool, pace: SharedPace) -> None:
    """RL-6, reworded (DESIGN section 7: pace in the database): there is no cap below which idle hosts stay."""
    await fill(pool, 1023)
    await pool.execute(AGE, "*", 7200.0)
    await pace.claim("newcomer.example", 0.001, 20)
    assert await tracked(pool) == 1


async def test_an_hour_of_idleness_is_the_limit(pool: Pool, pace: SharedPace) -> None:
    """RL-7, within the resolution of a running database clock; the exact limit is tested in virtual time."""
    await fill(pool, 2)
    await pool.execute(AGE, "host0.example", 3600.0)
    await pool.execute(AGE, "host1.example", 3590.0)
    await pace.claim("newcomer.example", 0.001, 20)
    assert [row["host"] for row in await pool.fetch("SELECT host FROM host_pace ORDER BY host")] == [
        "host1.example",
        "newcomer.example",
    ]


async def test_a_sweep_runs_at_most_once_a_minute(pool: Pool, pace: SharedPace, clock: Clock) -> None:
    await pace.claim("one.example", 0.001, 20)
    await pool.execute(AGE, "*", 3601.0)
    await pace.claim("two.example", 0.001, 20)
    assert await tracked(pool) == 2
    clock.now += 60
    await pace.claim("three.example", 0.001, 20)
    assert await tracked(pool) == 2


async def test_an_address_without_a_host_is_an_error_that_tracks_nothing(pool: Pool) -> None:
    """RL-8."""
    async with FetchClient(Settings(), pool) as door:
        with pytest.raises(Refused, match="not a url"):
            await door.get("not a url")
    assert await tracked(pool) == 0


async def test_the_door_waits_for_the_shared_pace_and_obeys_it(pool: Pool) -> None:
    """End to end: two requests to one host are paced in the database; a 429 there holds it for the next client."""
    answers = [b"200 OK", b"200 OK", b"429 No\r\nRetry-After: 120"]
    slept: list[float] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 " + answers.pop(0) + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    settings = Settings(private_origins=(origin,), fetch_rate_ms=30_000)
    async with server:
        async with FetchClient(settings, pool, sleep=sleep) as door:
            await door.get(f"{origin}/a")
            await door.get(f"{origin}/b")
            with pytest.raises(RateLimited) as refused:
                await door.get(f"{origin}/c")
        async with FetchClient(settings, pool, sleep=sleep) as another:
            with pytest.raises(RateLimited) as again:
                await another.get(f"{origin}/d")
    # The first answer was a good one, and chance makes gaps up to a tenth longer.
    assert slept == pytest.approx([31.5, 63], abs=4)
    assert refused.value.retry_after == 120
    assert again.value.retry_after == pytest.approx(120, abs=5)
    assert answers == []
    assert await pool.fetchval("SELECT reason FROM host_pace WHERE host = '127.0.0.1'") == "status 429"


async def test_a_busy_host_is_asked_less_often_by_everybody(dsn: str, pool: Pool) -> None:
    """Research 3.1 row 6: the gap is in the database; what one process saw goes along with its next claim."""
    mine = Pacer(Intervals(5.0, slowest=60.0), SharedPace(pool), sleep=no_sleep, chance=lambda: 0.0)
    for _ in range(2):
        await mine.wait_for("a")
        mine.answered("a", 0.1, 503)
    await mine.wait_for("a")
    elsewhere = await open_pool(dsn, size=1)
    slot = await SharedPace(elsewhere).claim("a", 5.0, 20, Change(slowest=60.0))
    elsewhere.terminate()
    assert isinstance(slot, Slot)
    assert slot.gap == 20
    assert slot.wait == pytest.approx(5 + 10 + 20, abs=1)


@pytest.mark.parametrize(("slowest", "gap"), [(60.0, 60.0), (0.0, 5.0)])
async def test_a_gap_keeps_within_what_the_settings_say_now(pool: Pool, slowest: float, gap: float) -> None:
    await pool.execute("INSERT INTO host_pace (host, gap, next_at) VALUES ('a', interval '1 hour', now())")
    slot = await SharedPace(pool).claim("a", 5.0, 20, Change(slowest=slowest))
    assert isinstance(slot, Slot)
    assert slot.gap == gap


async def test_the_door_tells_how_a_site_answers(pool: Pool) -> None:
    """Research 3.1 row 6, end to end: answers that take four seconds, then one that never begins, then good ones."""
    now = [0.0]
    takes: list[float | None] = [4.0, None] + [0.1] * 30

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        seconds = takes.pop(0)
        if seconds is not None:
            now[0] += seconds
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
        else:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    settings = Settings(private_origins=(origin,), fetch_rate_ms=1000, fetch_slowest_ms=60_000)
    gaps: list[float] = []
    async with (
        server,
        FetchClient(settings, pool, sleep=no_sleep, clock=lambda: now[0], limits=Limits(read=0.3)) as door,
    ):
        for number in range(32):
            with suppress(TimedOut):
                await door.get(f"{origin}/{number}")
            gaps.append(await pool.fetchval("SELECT extract(epoch FROM gap)::float8 FROM host_pace"))
    assert gaps[0] == 1.0
    assert gaps[1] == pytest.approx(1.75)
    assert gaps[2] == pytest.approx(3.5)
    assert gaps[3:] == sorted(gaps[3:], reverse=True)
    assert gaps[-1] < 1.6


@pytest.mark.parametrize(
    ("factor", "reach", "gap"),
    [
        pytest.param(2.0, 1.5, 1.5, id="no longer than what a slow answer took"),
        pytest.param(2.0, math.inf, 2.0, id="a refusal"),
        pytest.param(2.0, 0.1, 1.0, id="an answer that others have outdone is no reason to be quicker"),
        pytest.param(0.5, 0.0, 0.5, id="shorter"),
    ],
)
async def test_a_factor_brings_the_shared_gap_as_far_as_it_reaches(
    pool: Pool, factor: float, reach: float, gap: float
) -> None:
    pace = SharedPace(pool)
    await pace.claim("a", 1.0, 20, Change(slowest=60.0))
    slot = await pace.claim("a", 0.25, 20, Change(factor, reach, slowest=60.0))
    assert isinstance(slot, Slot)
    assert slot.gap == pytest.approx(gap)
