"""The connection pool and the shape of rows."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeVar

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy

from orihon.db.errors import DatabaseAway

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"
Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"

TROUBLE = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, TimeoutError)
"""What a database raises that cannot answer now: gone, restarting, out of connections, cut off in the middle.

Loops that outlive the loss of the database catch this and try again.
"""

_CUT_OFF = (
    DatabaseAway,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.CannotConnectNowError,
    asyncpg.TooManyConnectionsError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)

# asyncpg has no class of its own for the next statement on a connection that is gone already. Operation 2 is that it
# reads an error that no statement asked for: the server's last word, which can come a moment before the stream ends.
_GONE_ALREADY = (
    "connection is closed",
    "connection has been released back to the pool",
    "another operation (2) is in progress",
)

T = TypeVar("T")


_SESSION = {"timezone": "UTC"}
"""What every session is told: JSON that the database makes has its times as the rest of the API has them."""


def is_cut_off(error: BaseException) -> bool:
    """Whether an error, or what led to it, is the loss of a pooled connection and no answer of the database."""
    return any(
        isinstance(one, _CUT_OFF)
        or (
            isinstance(one, (asyncpg.InterfaceError, asyncpg.InternalClientError))
            and any(text in str(one) for text in _GONE_ALREADY)
        )
        for one in origins(error)
    )


def origins(error: BaseException) -> Iterator[BaseException]:
    """An error, what it came from, and the members of groups among them, each once."""
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += one.exceptions if isinstance(one, BaseExceptionGroup) else ()
        waiting += (one.__cause__, None if one.__suppress_context__ else one.__context__)


async def _prepare(connection: Any) -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=_encode_json, decoder=msgspec.json.decode)


def _encode_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def connect(dsn: str) -> "asyncpg.Connection[asyncpg.Record]":
    """One connection with the pool's codecs, for listeners and long-held locks."""
    connection = await asyncpg.connect(dsn, server_settings=_SESSION)
    await _prepare(connection)
    return connection


async def _open(*arguments: Any, **named: Any) -> Any:
    """A connection for a pool.

    Raises:
        DatabaseAway: there is none to be had now, which only here can be told from other failures of the system.
    """
    try:
        return await asyncpg.connect(*arguments, **named)
    except (OSError, TimeoutError) as error:
        raise DatabaseAway(f"The database cannot be reached: {error or 'it does not answer'}.") from error


CONNECT_SECONDS = 20.0
"""For a server to take a connection; one that is stopped or overloaded accepts it and says nothing."""

IDLE_SECONDS = 60.0
"""A pooled connection that nobody used for so long is closed: each is a process of the server with its memory."""


async def open_pool(dsn: str, *, size: int = 8, patience: float | None = None, most_idle: float | None = None) -> Pool:
    """Open a pool of at most `size` connections.

    A server that is reached but says nothing (stopped, cut off, overloaded) ends a statement with `TimeoutError` after
    `patience` seconds; None: it is waited for. The server ends a transaction in which nothing happens for `most_idle`
    seconds: a process that is stopped in the midst of one would keep what it locked from everybody, for ever.

    `jsonb` is read and written as Python values (msgspec). Connections are opened when first needed. Whoever needs a
    session of their own (LISTEN, SET, an advisory lock beyond a transaction) uses `connect`, not the pool.
    """

    async def prepare(connection: Any) -> None:
        await _prepare(connection)
        if most_idle is not None:
            await connection.execute(f"SET idle_in_transaction_session_timeout = {round(most_idle * 1000)}")

    return await asyncpg.create_pool(
        dsn,
        min_size=0,
        max_size=size,
        connect=_open,
        timeout=CONNECT_SECONDS,
        init=prepare,
        server_settings=_SESSION,
        reset=_as_it_is,
        max_inactive_connection_lifetime=IDLE_SECONDS,
        command_timeout=patience,
    )


async def _as_it_is(_connection: object) -> None:
    """What a connection gets when it is given back, after asyncpg has rolled back what is open.

    Nothing: the library's own clean-up of the session costs a round trip each time, a third of a short query, and
    nothing here leaves anything to clean up; a test holds the code to that.
    """


def row(kind: type[T], record: asyncpg.Record) -> T:
    """One record as a struct whose fields are named like the columns."""
    return kind(**record)


def rows(kind: type[T], records: Iterable[asyncpg.Record]) -> list[T]:
    """Records as structs whose fields are named like the columns."""
    return [kind(**record) for record in records]
