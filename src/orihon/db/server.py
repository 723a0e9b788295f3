"""Which server to use: the operator's (`DATABASE_URL`) or the embedded one, and whether it will do."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg

from orihon.config import Settings
from orihon.db import leftovers, lockfile, migrate, sockets
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import DataInUse, DataUnusable, ServerUnreachable, ServerUnsuitable
from orihon.db.pool import Connection, connect

OLDEST = 180000
"""`server_version_num` of the oldest usable server: `uuidv7()` came with 18."""

PATIENCE = 30.0
"""Seconds that a server may take to come up: it may have been started together with us, or be recovering."""

EXTENSIONS = ("pg_trgm", "unaccent")

_LOOKS_LIKE = "DATABASE_URL looks like postgresql://user:password@host:5432/name."

_FACTS = """
    SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
           current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS standby
"""
_MISSING = """
    SELECT wanted FROM unnest($1::text[]) AS wanted
     WHERE NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = wanted)
"""


async def check_server(dsn: str) -> None:
    """Make sure that a server answers and has what Orihon needs.

    Raises:
        ServerUnreachable: no connection; the text names the place, never the password.
        ServerUnsuitable: it lacks something; the text says what and how to add it.
    """
    connection = await reach(dsn)
    try:
        found = await shortcomings(connection)
    finally:
        await connection.close()
    if found:
        raise ServerUnsuitable(f"The PostgreSQL at {place(dsn)} cannot be used. " + " ".join(found))


async def await_server(dsn: str, say: Callable[[str], None], patience: float = PATIENCE) -> Connection:
    """Connect, waiting for a server that is starting, recovering or restarting.

    Raises:
        ServerUnreachable: it did not come up in time, or would not by waiting.
    """
    deadline, told = time.monotonic() + patience, False
    while True:
        try:
            return await reach(dsn)
        except ServerUnreachable as error:
            if not error.may_pass or time.monotonic() > deadline:
                raise
            if not told:
                say(f"waiting for the database: {error}")
                told = True
            await asyncio.sleep(0.5)


async def reach(dsn: str) -> Connection:
    """Connect, with every failure in words.

    Raises:
        ServerUnreachable: the text names the place, never the password.
    """
    may_pass = False
    try:
        async with asyncio.timeout(10):
            return await connect(dsn)
    except asyncpg.CannotConnectNowError as error:
        may_pass, reason, advice = True, str(error), "It is starting or stopping; wait a moment."
    except (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidPasswordError) as error:
        reason, advice = str(error), "Check the user and password in DATABASE_URL."
    except asyncpg.InvalidCatalogNameError as error:
        reason, advice = str(error), "Make it with `createdb`, or correct DATABASE_URL."
    except TimeoutError:
        may_pass, reason, advice = True, "no answer within 10 s", "Check the host in DATABASE_URL, and any firewall."
    except OSError as error:
        may_pass, reason, advice = True, str(error), "Check that it runs, and the host and port in DATABASE_URL."
    except asyncpg.exceptions.ClientConfigurationError:
        # As for what cannot be read at all: its text may hold the password.
        reason, advice = "the address, or an option in it, is none of PostgreSQL's", _LOOKS_LIKE
    except (asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        reason, advice = type(error).__name__, "Check DATABASE_URL (postgresql://user:password@host:5432/name)."
    except ValueError:
        # The text of the error repeats parts of the address, which may hold the password.
        reason, advice = "the address cannot be read", _LOOKS_LIKE
    raise ServerUnreachable(f"The PostgreSQL at {place(dsn)} cannot be reached: {reason}. {advice}", may_pass=may_pass)


async def shortcomings(db: Connection) -> list[str]:
    """What the server lacks, each in words with what to do; empty when it will do."""
    facts = await db.fetchrow(_FACTS)
    assert facts is not None  # noqa: S101 - a SELECT without FROM has one row
    if facts["number"] < OLDEST:
        return [f"It is version {facts['version']}; Orihon needs {OLDEST // 10000} or newer. Upgrade the server."]
    if facts["standby"]:
        return ["It is a read-only standby. Name the primary in DATABASE_URL."]
    found = []
    if facts["encoding"] != "UTF8":
        found.append(
            f"Its encoding is {facts['encoding']}. Make the database with "
            "`CREATE DATABASE orihon ENCODING 'UTF8' TEMPLATE template0`."
        )
    missing = [row["wanted"] for row in await db.fetch(_MISSING, list(EXTENSIONS))]
    if missing:
        found.append(f"It does not offer the extensions {' and '.join(missing)}. Install PostgreSQL's contrib modules.")
    return found or await _blind_trigrams(db)


async def _blind_trigrams(db: Connection) -> list[str]:
    """Try the extensions for real, and take them away again: rights and letters show only then."""
    attempt = db.transaction()
    await attempt.start()
    try:
        for name in EXTENSIONS:
            await db.execute(f"CREATE EXTENSION IF NOT EXISTS {name} WITH SCHEMA public")
        sighted = await db.fetchval(
            "SELECT cardinality(public.show_trgm('日本語')) > 0 AND cardinality(public.show_trgm('ёжик')) > 0"
        )
    except asyncpg.InsufficientPrivilegeError:
        create = " ".join(f"CREATE EXTENSION {name};" for name in EXTENSIONS)
        return [f"Its user may not add extensions. Let an administrator run: {create}"]
    finally:
        await attempt.rollback()
    if sighted:
        return []
    return [
        "Its character type (lc_ctype) knows no letters beyond ASCII, so titles in Japanese or Cyrillic could not be "
        "searched. Make the database with `CREATE DATABASE orihon TEMPLATE template0 LOCALE_PROVIDER builtin "
        "BUILTIN_LOCALE 'C.UTF-8' LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'`."
    ]


@asynccontextmanager
async def database(settings: Settings, *, doing: str, say: Callable[[str], None]) -> AsyncIterator[str]:
    """The address of a running database for one command.

    The operator's server; else the embedded one that a supervisor runs; else the embedded one, started for the time
    of the command. An empty database gets its schema, since there is nothing to lose.

    Raises:
        DatabaseError: in words.
    """
    if settings.database_url:
        await check_server(settings.database_url)
        yield settings.database_url
        return
    server = EmbeddedPostgres(settings.data / "postgres", user=settings.postgres_user, say=say)
    try:
        await server.start(doing)
    except DataInUse:
        yield await _of_another(server.directory)
        return
    try:
        await _fill_if_empty(server.dsn())
        yield server.dsn()
    finally:
        await server.stop()


async def running(directory: Path) -> str | None:
    """The address of the embedded server in `directory` if one answers there now."""
    told = leftovers.postmaster(directory / "data")
    if told and told.status == "ready" and lockfile.holder(directory / "lock"):
        return sockets.dsn(Path(told.sockets))
    return None


async def _of_another(directory: Path, patience: float = 30) -> str:
    """Wait for the server that another process is starting."""
    for _ in range(int(patience / 0.1)):
        found = await running(directory)
        if found:
            return found
        await asyncio.sleep(0.1)
    raise DataUnusable(
        f"Another process uses {directory}, and its PostgreSQL does not answer. "
        "Look at postgres.log there, or stop that process."
    )


async def _fill_if_empty(dsn: str) -> None:
    connection = await reach(dsn)
    try:
        state = (await migrate.status(connection)).state
    finally:
        await connection.close()
    if state is migrate.State.EMPTY:
        await migrate.upgrade_in_child(dsn)


def place(dsn: str) -> str:
    """Host, port and database of an address, without user and password."""
    try:
        parts = urlsplit(dsn)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "DATABASE_URL"
    if parts.scheme not in {"postgresql", "postgres"}:
        return "DATABASE_URL"
    return f"{parts.hostname or 'the local socket'}{port}{parts.path}"
