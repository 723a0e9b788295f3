"""A database that the tests of a module share and find empty; one of its own for each would cost most of their time."""

from collections.abc import AsyncIterator

import pytest
from tests.support.queueing import emptied, shared_database

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool


@pytest.fixture(scope="module")
async def shared(server: EmbeddedPostgres) -> AsyncIterator[str]:
    async with shared_database(server) as dsn:
        yield dsn


@pytest.fixture
def dsn(shared: str) -> str:
    return shared


@pytest.fixture
async def pool(dsn: str) -> AsyncIterator[Pool]:
    async with emptied(dsn) as opened:
        yield opened
