"""The connection pool and the shape of rows."""

from collections.abc import Iterable
from typing import Any, TypeAlias, TypeVar

import asyncpg
import msgspec
from asyncpg.pool import PoolConnectionProxy

Connection: TypeAlias = "asyncpg.Connection[asyncpg.Record] | PoolConnectionProxy[asyncpg.Record]"
Pool: TypeAlias = "asyncpg.Pool[asyncpg.Record]"

TROUBLE = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, TimeoutError)
"""What a database raises that cannot answer now: gone, restarting, out of connections, cut off in the middle.

Loops that outlive the loss of the database catch this and try again.
"""

T = TypeVar("T")


async def _prepare(connection: Any) -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=_encode_json, decoder=msgspec.json.decode)


def _encode_json(value: object) -> str:
    return msgspec.json.encode(value).decode()


async def connect(dsn: str) -> "asyncpg.Connection[asyncpg.Record]":
    """One connection with the pool's codecs, for listeners and long-held locks."""
    connection = await asyncpg.connect(dsn)
    await _prepare(connection)
    return connection


IDLE_SECONDS = 60.0
"""A pooled connection that nobody used for so long is closed: each is a process of the server with its memory."""


async def open_pool(dsn: str, *, size: int = 8, patience: float | None = None) -> Pool:
    """Open a pool of at most `size` connections.

    A server that is reached but says nothing (stopped, cut off, overloaded) ends a statement with `TimeoutError` after
    `patience` seconds; None: it is waited for.

    `jsonb` is read and written as Python values (msgspec). Connections are opened when first needed. Whoever needs a
    session of their own (LISTEN, SET, an advisory lock beyond a transaction) uses `connect`, not the pool.
    """
    return await asyncpg.create_pool(
        dsn,
        min_size=0,
        max_size=size,
        init=_prepare,
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
