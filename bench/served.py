"""Servers of ours and bare ones, and what asks them."""

import asyncio
import os
import re
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench.harness import ROOT, Missing, Wrong, folder, program, stopped

SECONDS = 4
"""How long one round of `wrk` lasts."""


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@asynccontextmanager
async def process(
    *command: str, variables: Mapping[str, str], log: str, directory: Path = ROOT
) -> AsyncIterator[asyncio.subprocess.Process]:
    """A process that ends with the block; what it says goes to a log in the bench's folder."""
    with (folder("logs") / f"{log}.log").open("wb") as file:
        started = await asyncio.create_subprocess_exec(
            *command, env=os.environ | variables, cwd=directory, stdout=file, stderr=file
        )
    try:
        yield started
    finally:
        await stopped(started)


@asynccontextmanager
async def ours(dsn: str, data: Path, variables: Mapping[str, str] | None = None) -> AsyncIterator[str]:
    """One web process of ours on a database; its origin."""
    port = str(free_port())
    environment = {"DATABASE_URL": dsn, "ORIHON_DATA": str(data), "PORT": port, **(variables or {})}
    async with process(sys.executable, "-P", "-m", "orihon.cli", "web", variables=environment, log="web") as web:
        origin = f"http://127.0.0.1:{port}"
        await answering(web, f"{origin}/readyz")
        yield origin


@asynccontextmanager
async def serve(data: Path) -> AsyncIterator[tuple[str, int]]:
    """`orihon serve` on a data directory, as a person starts it: its origin, and the id of the supervisor."""
    port = str(free_port())
    command = str(Path(sys.executable).with_name("orihon"))
    async with process(command, "serve", variables={"ORIHON_DATA": str(data), "PORT": port}, log="serve") as started:
        origin = f"http://127.0.0.1:{port}"
        await answering(started, f"{origin}/readyz")
        yield origin, started.pid


@asynccontextmanager
async def bare(app: str, variables: Mapping[str, str], probe: str) -> AsyncIterator[str]:
    """A bare application of `bench.bare` on one granian worker; its origin. `probe`: a path that answers 200."""
    port = str(free_port())
    command = (
        sys.executable, "-m", "granian", "--interface", "asgi", "--host", "127.0.0.1", "--port", port,
        "--workers", "1", "--loop", "uvloop", "--http", "1", "--no-ws", "--no-log", f"bench.bare:{app}",
    )  # fmt: skip
    async with process(*command, variables=variables, log=f"bare_{app}") as server:
        origin = f"http://127.0.0.1:{port}"
        await answering(server, f"{origin}{probe}")
        yield origin


_NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 256; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    types {{ image/jpeg jpg; }}
    {temporary}
    server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""


@asynccontextmanager
async def nginx(root: Path, probe: str) -> AsyncIterator[str]:
    """nginx with one worker on a folder; its origin."""
    port, place = free_port(), folder("nginx")
    temporary = "\n    ".join(
        f"{kind}_temp_path {place}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = place / "nginx.conf"
    configuration.write_text(user + _NGINX.format(folder=place, port=port, root=root, temporary=temporary))
    command = (program("nginx"), "-p", str(place), "-c", str(configuration), "-e", str(place / "error.log"))
    async with process(*command, variables={}, log="nginx") as server:
        origin = f"http://127.0.0.1:{port}"
        await answering(server, f"{origin}{probe}")
        yield origin


async def answering(server: asyncio.subprocess.Process, url: str, *, patience: float = 60) -> None:
    """Wait until an address answers 200.

    Raises:
        Wrong: the server ended, or time is up.
    """
    deadline = time.monotonic() + patience
    while not await asyncio.to_thread(_answers, url):
        if server.returncode is not None or time.monotonic() > deadline:
            raise Wrong(f"{url} does not answer; see the logs in {folder('logs').relative_to(ROOT)}")
        await asyncio.sleep(0.01)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


_SCRIPT = """
local paths = {{}}
for line in io.lines("{listing}") do paths[#paths + 1] = line end
local started = 0
function setup(thread) thread:set("place", started * math.floor(#paths / 2)); started = started + 1 end
function request()
    place = place + 1
    return wrk.format("GET", paths[(place - 1) % #paths + 1])
end
"""


async def wrk(
    url: str, *, headers: Sequence[str] = (), paths: Path | None = None, connections: int = 32, seconds: float = SECONDS
) -> float:
    """Requests a second. `paths`: a file of request targets that are asked for in turn, each thread from elsewhere.

    Raises:
        Missing: wrk is not installed.
        Wrong: some answers were not good.
    """
    command = [program("wrk"), "-t2", f"-c{connections}", f"-d{seconds:g}s"]
    for header in headers:
        command += ["-H", header]
    if paths is not None:
        script = folder("wrk") / f"{paths.stem}.lua"
        script.write_text(_SCRIPT.format(listing=paths))
        command += ["-s", str(script)]
    running = await asyncio.create_subprocess_exec(
        *command, url, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    told = (await running.communicate())[0].decode()
    rate = re.search(r"Requests/sec:\s+([\d.]+)", told)
    bad = re.search(r"Non-2xx.*|Socket errors.*", told)
    if running.returncode or rate is None or bad is not None:
        raise Wrong(f"wrk on {url}: {bad.group() if bad else told}")
    return float(rate.group(1))


def need(*names: str) -> None:
    """Look for programs before the work begins.

    Raises:
        Missing: one is not installed; all that are missing are named.
    """
    missing = []
    for name in names:
        try:
            program(name)
        except Missing:
            missing.append(name)
    if missing:
        raise Missing(f"not installed: {', '.join(missing)} (Debian: apt-get install {' '.join(missing)})")
