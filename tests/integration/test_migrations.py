"""The schema and its migrations."""

import pytest

from orihon.db import migrate
from orihon.db.pool import Pool

pytestmark = pytest.mark.anyio


async def test_a_migrated_database_is_at_the_newest_revision_this_program_knows(pool: Pool) -> None:
    async with pool.acquire() as db:
        assert await migrate.current(db) == migrate.HEAD
