"""The password of the first administrator is told, whatever becomes of the start."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.waiting import eventually

from orihon.config import Settings
from orihon.supervisor.supervise import Part, Supervisor

pytestmark = pytest.mark.anyio

NEVER_ANSWERS = Part("web", (sys.executable, "-c", "import time; time.sleep(60)"))


async def test_a_start_that_never_gets_ready_has_told_the_password(dsn: str, tmp_path: Path) -> None:
    """It is kept nowhere, and the next start finds the account made: who was not told could not sign in."""
    told: list[str] = []
    settings = Settings(data=tmp_path, database_url=dsn, port=0, drain_seconds=1)
    supervisor = Supervisor(settings, parts=[NEVER_ANSWERS], ready=lambda ready: pytest.fail("ready"), say=told.append)
    running = asyncio.create_task(supervisor.run())
    try:
        await eventually(lambda: len(supervisor.children) == 1)
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    assert [text for text in told if "user admin, password " in text]
