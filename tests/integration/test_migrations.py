"""The schema and its migrations."""

import asyncio
import shutil
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import psutil
import pytest

from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import MigrationFailed, SchemaMismatch
from orihon.db.pool import Connection, Pool

pytestmark = pytest.mark.anyio


@pytest.fixture
async def empty(server: EmbeddedPostgres) -> AsyncIterator[str]:
    """A database without a schema."""
    name = f"e_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    await admin.execute(f"CREATE DATABASE {name}")
    try:
        yield server.dsn(name)
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


def versions_with(folder: Path, **later: str) -> Path:
    """The shipped migrations and `later` ones (`_9001="SQL"`), each on top of the one before."""
    shutil.copytree(migrate.VERSIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    before = migrate.HEAD
    for name, sql in later.items():
        revision = name.strip("_")
        (folder / f"{revision}_test.py").write_text(
            f"from alembic import op\nrevision = {revision!r}\ndown_revision = {before!r}\n"
            f"def upgrade():\n    op.execute({sql!r})\n"
        )
        before = revision
    return folder


async def revision_of(dsn: str) -> str | None:
    connection = await asyncpg.connect(dsn)
    try:
        return await migrate.current(connection)
    finally:
        await connection.close()


async def exists(dsn: str, table: str) -> bool:
    connection = await asyncpg.connect(dsn)
    try:
        return bool(await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", table))
    finally:
        await connection.close()


async def until(db: Connection, question: str) -> None:
    """Ask the database until it says true; another process makes it so."""
    async with asyncio.timeout(20):
        while not await db.fetchval(question):  # noqa: ASYNC110 - nothing in this process knows when
            await asyncio.sleep(0.02)


async def pretend(db: Connection, revision: str) -> None:
    await db.execute("UPDATE alembic_version SET version_num = $1", revision)


async def test_a_migrated_database_is_at_the_newest_revision_this_program_knows(pool: Pool) -> None:
    async with pool.acquire() as db:
        assert await migrate.current(db) == migrate.HEAD
        await migrate.require_current(db)


async def test_upgrading_a_current_schema_changes_nothing(dsn: str) -> None:
    await migrate.upgrade_in_child(dsn)
    assert await revision_of(dsn) == migrate.HEAD


async def test_an_upgrade_can_be_made_ready_before_there_is_a_database(empty: str) -> None:
    upgrader = migrate.Upgrader()
    await upgrader.start()
    await upgrader.run(empty)
    assert await revision_of(empty) == migrate.HEAD


async def test_an_upgrade_that_was_not_needed_leaves_no_process() -> None:
    upgrader = migrate.Upgrader()
    await upgrader.start()
    (child,) = [one for one in psutil.Process().children() if "orihon.db.migrate" in one.cmdline()]
    await upgrader.end()
    assert not child.is_running()
    await upgrader.end()


async def test_an_upgrade_that_was_made_ready_ends_with_its_killed_parent() -> None:
    """End of file instead of an order."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "orihon.db.migrate", stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    _, said = await child.communicate()
    assert (child.returncode, said) == (0, b"")


async def test_two_upgrades_at_once_end_as_one(empty: str) -> None:
    await asyncio.gather(migrate.upgrade_in_child(empty), migrate.upgrade_in_child(empty))
    assert await revision_of(empty) == migrate.HEAD


async def test_a_failing_migration_leaves_the_old_schema_and_says_why(dsn: str, tmp_path: Path) -> None:
    """All that is missing is one transaction: the good migration before the bad one is undone as well."""
    versions = versions_with(
        tmp_path / "v", _9001="CREATE TABLE good (id int)", _9002="ALTER TABLE nowhere ADD COLUMN x int"
    )
    with pytest.raises(MigrationFailed, match=r"9002_test failed.*relation \"nowhere\" does not exist"):
        await migrate.upgrade_in_child(dsn, versions)
    assert await revision_of(dsn) == migrate.HEAD
    assert not await exists(dsn, "good")


async def test_missing_migrations_are_applied_in_order(dsn: str, tmp_path: Path) -> None:
    versions = versions_with(
        tmp_path / "v", _9001="CREATE TABLE good (id int)", _9002="ALTER TABLE good ADD COLUMN x int"
    )
    await migrate.upgrade_in_child(dsn, versions)
    assert await revision_of(dsn) == "9002"
    assert await exists(dsn, "good")


async def test_an_interrupted_upgrade_leaves_the_old_schema(dsn: str, tmp_path: Path) -> None:
    versions = versions_with(tmp_path / "v", _9001="CREATE TABLE good AS SELECT 1 AS x FROM pg_sleep(60)")
    watcher = await asyncpg.connect(dsn)
    upgrade = asyncio.create_task(migrate.upgrade_in_child(dsn, versions))
    await until(watcher, "SELECT count(*) > 0 FROM pg_stat_activity WHERE query LIKE '%FROM pg_sleep(60)'")
    upgrade.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upgrade
    await watcher.close()
    assert await revision_of(dsn) == migrate.HEAD
    assert not await exists(dsn, "good")


async def test_a_newer_schema_is_refused_by_upgrade(pool: Pool, dsn: str) -> None:
    async with pool.acquire() as db:
        await pretend(db, "0999")
    with pytest.raises(SchemaMismatch, match=r"0999.*newer Orihon"):
        await migrate.upgrade_in_child(dsn)
    assert await revision_of(dsn) == "0999"


@pytest.mark.parametrize(("revision", "words"), [("0999", "newer Orihon"), ("0000", "orihon db upgrade")])
async def test_a_schema_that_is_not_ours_is_refused_at_start(pool: Pool, revision: str, words: str) -> None:
    async with pool.acquire() as db:
        await pretend(db, revision)
        with pytest.raises(SchemaMismatch, match=words):
            await migrate.require_current(db)


async def test_an_empty_database_is_told_apart(empty: str) -> None:
    connection = await asyncpg.connect(empty)
    try:
        assert (await migrate.status(connection)).state is migrate.State.EMPTY
        with pytest.raises(SchemaMismatch, match="is empty"):
            await migrate.require_current(connection)
    finally:
        await connection.close()


def test_the_newest_revision_is_that_of_the_migration_folder() -> None:
    newest = max(path.name.split("_")[0] for path in migrate.VERSIONS.glob("[0-9]*.py"))
    assert newest == migrate.HEAD


@pytest.mark.parametrize(
    ("revision", "state"),
    [
        (None, migrate.State.EMPTY),
        ("0002", migrate.State.CURRENT),
        ("0001", migrate.State.BEHIND),
        ("0003", migrate.State.NEWER),
        ("0010", migrate.State.NEWER),
        ("abcdef", migrate.State.NEWER),
    ],
)
def test_how_a_revision_stands(revision: str | None, state: migrate.State) -> None:
    assert migrate.judge(revision, head="0002") is state
