"""`orihon serve` from its start to the first 200 of `/readyz`, on new and on known data; memory of the idle tree.

Cold: an empty data directory, so that the cluster, the schema and the first administrator are made on the way. The
program's own files are in the page cache in both cases.
"""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Iterator, Set
from pathlib import Path

from bench import harness, served
from bench.harness import ROUNDS, Row

ROWS = ("start_warm_s", "start_cold_s", "idle_pss_mb")

IDLE = 60
"""Seconds without a request before memory is measured."""


async def seconds(data: Path) -> float:
    """From the start to the first 200; then it is stopped."""
    started = time.perf_counter()
    async with served.serve(data):
        return time.perf_counter() - started


async def run(names: Set[str]) -> AsyncIterator[Row]:
    """Measure."""
    folder = harness.folder("startup", empty=True)
    cold = []
    for number in range(ROUNDS if "start_cold_s" in names else 1):
        data = folder / f"data{number}"
        cold.append(await seconds(data))
        if number:
            shutil.rmtree(data)
    if "start_cold_s" in names:
        yield harness.figure("start_cold_s", cold, "s")
    data = folder / "data0"
    if "start_warm_s" in names:
        yield harness.figure("start_warm_s", [await seconds(data) for _ in range(ROUNDS)], "s")
    if "idle_pss_mb" in names:
        async with served.serve(data) as (_, pid):
            await asyncio.sleep(IDLE)
            parts = [*memory(pid)]
        for name, megabytes in sorted(parts, key=lambda part: -part[1]):
            harness.say(f"{megabytes:6.1f} MB  {name}")
        yield harness.figure("idle_pss_mb", [sum(megabytes for _, megabytes in parts)], "MB")


def memory(pid: int) -> Iterator[tuple[str, float]]:
    """What a process and all below it hold, in MB: pages that n processes share count for an n-th (PSS)."""
    process = Path(f"/proc/{pid}")
    words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    for line in (process / "smaps_rollup").read_text().splitlines():
        if line.startswith("Pss:"):
            yield words[:90], int(line.split()[1]) * 1024 / 1e6
    for task in (process / "task").iterdir():
        for child in (task / "children").read_text().split():
            yield from memory(int(child))
