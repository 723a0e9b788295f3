"""Whole answers kept in memory until the library changes.

A hint of the channel `library` empties the cache at once. Hints can be lost, so an answer is believed for a few seconds
at most, and nothing is kept while no hints arrive.
"""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable

import msgspec

from orihon.db.notify import Bus


class Answer(msgspec.Struct, frozen=True):
    """A body and its strong ETag."""

    body: bytes
    etag: str


class _Kept(msgspec.Struct, frozen=True):
    answer: Answer
    ends: float


class Answers:
    """Bodies by what was asked, the least recently used leave first; what many ask at once is made once."""

    def __init__(
        self,
        bus: Bus,
        *,
        most_bytes: int = 16 * 1024 * 1024,
        seconds: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._bus = bus
        self._most_bytes = most_bytes
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[Hashable, _Kept] = OrderedDict()
        self._bytes = 0
        self._making: dict[Hashable, asyncio.Task[Answer]] = {}
        self._generation = 0
        bus.listen("library", lambda _: self.forget())

    async def get(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> Answer:
        """The answer to what `key` stands for, made by `make` if it is not held."""
        kept = self._kept.get(key)
        if kept is not None and self._clock() < kept.ends:
            self._kept.move_to_end(key)
            return kept.answer
        task = self._making.get(key)
        if task is None:
            task = asyncio.create_task(self._make(key, make))
            self._making[key] = task
            task.add_done_callback(lambda done: self._made(key, done))
        # One that goes away must not spoil it for the others.
        return await asyncio.shield(task)

    def forget(self) -> None:
        """The library changed: believe nothing, not even what is being made."""
        self._generation += 1
        self._kept.clear()
        self._making.clear()
        self._bytes = 0

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> Answer:
        generation = self._generation
        body = await make()
        answer = Answer(body, f'"{hashlib.blake2b(body, digest_size=16).hexdigest()}"')
        if generation == self._generation and self._bus.connected:
            self._keep(key, answer)
        return answer

    def _made(self, key: Hashable, task: asyncio.Task[Answer]) -> None:
        if self._making.get(key) is task:
            del self._making[key]
        if not task.cancelled():
            task.exception()  # whoever waits gets it; nobody may be left

    def _keep(self, key: Hashable, answer: Answer) -> None:
        if (old := self._kept.pop(key, None)) is not None:
            self._bytes -= len(old.answer.body)
        self._kept[key] = _Kept(answer, self._clock() + self._seconds)
        self._bytes += len(answer.body)
        while self._bytes > self._most_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped.answer.body)
