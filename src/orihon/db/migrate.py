"""Bringing the schema up to date, always in a process of its own (DESIGN ruling 24)."""

import asyncio
import sys
from pathlib import Path

import asyncpg

HEAD = "0001"
"""The newest schema this program knows. A test holds it against the migration folder."""

LOCK_KEY = 0x4F5249484F4E
"""Advisory lock under which the schema changes ("ORIHON")."""


def upgrade(dsn: str) -> None:
    """Apply every missing migration. Imports Alembic: call it in a child process."""
    from alembic import command
    from alembic.config import Config

    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(dsn)

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connect"] = connect
    command.upgrade(config, "head")


async def current(connection: asyncpg.Connection) -> str | None:
    """The revision of the schema, or None for an empty database."""
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    revision: str | None = await connection.fetchval("SELECT version_num FROM alembic_version")
    return revision


async def upgrade_in_child(dsn: str) -> None:
    """Run `upgrade` in a child process.

    Raises:
        RuntimeError: the migration failed; the text carries the reason and the old schema stands.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "orihon.db.migrate",
        stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    _, errors = await child.communicate(dsn.encode())
    if child.returncode:
        raise RuntimeError(errors.decode(errors="replace").strip())


if __name__ == "__main__":
    upgrade(sys.stdin.read())
