"""A small pool of decoder processes: images from outside are never decoded in a server's own process.

Started when first needed, ended after half a minute without work. A crash, a bomb or a hang costs one image, with a
reason, and never a server (DESIGN ruling 13).
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec

from orihon.media.sniff import Format

IDLE_SECONDS = 30.0
PATIENCE_SECONDS = 60.0
PROCESSES = 2

_ENDED = "The image makes the decoder give up: it may be damaged or made to exhaust the memory."
_TOO_SLOW = "The image takes too long to decode: it may be damaged or made to waste time."


class Check(msgspec.Struct, frozen=True, tag=True):
    """Decode every pixel."""

    path: str
    format: Format


class Thumbnail(msgspec.Struct, frozen=True, tag=True):
    """Write a copy at most `width` pixels wide to `target`."""

    path: str
    format: Format
    width: int
    output: Literal["webp", "jpeg"]
    target: str


class Seen(msgspec.Struct, frozen=True, tag=True):
    """The image is sound. Size in pixels as shown; `color` (`#rrggbb`) when it was checked."""

    width: int
    height: int
    color: str | None


class Damaged(msgspec.Struct, frozen=True, tag=True):
    """The image is not sound."""

    reason: str


Request = Check | Thumbnail
Answer = Seen | Damaged

_ANSWER = msgspec.json.Decoder(Answer)


class _Ended(Exception):
    """The decoder process is gone."""


class _Process:
    """One decoder process and the pipe to it."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child

    @classmethod
    async def start(cls) -> "_Process":
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "orihon.media.decode_child",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        return cls(child)

    @property
    def pid(self) -> int:
        return self._child.pid

    async def ask(self, request: Request) -> Answer:
        stdin, stdout = self._child.stdin, self._child.stdout
        if stdin is None or stdout is None:
            raise _Ended
        try:
            stdin.write(msgspec.json.encode(request) + b"\n")
            await stdin.drain()
            line = await stdout.readline()
        except (BrokenPipeError, ConnectionResetError) as error:
            raise _Ended from error
        if not line.endswith(b"\n"):
            raise _Ended
        return _ANSWER.decode(line)

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._child.kill()
        await self._child.wait()


class DecoderPool:
    """Decodes images in processes of their own; an async context manager."""

    def __init__(
        self, *, processes: int = PROCESSES, idle: float = IDLE_SECONDS, patience: float = PATIENCE_SECONDS
    ) -> None:
        self._places = asyncio.Semaphore(processes)
        self._idle: list[tuple[_Process, asyncio.TimerHandle]] = []
        self._busy: set[_Process] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._idle_seconds = idle
        self._patience = patience

    async def __aenter__(self) -> "DecoderPool":
        return self

    async def __aexit__(self, *_: object) -> None:
        for process, timer in self._idle:
            timer.cancel()
            await process.end()
        self._idle.clear()
        for process in tuple(self._busy):
            await process.end()
        if self._ending:
            await asyncio.wait(self._ending)

    @property
    def pids(self) -> list[int]:
        """Processes that exist now."""
        return [process.pid for process, _ in self._idle] + [process.pid for process in self._busy]

    async def check(self, path: Path, kind: Format) -> Answer:
        """Decode an image in full."""
        return await self._ask(Check(path=str(path), format=kind))

    async def thumbnail(
        self, path: Path, kind: Format, *, width: int, output: Literal["webp", "jpeg"], target: Path
    ) -> Answer:
        """Write a thumbnail to `target`, never wider than the original, orientation applied, metadata left out."""
        return await self._ask(Thumbnail(path=str(path), format=kind, width=width, output=output, target=str(target)))

    async def _ask(self, request: Request) -> Answer:
        async with self._places:
            # A process that is killed from outside must not condemn a sound image: a second one has to agree.
            for _ in range(2):
                try:
                    async with self._process() as process, asyncio.timeout(self._patience):
                        return await process.ask(request)
                except _Ended:
                    continue
                except TimeoutError:
                    return Damaged(reason=_TOO_SLOW)
            return Damaged(reason=_ENDED)

    @asynccontextmanager
    async def _process(self) -> AsyncIterator[_Process]:
        if self._idle:
            process, timer = self._idle.pop()
            timer.cancel()
        else:
            process = await _Process.start()
        self._busy.add(process)
        sound = False
        try:
            yield process
            sound = True
        finally:
            self._busy.discard(process)
            if sound:
                timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._expire, process)
                self._idle.append((process, timer))
            else:
                await asyncio.shield(process.end())

    def _expire(self, process: _Process) -> None:
        self._idle = [entry for entry in self._idle if entry[0] is not process]
        task = asyncio.get_running_loop().create_task(process.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
