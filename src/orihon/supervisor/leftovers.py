"""Children of a supervisor that was killed.

They end by themselves when their lifeline breaks. This makes sure of it before new ones take their port and their
work: each carries its supervisor's mark in its environment, and so does everything that it started.
"""

import asyncio
import contextlib
import os
import signal
import sys
from pathlib import Path

from orihon.supervisor.service import Say

MARK = "ORIHON_SUPERVISOR"
"""Environment variable with the mark."""


def marked(mark: str) -> list[int]:
    """Process ids that carry this mark. Empty where the kernel does not show environments (macOS)."""
    if sys.platform != "linux" or not mark:
        return []
    sought = f"{MARK}={mark}".encode()
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                if sought in (folder / "environ").read_bytes().split(b"\0"):
                    found.append(int(folder.name))
    return found


async def end_marked(mark: str, say: Say, patience: float) -> None:
    """Wait until the marked processes are gone; after `patience` seconds end them by force."""
    if not (found := marked(mark)):
        return
    say(f"an earlier Orihon was killed; waiting for {len(found)} of its processes to end")
    for _ in range(int(patience / 0.1)):
        await asyncio.sleep(0.1)
        if not marked(mark):
            return
    while found := marked(mark):
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.05)
