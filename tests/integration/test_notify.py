"""The notify bus (DESIGN ruling 16; graphile #541, procrastinate PR 1425: listeners that die in silence)."""

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest
from tests.support.waiting import eventually

from orihon.db.notify import BACKLOG, CHANNELS, Bus, Notice, notify
from orihon.db.pool import Pool

pytestmark = pytest.mark.anyio


class Pauses:
    """Sleeps that the test can see, and that end at once."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)
        await asyncio.sleep(0)


@pytest.fixture
async def bus(dsn: str) -> AsyncIterator[Bus]:
    async with Bus(dsn) as opened:
        await opened.ready()
        yield opened


async def _send(pool: Pool, *said: tuple[str, str]) -> None:
    async with pool.acquire() as db:
        for channel, payload in said:
            await notify(db, channel, payload)


async def _next(subscription: AsyncIterator[Notice]) -> Notice:
    async with asyncio.timeout(10):
        return await anext(subscription)


async def test_a_subscriber_hears_its_channels_in_order(bus: Bus, pool: Pool) -> None:
    async with bus.subscribe("library", "sources") as subscription:
        await _send(pool, ("library", "a"), ("jobs", "x"), ("sources", "b"), ("library", "c"))
        heard = [await _next(subscription) for _ in range(3)]
    assert heard == [Notice("library", "a"), Notice("sources", "b"), Notice("library", "c")]


async def test_a_hint_arrives_when_its_transaction_commits_and_not_if_it_does_not(bus: Bus, pool: Pool) -> None:
    async with bus.subscribe("library") as subscription, pool.acquire() as db:
        transaction = db.transaction()
        await transaction.start()
        await notify(db, "library", "rolled back")
        await transaction.rollback()
        await notify(db, "library", "kept")
        assert await _next(subscription) == Notice("library", "kept")


async def test_equal_unread_hints_are_one(bus: Bus, pool: Pool) -> None:
    arrived: list[Notice] = []
    bus.listen("library", arrived.append)
    async with bus.subscribe("library") as subscription:
        await _send(pool, *([("library", "same")] * 50), ("library", "last"))
        await eventually(lambda: len(arrived) == 51)
        assert [await _next(subscription) for _ in range(2)] == [Notice("library", "same"), Notice("library", "last")]


async def test_a_slow_reader_is_told_to_read_afresh_instead_of_filling_memory(bus: Bus, pool: Pool) -> None:
    arrived: list[Notice] = []
    bus.listen("library", arrived.append)
    async with bus.subscribe("library") as subscription:
        async with pool.acquire() as db:
            await db.execute("SELECT pg_notify('library', n::text) FROM generate_series(1, $1::integer) n", BACKLOG + 1)
            await notify(db, "library", "last")
        await eventually(lambda: len(arrived) == BACKLOG + 2)
        assert await _next(subscription) == Notice("library", None)
        assert (await _next(subscription)).payload == str(BACKLOG + 1)


async def test_after_a_lost_connection_everyone_is_told_to_read_afresh(bus: Bus, pool: Pool) -> None:
    async with bus.subscribe("sources") as subscription:
        await pool.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        assert await _next(subscription) == Notice("sources", None)
        await bus.ready()
        await _send(pool, ("sources", "again"))
        heard = await _next(subscription)
        assert heard == Notice("sources", "again")


async def test_a_listener_that_went_deaf_finds_out_by_itself(dsn: str, pool: Pool) -> None:
    """graphile #541: no error, no hints, for ever. Here its own ping does not come back, and it connects anew."""
    async with Bus(dsn, ping_seconds=0.05, ping_timeout=0.2) as bus:
        await bus.ready()
        resynced: list[Notice] = []
        bus.listen("library", resynced.append)

        async def deafened() -> bool:
            """The server forgets what this session listens to; nothing tells the client."""
            assert bus._connection is not None
            try:
                await bus._connection.execute("UNLISTEN *")
            except asyncpg.InterfaceError:  # in the middle of a ping
                return False
            return True

        await eventually(deafened)
        await eventually(lambda: Notice("library", None) in resynced)
        await _send(pool, ("library", "heard"))
        await eventually(lambda: Notice("library", "heard") in resynced)


async def test_a_database_that_is_away_is_tried_with_growing_pauses(dsn: str) -> None:
    pauses = Pauses()
    bus = Bus(dsn.replace("/run", "/nowhere"), sleep=pauses, random=lambda: 1.0)
    async with bus:
        await eventually(lambda: len(pauses.seconds) >= 11)
        assert not bus.connected
    assert pauses.seconds[:10] == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 30.0]


async def test_a_listener_that_fails_does_not_deafen_the_others(bus: Bus, pool: Pool) -> None:
    heard: list[str | None] = []

    def broken(notice: Notice) -> None:
        raise RuntimeError(notice.payload)

    bus.listen("media", broken)
    forget = bus.listen("media", lambda notice: heard.append(notice.payload))
    await _send(pool, ("media", "1"))
    await eventually(lambda: heard == ["1"])
    forget()
    await _send(pool, ("media", "2"))
    async with bus.subscribe("media") as marker:
        await _send(pool, ("media", "3"))
        await _next(marker)
    assert heard == ["1"]


async def test_a_misspelt_channel_or_an_oversized_hint_is_refused(bus: Bus, pool: Pool) -> None:
    with pytest.raises(ValueError, match="librarry"):
        bus.subscribe("librarry")
    with pytest.raises(ValueError, match="librarry"):
        bus.listen("librarry", print)
    async with pool.acquire() as db:
        with pytest.raises(ValueError, match="7999"):
            await notify(db, "library", "ö" * 4000)
        with pytest.raises(ValueError, match="librarry"):
            await notify(db, "librarry")


async def test_a_stopped_bus_leaves_no_connection(dsn: str, pool: Pool) -> None:
    async with Bus(dsn) as bus:
        await bus.ready()
    await eventually(
        lambda: pool.fetchval("SELECT count(*) = 1 FROM pg_stat_activity WHERE datname = current_database()")
    )
    assert not bus.connected
    assert len(CHANNELS) == len(set(CHANNELS))
