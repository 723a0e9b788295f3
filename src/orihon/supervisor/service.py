"""One thing that is started, watched and stopped, and the rule by which a dead one is started again."""

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from orihon.supervisor.errors import GaveUp, SupervisorError

Say = Callable[[str], None]

STEADY_AFTER = 60.0
"""Seconds after which a service counts as running well, so that the next restart is quick again."""

LONGEST_PAUSE = 30.0
"""Seconds between two attempts at most."""


class Service(ABC):
    """The shared start and stop. `start` again after the end is allowed."""

    name: str

    @abstractmethod
    async def start(self) -> None:
        """Start; returns when it works or, where that cannot be seen, when it was started."""

    @abstractmethod
    async def ended(self) -> str:
        """Wait until it ends by itself; how, in words.

        Raises:
            GaveUp: starting it again would not help.
        """

    @abstractmethod
    async def stop(self, seconds: float) -> None:
        """Ask it to end, wait that long, then end it by force. Harmless when it does not run."""


def pause_before(restart: int, longest: float = LONGEST_PAUSE) -> float:
    """Seconds to wait before the n-th restart in a row (from 0): half a second, doubling, up to `longest`."""
    return float(min(0.5 * 2 ** min(restart, 10), longest))


async def keep_alive(
    service: Service,
    say: Say,
    *,
    longest: float = LONGEST_PAUSE,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Watch a started service for ever, and start it again each time that it ends, with pauses that grow to `longest`.

    Raises:
        GaveUp: the service says that a restart would not help.
    """
    restarts, since = 0, clock()
    while True:
        reason = await service.ended()
        while True:
            if clock() - since >= STEADY_AFTER:
                restarts = 0
            pause = pause_before(restarts, longest)
            restarts += 1
            say(f"{service.name} ended ({reason}); starting it again in {pause:g} s")
            await sleep(pause)
            since = clock()
            try:
                await service.start()
                break
            except GaveUp:
                raise
            except (SupervisorError, OSError) as error:
                reason = str(error)
