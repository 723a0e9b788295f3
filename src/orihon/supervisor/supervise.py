"""`orihon serve`: everything on one machine, started together, kept alive, stopped in order."""

import asyncio
import secrets
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, suppress

import msgspec

from orihon.config import Settings
from orihon.db import migrate
from orihon.db.embedded import make_folder
from orihon.db.lockfile import FileLock, LockHeld
from orihon.db.server import await_server, check_server
from orihon.runtime.lifeline import Lifeline
from orihon.supervisor import address, leftovers
from orihon.supervisor.child import Child
from orihon.supervisor.database import Database, prepare
from orihon.supervisor.errors import AlreadyRunning, SupervisorError
from orihon.supervisor.service import LONGEST_PAUSE, Say, Service, keep_alive


class Part(msgspec.Struct, frozen=True):
    """A process to run beside the database.

    Attributes:
        name: in messages.
        command: what to run.
        after: host and port of another part that it needs: it starts once somebody listens there, and at latest
            after `OPENS_WITHIN`.
        beats: whether it shows that it is not stuck (see `runtime.pulse`).
    """

    name: str
    command: tuple[str, ...]
    after: tuple[str, int] | None = None
    beats: bool = False


class Ready(msgspec.Struct, frozen=True, kw_only=True):
    """What to tell when the first page can be had."""

    url: str
    username: str


def orihon(*words: str) -> tuple[str, ...]:
    """The command line of a part of this program. `-P`: the working directory is no place for modules."""
    return (sys.executable, "-P", "-m", "orihon.cli", *words)


OPENS_WITHIN = 20.0
"""Seconds that a part is waited for before those that need it start all the same."""

WEB = Part("web", orihon("web"), beats=True)
WORKER = Part("worker", orihon("worker"), beats=True)

LEAST_SILENT = 15.0
"""Seconds without a sign of life that mean nothing, however short the leases: the machine may be that busy."""


def most_silent(lease_seconds: float) -> float:
    """Seconds without a sign of life after which a part is stuck: by then others have its jobs for long."""
    return max(LEAST_SILENT, 2 * lease_seconds)


class Supervisor:
    """PostgreSQL (unless `DATABASE_URL` names another), and the parts.

    Args:
        settings: of this installation.
        parts: what runs beside the database.
        environment: variables that the parts get on top of ours.
        prepared: called with the database's address before the parts start.
        longest_pause: seconds before a part that keeps dying is started again, at most.
        silent: seconds without a sign of life after which a part is killed; None: by the length of a lease.
        ready: told once the web process answers.
        say: told what happens, in words.
        doing: the command that runs it, as others read it who find the data taken.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        parts: Sequence[Part] = (WEB, WORKER),
        environment: dict[str, str] | None = None,
        prepared: Callable[[str], Awaitable[None]] | None = None,
        longest_pause: float = LONGEST_PAUSE,
        silent: float | None = None,
        ready: Callable[[Ready], None],
        say: Say,
        doing: str = "orihon serve",
    ) -> None:
        self.settings = settings
        self.children: list[Child] = []
        self._parts = tuple(parts)
        self._environment = dict(environment or {})
        self._prepared = prepared
        self._longest_pause = longest_pause
        self._silent = most_silent(settings.lease_seconds) if silent is None else silent
        self._ready = ready
        self._say = say
        self._doing = doing
        self._mark = secrets.token_hex(16)

    async def run(self) -> None:
        """Run until cancelled.

        Raises:
            SupervisorError: Orihon cannot start, or a part gave up.
            DatabaseError: the database cannot be used.
        """
        async with AsyncExitStack() as stack:
            await self._take_data(stack)
            self.settings = msgspec.structs.replace(
                self.settings, port=address.claim(self.settings.host, self.settings.port)
            )
            services: list[Service] = []
            upgrader = migrate.Upgrader()
            stack.push_async_callback(upgrader.end)
            if self.settings.database_url is None:
                database = Database(self.settings, self._say, most_silent=max(LEAST_SILENT, self._silent))
                stack.push_async_callback(database.stop, 30)
                if database.is_new:
                    await upgrader.start()
                await database.start()
                services.append(database)
                dsn = database.server.dsn()
            else:
                dsn = self.settings.database_url
                await (await await_server(dsn, self._say)).close()
                await check_server(dsn)
            if password := await prepare(dsn, self.settings, self._say, upgrader):
                # At once: it is kept nowhere, and a start that is stopped or fails from here on made the account all
                # the same.
                self._say(f"first sign-in: user {self._username}, password {password} (shown this once)")
            if self._prepared:
                await self._prepared(dsn)
            services += await self._start_children(stack, dsn)
            await self._watch(services)

    @property
    def _username(self) -> str:
        return self.settings.admin_username or "admin"

    def hurry(self) -> None:
        """Do not wait for running work any longer."""
        for child in self.children:
            child.kill()

    async def _take_data(self, stack: AsyncExitStack) -> None:
        folder = self.settings.data
        try:
            make_folder(folder)
            lock = FileLock(folder / "supervisor.lock")
            before = lock.acquire(f"{self._doing} on port {self.settings.port}", self._mark)
        except LockHeld as held:
            by = f"process {held.holder.pid} ({held.holder.doing})" if held.holder else "another process"
            raise AlreadyRunning(
                f"Orihon already runs on {folder}: {by}. Stop it first, or choose another folder with ORIHON_DATA."
            ) from None
        except OSError as error:
            raise SupervisorError(
                f"The data directory {folder} cannot be used: {error.strerror}. Choose another with ORIHON_DATA."
            ) from error
        stack.callback(lock.release)
        if before is not None:
            await leftovers.end_marked(before.mark, self._say, self.settings.drain_seconds + 2)

    async def _start_children(self, stack: AsyncExitStack, dsn: str) -> list[Child]:
        lifeline = Lifeline()
        stack.callback(lifeline.close)
        environment = {
            **self._environment,
            leftovers.MARK: self._mark,
            "DATABASE_URL": dsn,
            "PORT": str(self.settings.port),
        }
        self.children = [
            Child(part.name, part.command, environment, lifeline, self._silent if part.beats else None)
            for part in self._parts
        ]
        stack.push_async_callback(self._stop_children)
        for part, child in zip(self._parts, self.children, strict=True):
            if part.after:
                with suppress(TimeoutError):
                    async with asyncio.timeout(OPENS_WITHIN):
                        await address.until_open(*part.after)
            await child.start()
        return self.children

    async def _stop_children(self) -> None:
        self._say("stopping")
        await asyncio.gather(*(child.stop(self.settings.drain_seconds) for child in self.children))

    async def _watch(self, services: Sequence[Service]) -> None:
        tasks = [
            asyncio.create_task(keep_alive(service, self._say, longest=self._longest_pause)) for service in services
        ]
        announcing = asyncio.create_task(self._announce())
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in (announcing, *tasks):
                task.cancel()
            await asyncio.gather(announcing, *tasks, return_exceptions=True)

    async def _announce(self) -> None:
        await address.until_answering(self.settings)
        if warning := address.strangers(self.settings):
            self._say(warning)
        self._ready(Ready(url=address.url(self.settings), username=self._username))


STOPS = (signal.SIGINT, signal.SIGTERM)
"""Taken even where they are ignored: a script that starts us with `&` has its shell ignore SIGINT for us."""


def run(supervisor: Supervisor) -> None:
    """Run until SIGINT or SIGTERM; a second signal cuts the draining short.

    Raises:
        SupervisorError, DatabaseError: Orihon cannot run.
    """

    async def main() -> None:
        work = asyncio.create_task(supervisor.run())
        asked = False

        def stop() -> None:
            nonlocal asked
            if asked:
                supervisor.hurry()
            else:
                asked = True
                work.cancel()

        for number in STOPS:
            asyncio.get_running_loop().add_signal_handler(number, stop)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup
            asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, stop)
        with suppress(asyncio.CancelledError):
            await work

    asyncio.run(main())
