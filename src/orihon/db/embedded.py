"""PostgreSQL inside the data directory.

Below `<data>/postgres`:

* `data/` the cluster, owned by the user that runs the server;
* `run/` the socket, only for that user and root;
* `postgresql.conf`, `pg_hba.conf`, `pg_ident.conf`, written at every start; `local.conf`, an operator's own settings;
* `postgres.log`, and `lock`, which names the process that runs the server.

There is no password: the server listens on the socket only and asks the kernel who is calling (peer authentication).
Whoever started Orihon, and root, are let in.
"""

import asyncio
import contextlib
import hashlib
import os
import pwd
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import asyncpg

from orihon.db import cluster, leftovers, program, sockets
from orihon.db import identity as identities
from orihon.db.errors import DataInUse, DataUnusable, ServerFailed
from orihon.db.identity import Identity
from orihon.db.lockfile import FileLock, LockHeld

LOG_LIMIT = 8 * 1024 * 1024
"""Bytes. A larger log is set aside at the next start, and the one before it goes."""

# Sized for the whole tree to idle below 300 MB on a small box. Replication is off, so no WAL is written for it.
_SETTINGS = """\
# Written at every start. Your own settings go into local.conf beside this file.
listen_addresses = ''
unix_socket_permissions = 0700
max_connections = 50
shared_buffers = 96MB
work_mem = 8MB
maintenance_work_mem = 64MB
effective_cache_size = 512MB
random_page_cost = 1.1
jit = off
io_method = worker
io_workers = 2
wal_level = minimal
max_wal_senders = 0
max_wal_size = 512MB
max_logical_replication_workers = 0
autovacuum_max_workers = 2
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
log_checkpoints = off
"""


def _silent(text: str) -> None:
    """Say nothing."""


class EmbeddedPostgres:
    """One server on a Unix socket, a direct child of this process.

    Args:
        directory: the `postgres` folder of a data directory.
        options: settings (`name=value`) that win over the written ones.
        user: who runs the server when root starts it.
        say: told in words what takes long.
    """

    def __init__(
        self,
        directory: Path,
        *,
        options: Sequence[str] = (),
        user: str | None = None,
        say: Callable[[str], None] = _silent,
    ) -> None:
        self.directory = directory.resolve()
        self.data = self.directory / "data"
        self.log = self.directory / "postgres.log"
        self.sockets = self.directory / "run"
        self.options = tuple(options)
        self._user = user
        self._say = say
        self._lock = FileLock(self.directory / "lock")
        self._process: asyncio.subprocess.Process | None = None

    @property
    def cluster(self) -> str:
        """The name in the titles of this server's processes."""
        return f"orihon-{hashlib.sha256(os.fsencode(self.directory)).hexdigest()[:12]}"

    @property
    def pid(self) -> int | None:
        """Process id of the server while it runs."""
        return self._process.pid if self._process and self._process.returncode is None else None

    def dsn(self, database: str = "orihon") -> str:
        """Where to connect, once `start` has returned."""
        return sockets.dsn(self.sockets, database)

    async def start(self, doing: str = "orihon") -> None:
        """Make the cluster on the first start, end what a killed process left, start, and wait until it answers.

        Crash recovery may take minutes; it is waited for, with a word now and then. `doing` is what the lock file
        says of us to others.

        Raises:
            DataInUse: another live Orihon runs this server.
            DataUnusable: the directory cannot hold it.
            ServerFailed: it did not come up.
        """
        try:
            for folder in (self.directory.parent, self.directory):
                make_folder(folder)
            who = identities.choose(self.data, self._user)
            self._acquire(doing)
        except OSError as error:
            raise self._unusable(error) from error
        try:
            identities.require_reach(who, self.directory)
            binaries = program.binaries_for(who, self.directory)
            await leftovers.end_servers(self.cluster, self._say)
            self.sockets = sockets.folder_for(self.directory, self.cluster, who)
            if not cluster.exists(self.data):
                self._say("preparing the database for the first time")
                await cluster.make(self.data, who, binaries)
            leftovers.remove_files(self.data, self.sockets)
            self._write_configuration(who)
            await self._launch(who, binaries)
        except OSError as error:
            await self.stop()
            raise self._unusable(error) from error
        except BaseException:
            await self.stop()
            raise

    async def wait(self) -> int:
        """Wait for the end of the server; its exit status (negative: the signal that killed it)."""
        return await self._process.wait() if self._process else 0

    async def answers(self, seconds: float) -> bool:
        """Whether it answers somebody new within so many seconds; a refusal is an answer, too."""
        try:
            async with asyncio.timeout(seconds):
                connection = await asyncpg.connect(self.dsn())
                try:
                    await connection.fetchval("SELECT 1")
                finally:
                    connection.terminate()
        except asyncpg.PostgresError:
            return True
        except (OSError, asyncpg.InterfaceError, asyncpg.InternalClientError):  # TimeoutError is an OSError
            return False
        return True

    def wake(self) -> None:
        """Let its processes run on if somebody stopped them; changes nothing for those that run."""
        leftovers.wake(self.cluster)

    async def stop(self, patience: float = 30) -> None:
        """Fast shutdown within `patience` seconds, else an immediate one, which costs a recovery at the next start."""
        if self.pid is not None:
            self.wake()  # who is stopped hears nothing but SIGKILL
        for ask, seconds in ((leftovers.FAST, patience), (leftovers.IMMEDIATE, 5.0), (signal.SIGKILL, 5.0)):
            if self._process is None or self._process.returncode is not None:
                break
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(ask)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), seconds)
        self._process = None
        if self.sockets.parent != self.directory:
            with contextlib.suppress(OSError):
                self.sockets.rmdir()
        self._lock.release()

    def _acquire(self, doing: str) -> None:
        if self._lock.held:  # the server died, and its supervisor starts it again
            return
        try:
            self._lock.acquire(doing)
        except LockHeld as held:
            by = f"process {held.holder.pid} ({held.holder.doing})" if held.holder else "another process"
            raise DataInUse(
                f"The database in {self.directory} is in use by {by}. "
                "Stop it first, or choose another folder with ORIHON_DATA."
            ) from None

    def _unusable(self, error: OSError) -> DataUnusable:
        advice = " Run Orihon as the user whom it belongs to." if isinstance(error, PermissionError) else ""
        return DataUnusable(f"The embedded database cannot use {self.directory}: {error}.{advice}")

    def _write_configuration(self, who: Identity) -> None:
        me = pwd.getpwuid(os.geteuid()).pw_name
        callers = "".join(f'callers "{name}" orihon\n' for name in sorted({me, "root"}))
        hba, ident, local = (self.directory / name for name in ("pg_hba.conf", "pg_ident.conf", "local.conf"))
        settings = (
            f"{_SETTINGS}unix_socket_directories = {_quoted(self.sockets)}\n"
            f"hba_file = {_quoted(hba)}\nident_file = {_quoted(ident)}\n"
        )
        # PostgreSQL's own "include if exists" logs every time that it does not.
        if local.exists():
            settings += f"include = {_quoted(local)}\n"
        mode = 0o644 if who.switched else 0o600
        _write(hba, "# Written at every start.\nlocal all orihon peer map=callers\n", mode)
        _write(ident, f"# Written at every start.\n{callers}", mode)
        _write(self.directory / "postgresql.conf", settings, mode)

    async def _launch(self, who: Identity, binaries: Path) -> None:
        log, start_of_ours = self._open_log()
        arguments = ["-D", str(self.data), "-c", f"config_file={self.directory / 'postgresql.conf'}"]
        for option in (f"cluster_name={self.cluster}", *self.options):
            arguments += ["-c", option]
        try:
            self._process = await asyncio.create_subprocess_exec(
                binaries / "postgres", *arguments, cwd="/", env=cluster.environment(), start_new_session=True,
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=cluster.dies_with_parent(leftovers.FAST), **who.spawn,
            )  # fmt: skip
        finally:
            os.close(log)
        await self._until_ready(self._process, start_of_ours)

    async def _until_ready(self, process: asyncio.subprocess.Process, start_of_ours: int) -> None:
        """Follow the status line of the pid file, as `pg_ctl` does. Recovery has no deadline: it ends or it fails."""
        waited = 0.0
        while True:
            told = leftovers.postmaster(self.data)
            if told and told.pid == process.pid and told.status == "ready":
                return
            if process.returncode is not None:
                raise ServerFailed(
                    f"PostgreSQL did not start (exit status {process.returncode}). The end of {self.log}:\n"
                    + self._log_since(start_of_ours)
                )
            pause = 0.01 if waited < 2 else 0.1
            await asyncio.sleep(pause)
            if int(waited / 5) < int((waited + pause) / 5):
                last = self._log_since(start_of_ours).rpartition("\n")[2]
                self._say(f"waiting for PostgreSQL, {waited + pause:.0f} s so far: {last}")
            waited += pause

    def _open_log(self) -> tuple[int, int]:
        """The log, open for appending, and its length now."""
        with contextlib.suppress(FileNotFoundError):
            if self.log.lstat().st_size > LOG_LIMIT:
                self.log.replace(self.log.with_suffix(".log.1"))
        descriptor = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        return descriptor, os.fstat(descriptor).st_size

    def _log_since(self, offset: int) -> str:
        with self.log.open("rb") as file:
            file.seek(offset)
            return "\n".join(file.read().decode(errors="replace").strip().splitlines()[-15:])


def make_folder(folder: Path) -> None:
    """Make a folder that the server's user can pass through, if it is not there; one that is keeps its rights."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
        folder.chmod(0o711 if os.geteuid() == 0 else 0o700)


def _write(path: Path, text: str, mode: int) -> None:
    new = path.with_name(f"{path.name}.new")
    new.unlink(missing_ok=True)
    new.write_text(text, encoding="utf-8")
    new.chmod(mode)
    new.replace(path)


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
