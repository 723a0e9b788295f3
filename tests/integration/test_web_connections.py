"""How many may be connected to the web process at once."""

import asyncio
import contextlib
import os
import resource
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.support.serving import free_port, until

pytestmark = pytest.mark.anyio

IDLE = 1100
"""More than the 1024 that the server takes when nothing is said."""


@asynccontextmanager
async def web(dsn: str, data: Path) -> AsyncIterator[int]:
    port = free_port()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "orihon.cli", "web",
        env=os.environ | {"DATABASE_URL": dsn, "ORIHON_DATA": str(data), "PORT": str(port)},
    )  # fmt: skip
    try:
        await asyncio.to_thread(until, lambda: not _is_closed(port), "the web process listens")
        yield port
    finally:
        process.terminate()
        await process.wait()


def _is_closed(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


async def asked(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    return reader, writer


async def test_a_thousand_idle_connections_keep_nobody_waiting(dsn: str, tmp_path: Path) -> None:
    """A proxy, or anybody at all, may hold that many; the next reader waited until they were closed for idling."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4 * IDLE:
        pytest.skip("this machine allows a process too few open files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (4 * IDLE, hard))
    try:
        async with web(dsn, tmp_path) as port, contextlib.AsyncExitStack() as stack:
            for _ in range(IDLE):
                _, writer = await asked(port)
                stack.callback(writer.close)
            reader, writer = await asked(port)
            stack.callback(writer.close)
            async with asyncio.timeout(10):
                assert await reader.readline() == b"HTTP/1.1 200 OK\r\n"
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize(("hard", "allowed"), [("1024", 384), ("4096", 1920), ("20000", 4096)])
def test_as_many_may_connect_as_open_files_allow(hard: str, allowed: int) -> None:
    line = f"ulimit -Sn 256 && ulimit -Hn {hard} && exec {sys.executable} -c"
    code = "'from orihon.app.web import connections_allowed; print(connections_allowed())'"
    told = subprocess.run(["/bin/bash", "-c", f"{line} {code}"], capture_output=True, text=True, check=False)
    assert told.stdout.strip() == str(allowed), told.stderr
