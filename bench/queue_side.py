"""One queue in a process of its own: what `bench.queueing` asks of ours and of each peer, in the same words.

Runs in the environments of the peers too, so nothing of the product is imported here. Times are of the monotonic
clock, which all processes of a machine share.
"""

import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import uvloop

BATCH = 500
"""Jobs that are put in at once where the putting in is not measured."""

PACE = 0.02
"""Seconds between the jobs of a trickle: long enough for a worker to be idle again."""

PATIENCE = 300.0

Ran = Callable[[float], None]
"""Called by each job as it starts, with the time that its payload carries."""


class Side(Protocol):
    """A queue with one kind of job, which does nothing."""

    async def install(self) -> None:
        """Make its tables."""

    async def enqueue(self, at: float) -> None:
        """Put in one job whose payload is the time `at`, durably."""

    async def enqueue_many(self, jobs: int) -> None:
        """Put in jobs, all at once."""

    def work(self, ran: Ran) -> AbstractAsyncContextManager[None]:
        """A worker at the best setting for jobs this small, while the block runs."""

    async def execute(self, sql: str) -> None:
        """Run a statement of the bench's own."""

    async def count(self, sql: str) -> int:
        """One number from the database."""

    clear: str
    """Removes every job."""
    unfinished: str
    """Counts jobs that are not recorded as finished."""
    finished: str
    """Counts jobs that are."""


async def fill(side: Side, jobs: int) -> None:
    """An emptied queue with so many jobs, known to the planner and on the disk."""
    await side.execute(side.clear)
    for _ in range(jobs // BATCH):
        await side.enqueue_many(BATCH)
    await side.execute("ANALYZE")
    await side.execute("CHECKPOINT")


async def drain(side: Side, jobs: int) -> float:
    """Seconds from the start of the first job until the end of the last one is in the database."""
    await fill(side, jobs)
    began = 0.0
    ran = 0
    all_ran = asyncio.Event()

    def note(_: float) -> None:
        nonlocal began, ran
        began = began or time.monotonic()
        ran += 1
        if ran == jobs:
            all_ran.set()

    async with asyncio.timeout(PATIENCE):
        async with side.work(note):
            await all_ran.wait()
            while await side.count(side.unfinished):  # noqa: ASYNC110 - rows that the worker writes
                await asyncio.sleep(0.001)
            seconds = time.monotonic() - began
    if (found := await side.count(side.finished)) != jobs or ran != jobs:
        raise SystemExit(f"Of {jobs} jobs {found} are finished, after {ran} runs.")
    return seconds


async def enqueue(side: Side, jobs: int) -> float:
    """Seconds that putting in jobs one by one takes, one after the other."""
    await side.execute(side.clear)
    await side.execute("CHECKPOINT")
    started = time.perf_counter()
    for _ in range(jobs):
        await side.enqueue(0.0)
    seconds = time.perf_counter() - started
    if (found := await side.count(side.unfinished)) != jobs:
        raise SystemExit(f"{found} jobs are in the queue instead of {jobs}.")
    return seconds


async def wait(side: Side, jobs: int) -> float:
    """The 95th percentile of the seconds from before the call that puts a job in to its start by an idle worker.

    Says `waiting` when it is; another process then runs `trickle`.
    """
    await side.execute(side.clear)
    seconds: list[float] = []
    enough = asyncio.Event()

    def note(at: float) -> None:
        seconds.append(time.monotonic() - at)
        if len(seconds) == jobs:
            enough.set()

    async with asyncio.timeout(PATIENCE), side.work(note):
        await asyncio.sleep(1.5)
        print("waiting", flush=True)
        await enough.wait()
    return sorted(seconds)[int(0.95 * jobs)]


async def trickle(side: Side, jobs: int) -> float:
    """Put jobs in, one every now and then; the seconds that it took."""
    started = time.monotonic()
    for _ in range(jobs):
        await asyncio.sleep(PACE)
        await side.enqueue(time.monotonic())
    return time.monotonic() - started


async def install(side: Side, _: int) -> float:
    """Make the tables."""
    await side.install()
    return 0.0


COMMANDS = {"install": install, "drain": drain, "enqueue": enqueue, "wait": wait, "trickle": trickle}


def main(opened: Callable[[str, str], AbstractAsyncContextManager[Side]]) -> None:
    """Run the command of the arguments (name of the side, database, command, jobs) and print its figure."""
    name, dsn, command, jobs = sys.argv[1:]

    async def run() -> float:
        async with opened(name, dsn) as side:
            return await COMMANDS[command](side, int(jobs))

    # The loop that our worker runs on; it makes the peers faster, too.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        print(runner.run(run()), flush=True)
