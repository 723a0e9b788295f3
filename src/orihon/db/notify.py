"""The notify bus: hints between processes. What they hint at is always read from the tables (DESIGN ruling 16)."""

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import asyncpg
import msgspec
import structlog

from orihon.db.pool import TROUBLE, Connection, connect

log = structlog.get_logger(__name__)

CHANNELS = ("jobs", "library", "sources", "sessions", "media")
"""Every channel of the product."""

PAYLOAD_LIMIT = 7999
"""Bytes that PostgreSQL takes with a notification."""

BACKLOG = 1000
"""Notices that a slow reader may leave unread; more, and it gets one that says: read afresh."""

_NOTIFY = "SELECT pg_notify($1, $2)"


async def notify(db: Connection, channel: str, payload: str = "") -> None:
    """Send a hint when the surrounding transaction commits; equal ones of a transaction are sent once.

    Raises:
        ValueError: no such channel, or a payload too large to send.
    """
    _require(channel)
    if len(payload.encode()) > PAYLOAD_LIMIT:
        raise ValueError(f"A notification holds {PAYLOAD_LIMIT} bytes; send a key, not the thing.")
    await db.execute(_NOTIFY, channel, payload)


class Notice(msgspec.Struct, frozen=True):
    """A hint. `payload` None: hints may have been missed (a new connection, a slow reader); read afresh."""

    channel: str
    payload: str | None


def reconnect_delay(failures: int, r: float) -> float:
    """Seconds before the next try after `failures` in a row: from 0.1, doubling, at most 30, jittered by half."""
    return min(30.0, 0.1 * (1 << min(max(failures, 0), 10))) * (0.5 + 0.5 * min(max(r, 0.0), 1.0))


Callback = Callable[[Notice], None]


class Bus:
    """Hears every channel on one connection of its own; reconnects, and proves to itself that it still hears.

    A listener can go deaf without an error, so it sends itself a ping every `ping_seconds` and takes a missing echo
    within `ping_timeout` for a dead connection.
    """

    def __init__(
        self,
        dsn: str,
        *,
        ping_seconds: float = 15.0,
        ping_timeout: float = 5.0,
        sleep: Callable[[float], Awaitable[Any]] = asyncio.sleep,
        random: Callable[[], float] = random.random,
    ) -> None:
        self._dsn = dsn
        self._ping_seconds = ping_seconds
        self._ping_timeout = ping_timeout
        self._sleep = sleep
        self._random = random
        self._callbacks: dict[str, list[Callback]] = {channel: [] for channel in CHANNELS}
        self._own_channel = f"orihon_ping_{uuid4().hex}"
        self._echo = asyncio.Event()
        self._connected = asyncio.Event()
        self._failures = 0
        self._connection: asyncpg.Connection[asyncpg.Record] | None = None
        self._task: asyncio.Task[None] | None = None

    @property
    def connected(self) -> bool:
        """Whether hints arrive now."""
        return self._connected.is_set()

    async def start(self) -> None:
        """Begin to listen. Does not wait for the database: hints are optional, and it may still be starting."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name="notify bus")

    async def ready(self) -> None:
        """Wait until hints arrive."""
        await self._connected.wait()

    async def stop(self) -> None:
        """Stop listening."""
        # More than once if need be: a cancellation that meets a connection attempt at its very end can get lost.
        while self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.wait([self._task], timeout=1.0)
        self._task = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    def listen(self, channel: str, callback: Callback) -> Callable[[], None]:
        """Call `callback` for each notice of a channel; it must be quick. Returns what ends this.

        Raises:
            ValueError: no such channel.
        """
        _require(channel)
        self._callbacks[channel].append(callback)

        def forget() -> None:
            with contextlib.suppress(ValueError):
                self._callbacks[channel].remove(callback)

        return forget

    def subscribe(self, *channels: str) -> "Subscription":
        """Notices of channels as an async iterator; use it as a context manager.

        Raises:
            ValueError: no such channel.
        """
        return Subscription(self, channels)

    async def _run(self) -> None:
        while True:
            try:
                self._connection = await connect(self._dsn)
                try:
                    await self._hear(self._connection)
                    await self._watch(self._connection)
                finally:
                    self._connected.clear()
                    self._connection.terminate()
            except TROUBLE as error:
                log.warning("not listening for hints; polling goes on", error=str(error) or type(error).__name__)
            await self._sleep(reconnect_delay(self._failures, self._random()))
            self._failures += 1

    async def _hear(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        for channel in CHANNELS:
            await connection.add_listener(channel, self._on_notification)
        await connection.add_listener(self._own_channel, self._on_echo)
        self._connected.set()
        for channel in CHANNELS:
            self._tell(Notice(channel, None))

    async def _watch(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        gone = asyncio.Event()
        connection.add_termination_listener(lambda _: gone.set())
        while True:
            self._echo.clear()
            async with asyncio.timeout(self._ping_timeout):
                await connection.execute(_NOTIFY, self._own_channel, "")
                await self._echo.wait()
            self._failures = 0
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._ping_seconds):
                    await gone.wait()
            if connection.is_closed():
                raise ConnectionResetError("The connection to the database was lost.")

    def _on_notification(self, _connection: object, _pid: int, channel: str, payload: object) -> None:
        self._tell(Notice(channel, str(payload)))

    def _on_echo(self, *_: object) -> None:
        self._echo.set()

    def _tell(self, notice: Notice) -> None:
        for callback in tuple(self._callbacks[notice.channel]):
            try:
                callback(notice)
            except Exception:
                log.exception("a listener failed", channel=notice.channel)


class Subscription:
    """Notices of some channels, in the order of arrival; equal ones that wait unread are one."""

    def __init__(self, bus: Bus, channels: tuple[str, ...]) -> None:
        for channel in channels:
            _require(channel)
        self._bus = bus
        self._channels = channels
        self._forget: list[Callable[[], None]] = []
        self._waiting: dict[Notice, None] = {}
        self._arrived = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._forget = [self._bus.listen(channel, self._take) for channel in self._channels]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for forget in self._forget:
            forget()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Notice:
        while not self._waiting:
            self._arrived.clear()
            await self._arrived.wait()
        notice = next(iter(self._waiting))
        del self._waiting[notice]
        return notice

    def _take(self, notice: Notice) -> None:
        if len(self._waiting) >= BACKLOG:
            self._waiting = {Notice(channel, None): None for channel in self._channels}
        self._waiting[notice] = None
        self._arrived.set()


def _require(channel: str) -> None:
    if channel not in CHANNELS:
        raise ValueError(f"There is no channel {channel!r}; there are {', '.join(CHANNELS)}.")
