"""What is moving, as a stream of events: one snapshot per topic and change, shared by everybody who watches.

A topic is looked at only while somebody watches it; changes are gathered for a moment, and looking never takes more
than a small share of the time, however large the library is.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Literal
from weakref import WeakSet

import structlog

from orihon.db.notify import Bus
from orihon.db.pool import Connection, Pool

log = structlog.get_logger(__name__)

Topic = Literal["library", "sources", "jobs"]

CHANNELS: dict[Topic, tuple[str, ...]] = {
    "library": ("library", "media"),
    "sources": ("sources",),
    "jobs": ("jobs",),
}
"""Hints after which a topic is looked at."""

GATHER = 0.25
"""Seconds for which changes are gathered."""

SHARE = 0.05
"""Of the time, at most, that looking at a topic takes."""

POLL = 5.0
"""Seconds after which a topic is looked at without a hint: hints are a courtesy, the tables are the truth."""

HEARTBEAT = 15.0
"""Seconds of silence after which a comment shows that the stream lives."""

MOST_STREAMS = 200

Look = Callable[[Connection], Awaitable[bytes]]

MayWatch = Callable[[], Awaitable[bool]]
"""Whether the watcher still has the right to; asked before each event, since a stream outlives sign-ins."""


class TooManyStreams(Exception):
    """So many watch already that another stream would cost the others."""


class _Feed:
    """One topic: its latest snapshot, and the task that looks while somebody watches."""

    def __init__(self, topic: Topic, look: Look, pool: Pool, bus: Bus) -> None:
        self.latest = b""
        self.version = 0
        self._topic = topic
        self._look = look
        self._pool = pool
        self._bus = bus
        self._watchers: set[asyncio.Event] = set()
        self._task: asyncio.Task[None] | None = None

    def enter(self, woken: asyncio.Event) -> None:
        self._watchers.add(woken)
        if self._task is None:
            self.latest = b""
            self._task = asyncio.create_task(self._run(), name=f"feed {self._topic}")

    def leave(self, woken: asyncio.Event) -> None:
        self._watchers.discard(woken)
        if not self._watchers and self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        hinted = asyncio.Event()
        forget = [self._bus.listen(channel, lambda _: hinted.set()) for channel in CHANNELS[self._topic]]
        try:
            while True:
                was_hinted = hinted.is_set()
                hinted.clear()
                took = await self._snapshot(tell_always=was_hinted)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(POLL):
                        await hinted.wait()
                await asyncio.sleep(max(GATHER, took / SHARE))
        finally:
            for end in forget:
                end()

    async def _snapshot(self, *, tell_always: bool) -> float:
        """Look, and tell everybody; returns how many seconds it took."""
        began = time.monotonic()
        try:
            async with self._pool.acquire() as db:
                body = await self._look(db)
        except Exception as error:
            # A database that is away comes back, and the stream waits for it.
            log.warning("a feed could not be read", topic=self._topic, error=str(error) or type(error).__name__)
        else:
            event = b"event: %b\ndata: %b\n\n" % (self._topic.encode(), body)
            if tell_always or event != self.latest:
                self.latest = event
                self.version += 1
                for woken in self._watchers:
                    woken.set()
        return time.monotonic() - began


class Feeds:
    """Every topic of this process."""

    def __init__(self, pool: Pool, bus: Bus, looks: Mapping[Topic, Look]) -> None:
        self._feeds = {topic: _Feed(topic, look, pool, bus) for topic, look in looks.items()}
        # From the moment they are promised; one whose client left before it began is never run to its end.
        self._streams: WeakSet[asyncio.Event] = WeakSet()
        self._closed = False

    def open(self, topics: Sequence[Topic], may_watch: MayWatch) -> AsyncIterator[bytes]:
        """A stream of the topics, a snapshot of each first. It ends when the process does, or the right to watch.

        Raises:
            TooManyStreams: see `MOST_STREAMS`.
        """
        if len(self._streams) >= MOST_STREAMS:
            raise TooManyStreams("Too many pages watch this server at once.")
        woken = asyncio.Event()
        self._streams.add(woken)
        return self._stream([self._feeds[topic] for topic in topics], woken, may_watch)

    def close(self) -> None:
        """End every stream."""
        self._closed = True
        for woken in self._streams:
            woken.set()

    async def _stream(self, feeds: Sequence[_Feed], woken: asyncio.Event, may_watch: MayWatch) -> AsyncIterator[bytes]:
        seen = [0] * len(feeds)
        try:
            for feed in feeds:
                feed.enter(woken)
            yield b"retry: 2000\n\n"
            while not self._closed:
                woken.clear()
                for index, feed in enumerate(feeds):
                    if feed.latest and feed.version != seen[index]:
                        if not await may_watch():
                            return
                        seen[index] = feed.version
                        yield feed.latest
                try:
                    async with asyncio.timeout(HEARTBEAT):
                        await woken.wait()
                except TimeoutError:
                    yield b": still here\n\n"
        finally:
            self._streams.discard(woken)
            for feed in feeds:
                feed.leave(woken)
