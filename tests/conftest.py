"""Fixtures for everything that needs a real PostgreSQL.

One server for the test run, one migrated template database, one clone per test.
"""

import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool, open_pool

TEMPLATE = "orihon_template"


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return ("asyncio", {"use_uvloop": False})


@pytest.fixture(scope="session")
async def server(anyio_backend: object) -> AsyncIterator[EmbeddedPostgres]:
    """A server that trades safety for speed; crash tests start their own."""
    folder = Path(tempfile.mkdtemp(prefix="orihon-pg-"))
    if os.geteuid() == 0:
        folder.chmod(0o711)
    postgres = EmbeddedPostgres(
        folder / "postgres",
        options=["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=200"],
    )
    await postgres.start()
    try:
        admin = await asyncpg.connect(postgres.dsn("postgres"))
        await admin.execute(f"CREATE DATABASE {TEMPLATE}")
        await migrate.upgrade_in_child(postgres.dsn(TEMPLATE))
        await admin.close()
        yield postgres
    finally:
        await postgres.stop()
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(postgres.sockets, ignore_errors=True)


@pytest.fixture
async def dsn(server: EmbeddedPostgres) -> AsyncIterator[str]:
    """A migrated database of one's own."""
    name = f"t_{uuid.uuid4().hex}"
    admin = await asyncpg.connect(server.dsn("postgres"))
    await admin.execute(f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY file_copy")
    try:
        yield server.dsn(name)
    finally:
        await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        await admin.close()


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[Pool]:
    """A pool on that database."""
    opened = await open_pool(dsn)
    try:
        yield opened
    finally:
        opened.terminate()


@pytest.fixture
def fixtures() -> Path:
    """Real comics and broken images; absent on a user's machine."""
    folder = Path(__file__).parents[2] / "shared" / "fixtures"
    if not folder.is_dir():
        pytest.skip("needs the shared fixtures folder beside the checkout, which is not here")
    return folder
