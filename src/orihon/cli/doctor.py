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
from orihon.cli.output import as_json, flush, line, say
from orihon.config import ConfigError, Settings, load
from orihon.db import identity, leftovers, lockfile, migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import DatabaseError
from orihon.db.pool import Connection, open_pool
from orihon.db.server import database, reach, shortcomings
from orihon.fetch.client import FetchClient
from orihon.fetch.errors import FetchError
from orihon.ops import exactness, queue_check, store_check
from orihon.storage.local import LocalStorage

LITTLE_SPACE = 2 * 1024**3
"""Bytes of free disk below which a library soon cannot grow."""

MANIFEST_BYTES = 256 * 1024 * 1024
"""The largest manifest that is read."""

Verdict = Literal["ok", "warning", "problem"]


class Check(msgspec.Struct, frozen=True):
    """One thing that was looked at, what was found, and what to do about it."""

    name: str
    verdict: Verdict
    found: str
    advice: str | None = None


async def doctor(
    *,
    store: Annotated[bool, Parameter("--store", negative="", help="Read and hash every stored file, too.")] = False,
    against: Annotated[
        str | None, Parameter(help="Compare the library with a site that tells what it offers. Implies --store.")
    ] = None,
    json: Annotated[bool, Parameter("--json", negative="", help="Print JSON, for scripts.")] = False,
) -> int:
    """Check the installation and say what to do.

    Looks at Python, the data directory, leftovers of killed processes, the web app, the database, its schema and the
    queue. The exit status is 1 if there is a problem; a warning is none.

    `--against URL` asks a site for its /manifest.json, as the sample site has one, and compares works, chapters, order,
    pages and bytes with what was brought from there.

    For example:

    ```
    orihon doctor
    orihon doctor --store
    orihon doctor --against http://127.0.0.1:23000
    orihon doctor --json
    ```
    """
    settings = load()
    found = list[Check]()
    # Each is told at once: reading a large store, or asking a site, takes its time.
    async for check in checks(settings, store=store or bool(against), against=against):
        found.append(check)
        if not json:
            line(f"{_MARKS[check.verdict]}  {check.name}: {check.found}")
            if check.advice:
                line(f"     {check.advice}")
            flush()
    if json:
        as_json(found)
    return 1 if any(check.verdict == "problem" for check in found) else 0


async def checks(settings: Settings, *, store: bool, against: str | None) -> AsyncIterator[Check]:
    """Everything that is looked at, one after another."""
    yield python()
    yield data_directory(settings.data)
    yield free_space(settings.data)
    yield leftover(settings)
    yield web_app()
    async for check in database_checks(settings, store=store, against=against):
        yield check


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


async def database_checks(settings: Settings, *, store: bool, against: str | None) -> AsyncIterator[Check]:
    """The server and what is in it; a server is started for it where none runs."""
    name = "Database"
    if settings.database_url is None and not (settings.data / "postgres" / "data").exists():
        yield Check(name, "ok", "the embedded PostgreSQL is made by the first `orihon serve`")
        return
    try:
        async with database(settings, doing="orihon doctor", say=say) as dsn:
            db = await reach(dsn)
            try:
                yield await _server(db)
                schema = await _schema(db)
                yield schema
                if schema.verdict == "ok":
                    yield await _queue(db)
            finally:
                await db.close()
            if schema.verdict == "ok" and store:
                say("reading and hashing every stored file")
                yield await _store(settings, dsn)
            if schema.verdict == "ok" and against:
                say(f"asking {against} what it offers, and comparing")
                yield await _site(settings, dsn, against)
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


SHOWN = 20
"""So many faults of a kind are told; the rest is counted."""


async def _verdict(name: str, faults: AsyncIterator[str], fine: str) -> Check:
    told, total = list[str](), 0
    async for fault in faults:
        total += 1
        if total <= SHOWN:
            told.append(fault)
    if not total:
        return Check(name, "ok", fine)
    if total > SHOWN:
        told.append(f"and {total - SHOWN} more")
    return Check(name, "problem", f"{total} faults", "\n     ".join(told))


async def _queue(db: Connection) -> Check:
    return await _verdict("Queue", queue_check.faults(db), "nothing is lost, stuck or leased by the dead")


async def _store(settings: Settings, dsn: str) -> Check:
    pool = await open_pool(dsn, size=2)
    try:
        faults = store_check.faults(pool, LocalStorage(settings.data))
        return await _verdict("Store", faults, "every image is there with its own bytes, and nothing else")
    finally:
        await pool.close()


async def _site(settings: Settings, dsn: str, against: str) -> Check:
    name, origin = "Site", exactness.origin_of(against)
    # Named on the command line by the operator, so it may be private.
    trusting = msgspec.structs.replace(settings, private_origins=(*settings.private_origins, origin))
    try:
        async with FetchClient(trusting) as door:
            answer = await door.get(f"{origin}/manifest.json", max_bytes=MANIFEST_BYTES)
        offered = exactness.manifest(answer.body)
    except (ConfigError, FetchError, exactness.BadManifest) as error:
        return Check(name, "problem", f"{origin} does not tell what it offers", str(error))
    db = await reach(dsn)
    try:
        sources = await exactness.followed(db, origin)
        if not sources:
            return Check(name, "problem", f"no source follows {origin}", "`orihon source list` shows what is followed.")
        faults = exactness.differences(db, offered, sources)
        return await _verdict(name, faults, f"the library is exactly what {origin} offers")
    finally:
        await db.close()
