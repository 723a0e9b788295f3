"""Bringing the schema up to date, always in a process of its own (DESIGN ruling 24).

Migrations are Alembic revisions with hand-written SQL, numbered `0001`, `0002` and so on. All that are missing run in
one transaction under an advisory lock: either the new schema stands, or the old one does.
"""

import asyncio
import contextlib
import enum
import importlib
import sys
import traceback
from pathlib import Path

import asyncpg
import msgspec

from orihon.db.errors import MigrationFailed, SchemaMismatch
from orihon.db.pool import Connection

HEAD = "0014"
"""The newest schema this program knows. A test holds it against the migration folder."""

LOCK_KEY = 0x4F5249484F4E
"""Advisory lock under which the schema changes ("ORIHON")."""

VERSIONS = Path(__file__).parent / "migrations" / "versions"

_FAILED, _MISMATCH = 1, 3


class State(enum.StrEnum):
    """How a schema stands to the program."""

    EMPTY = "empty"
    BEHIND = "behind"
    CURRENT = "current"
    NEWER = "newer"


class Status(msgspec.Struct, frozen=True):
    """The revision in the database, the newest that this program knows, and what that means."""

    revision: str | None
    head: str
    state: State


class _Order(msgspec.Struct):
    """What the child process is told, on its standard input, so that no password stands in a command line."""

    dsn: str
    versions: str


def judge(revision: str | None, head: str = HEAD) -> State:
    """Compare a revision with the newest known one. Revisions are numbers of one width, so text sorts as they do."""
    if revision is None:
        return State.EMPTY
    if revision == head:
        return State.CURRENT
    return State.BEHIND if revision < head else State.NEWER


async def current(db: Connection) -> str | None:
    """The revision of the schema, or None for an empty database."""
    if await db.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    revision: str | None = await db.fetchval("SELECT version_num FROM alembic_version")
    return revision


async def status(db: Connection) -> Status:
    """Where the schema stands."""
    revision = await current(db)
    return Status(revision, HEAD, judge(revision))


async def require_current(db: Connection) -> None:
    """Refuse a schema that this program does not know, before anything is read or written by it.

    Raises:
        SchemaMismatch: the schema is missing, older or newer.
    """
    found = await status(db)
    if found.state is State.NEWER:
        raise SchemaMismatch(_newer(found.revision, HEAD))
    if found.state is not State.CURRENT:
        what = "is empty" if found.state is State.EMPTY else f"has the older schema {found.revision}"
        raise SchemaMismatch(f"The database {what}; this Orihon needs {HEAD}. Run `orihon db upgrade`.")


def upgrade(dsn: str, versions: Path = VERSIONS) -> None:
    """Apply every missing migration, one upgrade at a time. Imports Alembic: call it in a child process.

    Raises:
        MigrationFailed: nothing was changed; the text says which migration and why.
        SchemaMismatch: the database is newer than these migrations.
    """
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", _escaped(VERSIONS.parent))
    config.set_main_option("version_locations", _escaped(versions))
    config.set_main_option("path_separator", "newline")
    head = ScriptDirectory.from_config(config).get_current_head() or ""

    async def connect() -> "asyncpg.Connection[asyncpg.Record]":
        connection = await asyncpg.connect(dsn)
        await connection.execute(f"SELECT pg_advisory_lock({LOCK_KEY})")
        found = await current(connection)
        if judge(found, head) is State.NEWER:
            await connection.close()
            raise SchemaMismatch(_newer(found, head))
        return connection

    config.attributes["connect"] = connect
    try:
        command.upgrade(config, "head")
    except SchemaMismatch:
        raise
    except Exception as error:
        raise MigrationFailed(
            f"The migration {_culprit(error, versions)} failed, and the schema is what it was before. "
            f"PostgreSQL said: {_reason(error)}"
        ) from error


class Upgrader:
    """`upgrade` in a child process.

    The child may be started before there is a database to upgrade: it takes half a second to load Alembic, in which
    the database can be made.
    """

    def __init__(self, versions: Path = VERSIONS) -> None:
        self._versions = versions
        self._child: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Let it get ready. Harmless when it is."""
        if self._child is None:
            self._child = await asyncio.create_subprocess_exec(
                sys.executable, "-P", "-m", "orihon.db.migrate",
                stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
            )  # fmt: skip

    async def run(self, dsn: str) -> None:
        """Upgrade, once.

        Raises:
            MigrationFailed: the text carries the reason; the old schema stands.
            SchemaMismatch: the database is newer than this program.
        """
        await self.start()
        child = self._child
        assert child is not None  # noqa: S101 - started above
        try:
            _, errors = await child.communicate(msgspec.json.encode(_Order(dsn, str(self._versions))))
        finally:
            await self.end()  # when it is called off; PostgreSQL rolls back
        text = errors.decode(errors="replace").strip()
        if child.returncode == _MISMATCH:
            raise SchemaMismatch(text)
        if child.returncode:
            raise MigrationFailed(text or f"The migration process ended with status {child.returncode}.")

    async def end(self) -> None:
        """End it, whether or not it was needed."""
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()


async def upgrade_in_child(dsn: str, versions: Path = VERSIONS) -> None:
    """Run `upgrade` in a child process.

    Raises:
        MigrationFailed, SchemaMismatch: see `Upgrader.run`.
    """
    await Upgrader(versions).run(dsn)


def _newer(revision: str | None, head: str) -> str:
    return (
        f"The database has the schema {revision}, and this Orihon knows schemas up to {head}: a newer Orihon made it. "
        "Start that version, or restore a backup that was made before the upgrade."
    )


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def _culprit(error: Exception, versions: Path) -> str:
    names = [
        Path(frame.filename).stem
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).parent == versions
    ]
    return names[-1] if names else "run"


def _reason(error: BaseException) -> str:
    """The innermost cause: SQLAlchemy wraps what PostgreSQL said in pages of its own."""
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{error} ({type(error).__name__})"


def _main() -> int:
    importlib.import_module("alembic.command")  # before the order is there: see `Upgrader`
    order_text = sys.stdin.buffer.read()
    if not order_text:  # it was not needed
        return 0
    order = msgspec.json.decode(order_text, type=_Order)
    try:
        upgrade(order.dsn, Path(order.versions))
    except (MigrationFailed, SchemaMismatch) as error:
        sys.stderr.write(f"{error}\n")
        return _MISMATCH if isinstance(error, SchemaMismatch) else _FAILED
    return 0


if __name__ == "__main__":
    sys.exit(_main())
