"""Which server is used, and what an operator's own one must have."""

import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from orihon.config import Settings
from orihon.db import lockfile, migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import ServerUnreachable, ServerUnsuitable
from orihon.db.lockfile import FileLock, LockHeld
from orihon.db.pool import connect
from orihon.db.server import check_server, database, reach, running

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(prefix="orihon-choice-"))
    made.chmod(0o711 if os.geteuid() == 0 else 0o700)
    yield made
    shutil.rmtree(made, ignore_errors=True)


async def made(server: EmbeddedPostgres, options: str) -> AsyncIterator[str]:
    name = f"c_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
    try:
        yield server.dsn(name)
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


async def test_a_good_server_is_good(dsn: str) -> None:
    await check_server(dsn)


async def test_a_server_without_our_extensions_is_good_when_it_offers_them(server: EmbeddedPostgres) -> None:
    """They are tried and taken away again: the check leaves no trace."""
    async for dsn in made(server, ""):
        await check_server(dsn)
        db = await connect(dsn)
        assert await db.fetchval("SELECT count(*) FROM pg_extension WHERE extname = 'pg_trgm'") == 0
        await db.close()


async def test_a_character_type_without_japanese_is_refused_with_the_cure(server: EmbeddedPostgres) -> None:
    async for dsn in made(server, "LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'"):
        with pytest.raises(ServerUnsuitable, match=r"Japanese.*LC_CTYPE 'C\.UTF-8'"):
            await check_server(dsn)


async def test_another_encoding_is_refused(server: EmbeddedPostgres) -> None:
    async for dsn in made(server, "ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'"):
        with pytest.raises(ServerUnsuitable, match=r"encoding is SQL_ASCII.*ENCODING 'UTF8'"):
            await check_server(dsn)


async def test_a_user_who_may_not_add_extensions_is_told_what_to_ask_for(server: EmbeddedPostgres) -> None:
    """Connections as that user are refused by the peer check, so the role is taken on after connecting."""
    async for dsn in made(server, ""):
        admin = await asyncpg.connect(dsn)
        await admin.execute("DROP ROLE IF EXISTS plain_reader")
        await admin.execute("CREATE ROLE plain_reader")
        try:
            separator = "&" if "?" in dsn else "?"
            with pytest.raises(ServerUnsuitable, match="CREATE EXTENSION pg_trgm; CREATE EXTENSION unaccent;"):
                await check_server(f"{dsn}{separator}role=plain_reader")
        finally:
            await admin.execute("DROP ROLE plain_reader")
            await admin.close()


@pytest.mark.parametrize(
    ("dsn", "words", "may_pass"),
    [
        ("postgresql://u:geheim@127.0.0.1:1/orihon", "127.0.0.1:1/orihon cannot be reached", True),
        ("postgresql://u:geheim@no-such-host.invalid/orihon", "no-such-host.invalid", True),
        ("http://u:geheim@127.0.0.1/orihon", "DATABASE_URL", False),
        ("postgresql://u:geheim@host:port/orihon", "DATABASE_URL", False),
        ("geheim", "DATABASE_URL", False),
    ],
)
async def test_an_unreachable_server_is_named_without_its_password(dsn: str, words: str, may_pass: bool) -> None:
    with pytest.raises(ServerUnreachable, match=words) as refused:
        await check_server(dsn)
    assert "geheim" not in str(refused.value)
    assert refused.value.may_pass is may_pass


async def test_a_missing_database_is_said(server: EmbeddedPostgres) -> None:
    with pytest.raises(ServerUnreachable, match=r"nowhere.*createdb"):
        await check_server(server.dsn("nowhere"))


async def test_a_command_starts_the_server_for_its_time_and_fills_an_empty_database(folder: Path) -> None:
    settings = Settings(data=folder / "data")
    async with database(settings, doing="a test", say=lambda _: None) as dsn:
        db = await connect(dsn)
        await migrate.require_current(db)
        await db.close()
        assert await running(settings.data / "postgres") == dsn
    assert await running(settings.data / "postgres") is None
    assert lockfile.holder(settings.data / "postgres" / "lock") is None


async def test_a_command_uses_the_server_that_runs(folder: Path) -> None:
    settings = Settings(data=folder / "data")
    async with database(settings, doing="the first", say=lambda _: None) as first:
        async with database(settings, doing="the second", say=lambda _: None) as second:
            assert second == first
        assert await running(settings.data / "postgres") == first, "it did not stop what it had not started"


async def test_an_operators_server_is_checked_before_it_is_used(folder: Path) -> None:
    settings = Settings(data=folder / "data", database_url="postgresql://u@127.0.0.1:1/x")
    with pytest.raises(ServerUnreachable):
        async with database(settings, doing="a test", say=lambda _: None):
            pytest.fail("used")
    assert not settings.data.exists()


def test_a_lock_names_its_holder_and_ends_with_it(tmp_path: Path) -> None:
    lock, other = FileLock(tmp_path / "lock"), FileLock(tmp_path / "lock")
    assert lock.acquire("reading", "mark") is None
    with pytest.raises(LockHeld) as held:
        other.acquire("writing")
    assert held.value.holder == lockfile.Holder(os.getpid(), "reading", "mark")
    assert lockfile.holder(lock.path) == held.value.holder
    lock.release()
    assert lockfile.holder(lock.path) is None
    assert other.acquire("writing") is None
    other.release()


def test_who_died_with_the_lock_is_told_to_the_next(tmp_path: Path) -> None:
    pid = os.fork()
    if pid == 0:
        FileLock(tmp_path / "lock").acquire("reading", "mark")
        os._exit(0)
    os.waitpid(pid, 0)
    lock = FileLock(tmp_path / "lock")
    assert lock.acquire("writing") == lockfile.Holder(pid, "reading", "mark")
    lock.release()


@pytest.mark.parametrize("address", ["mysql://ada:geheim@db/x", "postgresql://ada:geheim@127.0.0.1/x?sslmode=frob"])
async def test_an_address_of_something_else_is_told_in_words(address: str) -> None:
    """The name of an exception's class stood there, which says nothing to an operator."""
    with pytest.raises(ServerUnreachable) as caught:
        await reach(address)
    assert "none of PostgreSQL's. DATABASE_URL looks like postgresql://" in str(caught.value)
    assert "geheim" not in str(caught.value)
    assert not caught.value.may_pass
