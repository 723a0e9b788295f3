"""A part that needs another one starts when somebody listens there."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.support.serving import free_port
from tests.support.waiting import eventually

from orihon.config import Settings
from orihon.supervisor.supervise import Part, Supervisor

pytestmark = pytest.mark.anyio

# Listens only once the file is there.
LATE = """
import pathlib, socket, sys, time
while not pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.01)
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as server:
    while True:
        server.accept()
"""

# Notes whether somebody listened at its very start.
NEEDY = """
import pathlib, socket, sys, time
try:
    socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    found = "open"
except OSError as error:
    found = str(error)
pathlib.Path(sys.argv[2]).write_text(found)
time.sleep(60)
"""


async def test_a_part_waits_for_the_one_that_it_needs(dsn: str, tmp_path: Path) -> None:
    port, go, found = free_port(), tmp_path / "go", tmp_path / "found"
    parts = (
        Part("late", (sys.executable, "-c", LATE, str(port), str(go))),
        Part("needy", (sys.executable, "-c", NEEDY, str(port), str(found)), after=("127.0.0.1", port)),
    )
    settings = Settings(data=tmp_path, database_url=dsn, port=0, drain_seconds=1)
    supervisor = Supervisor(settings, parts=parts, ready=lambda _: None, say=lambda _: None)
    running = asyncio.create_task(supervisor.run())
    try:
        await eventually(lambda: bool(supervisor.children and supervisor.children[0].pid))
        go.touch()
        await eventually(lambda: found.exists() and found.read_text())
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    assert found.read_text() == "open"
