"""A small pool of decoder processes: images from outside are never decoded in a server's own process.

Started when first needed, ended after half a minute without work. A crash, a bomb or a hang costs one image, with a
reason, and never a server (DESIGN ruling 13).
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Literal

import msgspec

from orihon.media.probe import MOST_PIXELS
from orihon.media.sniff import Format

IDLE_SECONDS = 30.0
PATIENCE_SECONDS = 90.0
"""More than twice the processor's time that an image may take: what is slower waits for a disk or for other work."""
PROCESSES = 2

# What an interpreter needs; secrets in the environment stay out of the process that meets hostile bytes.
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_", "TMPDIR", "VIRTUAL_ENV", "PYTHON", "LD_", "DYLD_")

# Sent from outside (a stop, the system when memory runs out), so they say nothing about the image.
_FROM_OUTSIDE = {-signal.SIGKILL, -signal.SIGTERM, -signal.SIGINT}

_ENDED = "The image makes the decoder give up: it may be damaged or made to exhaust the memory."
_TOO_SLOW = "The decoder got no answer from the disk, or no time from the machine. It is tried again later."


class DecoderUnavailable(Exception):
    """No decoder could look at the image, for reasons that lie outside of it. Trying again later may do."""


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


class Undone(msgspec.Struct, frozen=True, tag=True):
    """The image may be sound, but the disk failed: it could not be read, or there is no room for its thumbnail."""

    reason: str


Request = Check | Thumbnail
Answer = Seen | Damaged

_ANSWER: msgspec.json.Decoder[Answer | Undone] = msgspec.json.Decoder(Answer | Undone)


class _Ended(Exception):
    """The decoder process is gone, or no longer makes sense."""


class _Process:
    """One decoder process and the pipe to it."""

    def __init__(self, child: asyncio.subprocess.Process) -> None:
        self._child = child
        self.blameless = False
        """Whether it was ended from outside."""

    @classmethod
    async def start(cls, most_pixels: int) -> "_Process":
        child = await asyncio.create_subprocess_exec(
            # -P: the working directory is no place to import from.
            sys.executable, "-P", "-m", "orihon.media.decode_child", str(most_pixels),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL,
            env={name: value for name, value in os.environ.items() if name.startswith(_ENVIRONMENT)},
            # A Ctrl-C in the terminal is for the server, which ends its decoders when their work is done.
            start_new_session=True,
        )  # fmt: skip
        return cls(child)

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it is known to run; it may have been ended while nobody used it."""
        return self._child.returncode is None

    async def ask(self, request: Request) -> Answer | Undone:
        stdin, stdout = self._child.stdin, self._child.stdout
        if stdin is None or stdout is None:
            raise _Ended
        try:
            _send(stdin, request)
            await stdin.drain()
            return _ANSWER.decode(await stdout.readuntil(b"\n"))
        except (BrokenPipeError, ConnectionResetError, asyncio.IncompleteReadError) as error:
            self.blameless = await self._child.wait() in _FROM_OUTSIDE
            raise _Ended from error
        except (asyncio.LimitOverrunError, msgspec.DecodeError) as error:
            raise _Ended from error

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._child.kill()
        await self._child.wait()


def _send(stdin: asyncio.StreamWriter, request: Request) -> None:
    if stdin.is_closing():  # writing there is a fault of the program, for the event loop
        raise BrokenPipeError
    stdin.write(msgspec.json.encode(request) + b"\n")


class DecoderPool:
    """Decodes images in processes of their own; an async context manager."""

    def __init__(
        self,
        *,
        processes: int = PROCESSES,
        idle: float = IDLE_SECONDS,
        patience: float = PATIENCE_SECONDS,
        most_pixels: int = MOST_PIXELS,
    ) -> None:
        self._places = asyncio.Semaphore(processes)
        self._idle: list[tuple[_Process, asyncio.TimerHandle]] = []
        self._busy: set[_Process] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._idle_seconds = idle
        self._patience = patience
        self._most_pixels = most_pixels
        self._closed = False

    async def __aenter__(self) -> "DecoderPool":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed = True
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
        """Decode an image in full.

        Raises:
            DecoderUnavailable: nobody could look at it.
        """
        return await self._ask(Check(path=str(path), format=kind))

    async def thumbnail(
        self, path: Path, kind: Format, *, width: int, output: Literal["webp", "jpeg"], target: Path
    ) -> Answer:
        """Write a thumbnail to `target`, never wider than the original, orientation applied, metadata left out.

        Raises:
            DecoderUnavailable: nobody could make it.
        """
        return await self._ask(Thumbnail(path=str(path), format=kind, width=width, output=output, target=str(target)))

    async def _ask(self, request: Request) -> Answer:
        blameless = False
        async with self._places:
            # A process that is killed from outside must not condemn a sound image: a second one has to agree.
            for _ in range(2):
                if self._closed:
                    raise DecoderUnavailable("The image was not decoded, because the program is stopping.")
                try:
                    async with self._process() as process:
                        async with asyncio.timeout(self._patience):
                            answer = await process.ask(request)
                except _Ended:
                    blameless |= process.blameless
                except TimeoutError:
                    raise DecoderUnavailable(_TOO_SLOW) from None
                except OSError as error:
                    raise DecoderUnavailable(f"No decoder could be started: {error.strerror or error}.") from error
                else:
                    if isinstance(answer, Undone):
                        raise DecoderUnavailable(answer.reason)
                    return answer
        if blameless:
            raise DecoderUnavailable(
                "The decoder was ended from outside, perhaps by the system for want of memory. It is tried again later."
            )
        return Damaged(reason=_ENDED)

    @asynccontextmanager
    async def _process(self) -> AsyncIterator[_Process]:
        process = self._idle_one() or await _Process.start(self._most_pixels)
        self._busy.add(process)
        sound = False
        try:
            yield process
            sound = not self._closed
        finally:
            self._busy.discard(process)
            if sound:
                timer = asyncio.get_running_loop().call_later(self._idle_seconds, self._expire, process)
                self._idle.append((process, timer))
            else:
                await asyncio.shield(process.end())

    def _idle_one(self) -> _Process | None:
        while self._idle:
            process, timer = self._idle.pop()
            timer.cancel()
            if process.alive:
                return process
        return None

    def _expire(self, process: _Process) -> None:
        self._idle = [entry for entry in self._idle if entry[0] is not process]
        task = asyncio.get_running_loop().create_task(process.end())
        self._ending.add(task)
        task.add_done_callback(self._ending.discard)
