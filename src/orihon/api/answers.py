"""Whole answers kept in memory until the library changes.

A hint of the channel `library` empties the cache at once. Hints can be lost, so an answer is believed for a few seconds
at most, and nothing is kept while no hints arrive.
"""

import asyncio
import contextlib
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


class _Left(Exception):
    """Whoever made an answer went away before it was made."""


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
        self._making: dict[Hashable, asyncio.Future[Answer]] = {}
        self._generation = 0
        bus.listen("library", lambda _: self.forget())

    async def get(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> Answer:
        """The answer to what `key` stands for, made by `make` if it is not held."""
        kept = self._kept.get(key)
        if kept is not None and self._clock() < kept.ends:
            self._kept.move_to_end(key)
            return kept.answer
        making = self._making.get(key)
        if making is None:
            return await self._make(key, make)
        with contextlib.suppress(_Left):
            # One that goes away must not spoil it for the others.
            return await asyncio.shield(making)
        return await self.get(key, make)

    def forget(self) -> None:
        """The library changed: believe nothing, not even what is being made."""
        self._generation += 1
        self._kept.clear()
        self._making.clear()
        self._bytes = 0

    async def _make(self, key: Hashable, make: Callable[[], Awaitable[bytes]]) -> Answer:
        generation = self._generation
        making = self._making[key] = asyncio.get_running_loop().create_future()
        try:
            body = await make()
            answer = Answer(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
        except BaseException as error:
            making.set_exception(error if isinstance(error, Exception) else _Left())
            making.exception()  # nobody may be waiting
            raise
        finally:
            if self._making.get(key) is making:
                del self._making[key]
        making.set_result(answer)
        if generation == self._generation and self._bus.connected:
            self._keep(key, answer)
        return answer

    def _keep(self, key: Hashable, answer: Answer) -> None:
        if (old := self._kept.pop(key, None)) is not None:
            self._bytes -= len(old.answer.body)
        self._kept[key] = _Kept(answer, self._clock() + self._seconds)
        self._bytes += len(answer.body)
        while self._bytes > self._most_bytes:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped.answer.body)
