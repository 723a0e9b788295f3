"""A backup comes back by the commands of docs/operations.md, also one of an older version."""

import asyncio
import os
import re
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.program import BINARIES

pytestmark = pytest.mark.anyio

DOCS = Path(__file__).parents[2] / "docs" / "operations.md"


@pytest.fixture
async def older(server: EmbeddedPostgres) -> AsyncIterator[str]:
    """An empty database, for a library of an older version."""
    name = f"o_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    await admin.execute(f"CREATE DATABASE {name}")
    try:
        yield server.dsn(name)
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


def up_to(folder: Path, revision: str) -> Path:
    """The shipped migrations up to one of them."""
    folder.mkdir()
    for file in migrate.VERSIONS.glob("[0-9]*.py"):
        if file.name[:4] <= revision:
            shutil.copy(file, folder)
    return folder


def command(beginning: str) -> str:
    """The commands of the documentation that begin like this, up to the end of their block."""
    found = re.search(rf"^{re.escape(beginning)}.*?(?=^```)", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[0]


async def run(script: str, folder: Path, dsn: str) -> None:
    """Run them where `orihon db url` tells this database."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "orihon").write_text(f"#!/bin/sh\necho '{dsn}'\n")
    (programs / "orihon").chmod(0o755)
    path = os.pathsep.join((str(programs), str(BINARIES), os.environ["PATH"]))
    process = await asyncio.create_subprocess_exec("sh", "-ec", script, cwd=folder, env=os.environ | {"PATH": path})
    assert await process.wait() == 0


async def read(dsn: str, question: str) -> object:
    db = await asyncpg.connect(dsn)
    try:
        return await db.fetchval(question)
    finally:
        await db.close()


@pytest.mark.parametrize("revision", ["0001", "0002", "0007", migrate.HEAD])
async def test_a_backup_of_any_version_comes_back(older: str, dsn: str, tmp_path: Path, revision: str) -> None:
    await migrate.upgrade_in_child(older, versions=up_to(tmp_path / "versions", revision))
    db = await asyncpg.connect(older)
    await db.execute("INSERT INTO works (title) VALUES ('Bar Baz')")
    await db.close()
    await run(command("pg_dump ").splitlines()[0], tmp_path, older)
    restore = command("{ echo 'SET")
    await run(restore, tmp_path, dsn)
    assert await read(dsn, "SELECT version_num FROM alembic_version") == revision
    await migrate.upgrade_in_child(dsn)
    assert await read(dsn, "SELECT string_agg(title, ',') FROM works") == "Bar Baz"
    assert await read(dsn, "SELECT sum(works) FROM work_tally") == 1

    await run(command("pg_dump ").splitlines()[0], tmp_path, dsn)
    await run(restore, tmp_path, dsn)
    assert await read(dsn, "SELECT version_num FROM alembic_version") == migrate.HEAD, "what was restored once, too"
    assert await read(dsn, "SELECT string_agg(title, ',') FROM works") == "Bar Baz"
