"""What a killed server leaves behind: processes that still run, a stale `postmaster.pid`, socket files.

Only called while the data directory's lock is held, so every server found here has lost its supervisor.
"""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
"""PostgreSQL's two quick shutdowns: with a checkpoint, and leaving recovery to the next start."""


class Postmaster(msgspec.Struct, frozen=True):
    """What `postmaster.pid` says: process, folder of the socket, and `starting`, `ready` or `stopping`."""

    pid: int
    sockets: str
    status: str


def parse_pid_file(text: str) -> Postmaster | None:
    """Read `postmaster.pid`. None while it is half-written (PostgreSQL: `miscinit.h`, lines 1, 5 and 8)."""
    lines = text.splitlines()
    try:
        return Postmaster(int(lines[0]), lines[4].strip(), lines[7].strip())
    except (IndexError, ValueError):
        return None


def postmaster(data: Path) -> Postmaster | None:
    """The content of the pid file in `data`, true or stale."""
    try:
        return parse_pid_file((data / "postmaster.pid").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def servers(cluster: str) -> dict[int, bool]:
    """Live processes of the cluster with this `cluster_name`: process id, and whether it is the postmaster.

    The name stands in the postmaster's arguments and in the title of each of its children, which any user may read;
    a process id alone proves nothing, since it may have been given to someone else.
    """
    found = {}
    for pid, command in _commands():
        if "/postgres " in command and f"cluster_name={cluster}" in command.split():
            found[pid] = True
        elif command.startswith(f"postgres: {cluster}:"):
            found[pid] = False
    return found


def wake(cluster: str) -> None:
    """Let every process of this cluster run on that somebody stopped (SIGSTOP)."""
    for pid in servers(cluster):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGCONT)


async def end_servers(cluster: str, say: Callable[[str], None], *, patience: float = 60) -> None:
    """End every server process of this cluster: politely, then firmly.

    `patience` is how many seconds a polite shutdown may take; it writes a checkpoint.
    """
    for ask, seconds in ((FAST, patience), (IMMEDIATE, 10.0), (signal.SIGKILL, 10.0)):
        found = servers(cluster)
        if not found:
            return
        wake(cluster)  # who is stopped hears nothing but SIGKILL
        masters = [pid for pid, is_postmaster in found.items() if is_postmaster]
        if masters and ask is FAST:
            say(f"ending a PostgreSQL that outlived its supervisor (process {masters[0]})")
        # Children follow their postmaster; orphans of a dead one are told directly, SIGTERM being their polite end.
        for pid in masters or found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, ask if masters or ask is signal.SIGKILL else signal.SIGTERM)
        for _ in range(int(seconds / 0.05)):
            if not servers(cluster):
                return
            await asyncio.sleep(0.05)


def remove_files(data: Path, sockets: Path) -> None:
    """Take away the pid file and the socket files of a server that is known to be gone."""
    for path in (data / "postmaster.pid", *sockets.glob(".s.PGSQL.*")):
        path.unlink(missing_ok=True)


def _commands() -> Iterator[tuple[int, str]]:
    if sys.platform == "linux":
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                with contextlib.suppress(OSError):
                    raw = (folder / "cmdline").read_bytes()
                    yield int(folder.name), raw.replace(b"\0", b" ").decode(errors="replace")
        return
    listing = subprocess.run(["ps", "-axo", "pid=,command="], capture_output=True, text=True, check=False)
    for line in listing.stdout.splitlines():
        pid, _, command = line.strip().partition(" ")
        if pid.isdigit():
            yield int(pid), command.strip()
