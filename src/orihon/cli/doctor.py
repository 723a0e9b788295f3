"""`orihon doctor`: is this installation sound, and what to do if not."""

import os
import platform
import shutil
from collections.abc import AsyncIterator
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from cyclopts import Parameter

from orihon import __version__
from orihon.cli.output import as_json, line, say
from orihon.config import Settings, load
from orihon.db import identity, leftovers, lockfile, migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import DatabaseError
from orihon.db.pool import Connection
from orihon.db.server import database, reach, shortcomings

LITTLE_SPACE = 2 * 1024**3
"""Bytes of free disk below which a library soon cannot grow."""

Verdict = Literal["ok", "warning", "problem"]


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at, what was found, and what to do about it."""

    name: str
    verdict: Verdict
    found: str
    advice: str | None = None


async def doctor(
    *, json: Annotated[bool, Parameter("--json", negative="", help="Print JSON, for scripts.")] = False
) -> int:
    """Check the installation and say what to do.

    Looks at Python, the data directory, leftovers of killed processes, the web app, the database and its schema. The
    exit status is 1 if there is a problem; a warning is none.

    For example:

    ```
    orihon doctor
    orihon doctor --json
    ```
    """
    settings = load()
    found = [python(), data_directory(settings.data), free_space(settings.data), leftover(settings), web_app()]
    found += [check async for check in database_checks(settings)]
    if json:
        as_json(found)
    else:
        for check in found:
            line(f"{_MARKS[check.verdict]}  {check.name}: {check.found}")
            if check.advice:
                line(f"     {check.advice}")
    return 1 if any(check.verdict == "problem" for check in found) else 0


_MARKS: dict[Verdict, str] = {"ok": "ok ", "warning": "(!)", "problem": "BAD"}


def python() -> Check:
    """The interpreter and the platform."""
    found = f"Orihon {__version__}, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    if platform.system() == "Linux" and platform.libc_ver()[0] != "glibc":
        return Check("Program", "problem", found, "Only Linux with glibc is supported: PostgreSQL's programs need it.")
    return Check("Program", "ok", found)


def data_directory(folder: Path) -> Check:
    """Whether the data directory can be written, and entered by the user that runs PostgreSQL."""
    name = "Data directory"
    if not folder.exists():
        return Check(name, "ok", f"{folder} is not there yet; `orihon serve` makes it")
    if not os.access(folder, os.W_OK | os.X_OK):
        return Check(
            name, "problem", f"{folder} cannot be written", "Run as its owner, or choose another: ORIHON_DATA."
        )
    try:
        who = identity.choose(folder / "postgres" / "data", None)
        identity.require_reach(who, folder.resolve())
    except DatabaseError as error:
        return Check(name, "problem", str(folder), str(error))
    return Check(name, "ok", f"{folder.resolve()}; PostgreSQL runs as {who.name}")


def free_space(folder: Path) -> Check:
    """Room for what comes in."""
    there = next(parent for parent in (folder.absolute(), *folder.absolute().parents) if parent.exists())
    free = shutil.disk_usage(there).free
    found = f"{free / 1024**3:.1f} GiB free"
    if free < LITTLE_SPACE:
        return Check("Disk", "warning", found, "Free some space, or move the data directory to a larger disk.")
    return Check("Disk", "ok", found)


def leftover(settings: Settings) -> Check:
    """Who works on the data, and what a killed process left there."""
    name = "Processes"
    running = lockfile.holder(settings.data / "supervisor.lock")
    if running:
        return Check(name, "ok", f"{running.doing} (process {running.pid})")
    server = EmbeddedPostgres(settings.data / "postgres")
    if lockfile.holder(server.directory / "lock"):
        return Check(name, "ok", "the database is used by another command")
    orphans = leftovers.servers(server.cluster)
    if orphans:
        found = f"a PostgreSQL without its supervisor (process {min(orphans)})"
        return Check(name, "warning", found, "The next `orihon serve` ends it and goes on.")
    if leftovers.postmaster(server.data):
        return Check(name, "warning", "PostgreSQL was killed", "The next `orihon serve` recovers; nothing is lost.")
    return Check(name, "ok", "nothing runs, and nothing was left behind")


def web_app() -> Check:
    """The files that browsers get."""
    if files("orihon").joinpath("web", "index.html").is_file():
        return Check("Web app", "ok", "built")
    return Check("Web app", "problem", "not built", "In a checkout run `make web`; an installed wheel carries it.")


async def database_checks(settings: Settings) -> AsyncIterator[Check]:
    """The server and the schema; a server is started for it where none runs."""
    name = "Database"
    if settings.database_url is None and not (settings.data / "postgres" / "data").exists():
        yield Check(name, "ok", "the embedded PostgreSQL is made by the first `orihon serve`")
        return
    try:
        async with database(settings, doing="orihon doctor", say=say) as dsn:
            db = await reach(dsn)
            try:
                yield await _server(db)
                yield await _schema(db)
            finally:
                await db.close()
    except DatabaseError as error:
        yield Check(name, "problem", "cannot be used", str(error))


async def _server(db: Connection) -> Check:
    version = await db.fetchval("SHOW server_version")
    lacks = await shortcomings(db)
    if lacks:
        return Check("Database", "problem", f"PostgreSQL {version}", " ".join(lacks))
    return Check("Database", "ok", f"PostgreSQL {version}, with its extensions and letters of every script")


async def _schema(db: Connection) -> Check:
    found = await migrate.status(db)
    if found.state is migrate.State.CURRENT:
        return Check("Schema", "ok", f"{found.revision}, the newest")
    if found.state is migrate.State.NEWER:
        return Check("Schema", "problem", f"{found.revision}, newer than {found.head}", "Start the newer Orihon.")
    return Check(
        "Schema", "warning", found.revision or "none yet", "`orihon serve` or `orihon db upgrade` brings it up."
    )
