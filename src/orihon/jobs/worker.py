"""The worker: one process that serves several lanes, keeps its leases alive and the queue whole."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any
from uuid import uuid4

import asyncpg
import structlog

from orihon.db.notify import Bus, Notice
from orihon.db.pool import TROUBLE, Pool, connect
from orihon.jobs import leases, schedule, upkeep, waiting
from orihon.jobs.handlers import Entry
from orihon.jobs.lane import Held, Lane, LaneRunner, Timing
from orihon.jobs.rules import gives_up, one_line
from orihon.runtime import clock, live_status

__all__ = ["Lane", "Timing", "Worker"]

log = structlog.get_logger(__name__)


class Worker:
    """Runs jobs until cancelled, then drains: running handlers are cancelled, and what is not done goes back.

    `dsn` is for the heartbeat's own connection, which handlers that use up the pool must not starve.
    """

    def __init__(
        self,
        *,
        dsn: str,
        pool: Pool,
        lanes: Sequence[Lane],
        handlers: Mapping[str, Entry],
        bus: Bus | None = None,
        timing: Timing | None = None,
        random: Callable[[], float] = random.random,
    ) -> None:
        self.id = uuid4()
        self._dsn = dsn
        self._pool = pool
        self._bus = bus
        self._timing = timing or Timing()
        self._random = random
        self._lanes = {
            lane.name: LaneRunner(
                lane, pool=pool, handlers=handlers, worker=self.id, timing=self._timing, random=random
            )
            for lane in lanes
        }
        self._pulse: asyncpg.Connection[asyncpg.Record] | None = None

    async def run(self) -> None:
        """Serve the lanes. Ends by cancellation only; returns when everything is given back (see `Timing.drain`)."""
        forget = self._bus.listen("jobs", self._hint) if self._bus else lambda: None
        lanes = self._lanes.values()
        fetching = [_task(lane.fetch(), f"fetch {lane.lane.name}") for lane in lanes]
        running = [_task(lane.run(), f"run {lane.lane.name}") for lane in lanes for _ in range(lane.lane.concurrency)]
        settling = [_task(lane.settle(), f"settle {lane.lane.name}") for lane in lanes]
        keeping = [
            _task(self._beat(), "heartbeat"),
            _task(self._every(self._timing.reclaim, self._reclaim), "reclaim"),
            _task(self._every(self._timing.schedule, self._fire), "schedules"),
            _task(self._every(self._timing.clock, self._tick), "clock"),
        ]
        everything = [*fetching, *running, *settling, *keeping]
        try:
            ended, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
            for task in ended:
                task.result()
        finally:
            forget()
            await _to_its_end(self._drain(fetching, running, settling, keeping))

    def _hint(self, notice: Notice) -> None:
        if notice.payload is None:
            for lane in self._lanes.values():
                lane.wake()
        elif (named := self._lanes.get(notice.payload)) is not None:
            named.wake()

    async def _drain(
        self,
        fetching: list[asyncio.Task[None]],
        running: list[asyncio.Task[None]],
        settling: list[asyncio.Task[None]],
        keeping: list[asyncio.Task[None]],
    ) -> None:
        for lane in self._lanes.values():
            lane.stop()
        for task in running:
            task.cancel()
        # A lease that is under way is not cut off, else its jobs would wait for their leases to lapse.
        _, late = await asyncio.wait([*fetching, *running], timeout=self._timing.drain)
        for task in late:
            log.error("did not stop in time", task=task.get_name())
            task.cancel()
        try:
            async with asyncio.timeout(self._timing.drain):
                for lane in self._lanes.values():
                    lane.give_back_unstarted()
                    await lane.until_settled()
                async with self._pool.acquire() as db:
                    await waiting.forget(db, self.id)
        except TROUBLE as error:
            log.warning("not all jobs could be given back; they are reclaimed later", error=one_line(error))
        pending = {*settling, *keeping}
        while pending:
            # More than once if need be: a cancellation that meets the end of a database call can get lost.
            for task in pending:
                task.cancel()
            _, pending = await asyncio.wait(pending, timeout=1.0)
        if self._pulse is not None:
            self._pulse.terminate()

    async def _every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await work()
            except TROUBLE as error:
                log.warning("upkeep of the queue failed; trying again", error=one_line(error))
            await asyncio.sleep(seconds * (0.8 + 0.4 * self._random()))

    async def _reclaim(self) -> None:
        async with self._pool.acquire() as db:
            if reclaimed := await upkeep.reclaim_lapsed(db, random=self._random):
                log.warning("took back jobs whose worker vanished", jobs=reclaimed)
            await live_status.reap(db)

    async def _fire(self) -> None:
        async with self._pool.acquire() as db:
            await schedule.fire_due(db)

    async def _tick(self) -> None:
        async with self._pool.acquire() as db:
            if back := await clock.keep(db):
                log.warning("the clock of the database was set back; what waited for a time was moved with it",
                            seconds=round(back.seconds), jobs=back.jobs)  # fmt: skip

    async def _beat(self) -> None:
        failures = 0
        loop = asyncio.get_running_loop()
        following = loop.time()
        while True:
            # A steady rhythm: a beat that fails slowly must not put off the next one.
            following = max(following + self._timing.beat, loop.time())
            await asyncio.sleep(following - loop.time())
            holding = [(lane, held) for lane in self._lanes.values() for held in lane.holding()]
            if not holding:
                failures = 0
                if self._pulse is not None:
                    self._pulse.terminate()
                continue
            try:
                async with asyncio.timeout(self._timing.beat / 2):
                    ours = await self._renew([held for _, held in holding])
            except TROUBLE as error:
                failures += 1
                log.warning("heartbeat failed", failures=failures, error=one_line(error))
                if gives_up(failures):
                    for lane, held in holding:
                        lane.lose([held])
                continue
            failures = 0
            for lane, held in holding:
                if held.claim.id not in ours:
                    lane.miss(held)

    async def _renew(self, holding: Sequence[Held]) -> set[object]:
        if self._pulse is None or self._pulse.is_closed():
            self._pulse = await connect(self._dsn)
        try:
            return set(await leases.renew(self._pulse, [held.claim for held in holding], self._timing.window))
        except TROUBLE:
            self._pulse.terminate()
            raise


def _task(work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
    return asyncio.create_task(work, name=name)


async def _to_its_end(drain: Coroutine[Any, Any, None]) -> None:
    """Whatever stops the worker, once or twice, does not stop the giving back (hazard H12). Its time is limited."""
    task = _task(drain, "drain")
    cancelled = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError
