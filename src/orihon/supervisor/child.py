"""A part of Orihon in a process of its own."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence

from orihon.runtime.lifeline import Lifeline
from orihon.runtime.pulse import Pulse
from orihon.supervisor.errors import GaveUp
from orihon.supervisor.service import Service

NO_USE = 2
"""Exit status by which a child says that starting it again would not help (a bad setting, a foreign schema)."""


class Child(Service):
    """A child process with a lifeline and a process group of its own.

    The group keeps Ctrl-C of the terminal for the supervisor alone, and lets everything that the child started be
    ended with it.

    Args:
        name: in messages.
        command: what to run.
        environment: variables that it gets on top of ours.
        lifeline: breaks when we die.
        most_silent: seconds after which a child that does not beat (see `runtime.pulse`) is taken for stuck, killed,
            and started again; None: it need not beat.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        environment: Mapping[str, str],
        lifeline: Lifeline,
        most_silent: float | None = None,
    ) -> None:
        self.name = name
        self._command = tuple(command)
        self._environment = dict(environment)
        self._lifeline = lifeline
        self._most_silent = most_silent
        self._pulse: Pulse | None = None
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int | None:
        """Process id while it runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    async def start(self) -> None:
        self._unhear()
        environment, descriptors = self._lifeline.environment, [self._lifeline.reader]
        if self._most_silent is not None:
            self._pulse = Pulse()
            environment |= self._pulse.environment
            descriptors.append(self._pulse.writer)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                env=os.environ | self._environment | environment,
                stdin=asyncio.subprocess.DEVNULL,
                pass_fds=descriptors,
                start_new_session=True,
            )
        finally:
            if self._pulse is not None:
                self._pulse.handed_over()

    async def ended(self) -> str:
        process = self._require()
        stuck = await self._stuck_or_ended(process)
        self._end_group(process.pid)
        status = await process.wait()
        if stuck:
            return f"it gave no sign of life for {self._most_silent:g} s, so it was killed"
        if status == NO_USE:
            raise GaveUp(f"{self.name} cannot run; it said why above.")
        return f"killed by {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"

    async def stop(self, seconds: float) -> None:
        process = self._process
        if process is None:
            return
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), seconds)
        self._end_group(process.pid)
        await process.wait()
        self._process = None
        self._unhear()

    def kill(self) -> None:
        """End it at once."""
        if self.pid is not None:
            self._end_group(self.pid)

    async def _stuck_or_ended(self, process: asyncio.subprocess.Process) -> bool:
        if self._pulse is None or self._most_silent is None:
            await process.wait()
            return False
        ended = asyncio.ensure_future(process.wait())
        silent = asyncio.ensure_future(self._pulse.silent(self._most_silent))
        try:
            await asyncio.wait([ended, silent], return_when=asyncio.FIRST_COMPLETED)
            return not ended.done()
        finally:
            ended.cancel()
            silent.cancel()
            await asyncio.gather(ended, silent, return_exceptions=True)

    def _unhear(self) -> None:
        if self._pulse is not None:
            self._pulse.close()
            self._pulse = None

    def _require(self) -> asyncio.subprocess.Process:
        if self._process is None:
            raise RuntimeError(f"{self.name} was not started")
        return self._process

    @staticmethod
    def _end_group(leader: int) -> None:
        """The leader may be gone and what it started may not; the group lives as long as any of them."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)
