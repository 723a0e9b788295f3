"""A child shows that it is not stuck: its event loop writes a byte to a pipe, again and again.

A process that is frozen, or whose event loop is blocked, lives on and does nothing; only silence tells. One that is
merely busy beats on, since whoever keeps the event loop for longer than a moment is at fault.
"""

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

DESCRIPTOR = "ORIHON_PULSE"
"""Environment variable that names the writing end to a child."""

BEAT_SECONDS = 2.0

FIRST_SECONDS = 60.0
"""For a child to load and to find its database, before its first beat."""


@asynccontextmanager
async def beating(every: float = BEAT_SECONDS) -> AsyncIterator[None]:
    """Beat while the block runs; does nothing in a process that no supervisor started."""
    # Taken out of the environment: a process that this one starts does not inherit the descriptor.
    number = os.environ.pop(DESCRIPTOR, "")
    if not number.isdecimal():
        yield
        return
    descriptor = int(number)
    os.set_inheritable(descriptor, False)
    os.set_blocking(descriptor, False)
    task = asyncio.create_task(_beat(descriptor, every), name="pulse")
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        os.close(descriptor)


async def _beat(descriptor: int, every: float) -> None:
    while True:
        # A supervisor that is stopped lets the pipe run full, and one that is gone breaks it: the lifeline's affair.
        with contextlib.suppress(BlockingIOError, BrokenPipeError):
            os.write(descriptor, b".")
        await asyncio.sleep(every)


class Silence:
    """How long nothing was heard, by looks at a steady rhythm. Times are seconds of a clock that only goes forward."""

    def __init__(self, *, most: float, first: float, rhythm: float, now: float) -> None:
        self._most = max(most, first)
        self._then = most
        self._rhythm = rhythm
        self._heard = self._looked = now

    def heard(self, now: float) -> None:
        """There was a beat."""
        self._heard, self._most = now, self._then

    def too_long(self, now: float) -> bool:
        """Whether the silence means that the child is stuck."""
        if now - self._looked > 3 * self._rhythm:
            # The watcher was stopped itself, and the child perhaps with it: what was not watched proves nothing.
            self._heard = now
        self._looked = now
        return now - self._heard > self._most


class Pulse:
    """The supervisor's side, for one life of one child."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)

    @property
    def environment(self) -> dict[str, str]:
        """What the child must find in its environment; it must also inherit `writer`."""
        return {DESCRIPTOR: str(self.writer)}

    def handed_over(self) -> None:
        """The child has the writing end now."""
        os.close(self.writer)

    async def silent(self, most: float, *, first: float = FIRST_SECONDS) -> None:
        """Wait until the child was silent for longer than `most` seconds; `first` until its first beat."""
        loop = asyncio.get_running_loop()
        rhythm = most / 10
        silence = Silence(most=most, first=first, rhythm=rhythm, now=loop.time())

        def hear() -> None:
            if os.read(self._reader, 65_536):
                silence.heard(loop.time())
            else:
                loop.remove_reader(self._reader)  # the child is gone

        loop.add_reader(self._reader, hear)
        try:
            while True:
                await asyncio.sleep(rhythm)
                if silence.too_long(loop.time()):
                    return
        finally:
            loop.remove_reader(self._reader)

    def close(self) -> None:
        """Stop listening."""
        os.close(self._reader)
