"""Supervisors as real processes, for tests that stop and kill them."""

import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil

STAND_IN = Path(__file__).with_name("stand_in.py")
PATIENCE = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def copied(prepared: Path, folder: Path) -> Path:
    """A data directory of one's own, owners kept: PostgreSQL's files belong to another user when root runs tests."""
    subprocess.run(["cp", "-a", str(prepared), str(folder)], check=True)
    return folder


def until(holds: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Look until `holds` does: other processes bring it about."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds:g} s: {what}")
        time.sleep(0.02)


class Serve:
    """One `serve` with stand-in parts, or with real ones (`command`)."""

    def __init__(self, data: Path, port: int, command: tuple[str, ...] = (sys.executable, str(STAND_IN), "serve")):
        self.data, self.port, self._command = data, port, command
        self.log = data.parent / f"serve-{port}.log"
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Serve":
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self._command,
                env=environment | {"ORIHON_DATA": str(self.data), "PORT": str(self.port), "ORIHON_DRAIN_SECONDS": "1"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        return self

    def __exit__(self, *_: object) -> None:
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    def child(self, name: str) -> int:
        """Process id of a direct child: `web`, `worker` or `postgres`."""
        found: list[int] = []

        def look() -> list[int]:
            found[:] = [child.pid for child in psutil.Process(self.pid).children() if is_called(child, name)]
            return found

        until(look, f"a child {name}")
        return found[0]

    def everything(self) -> list[psutil.Process]:
        """The supervisor and all that came of it."""
        top = psutil.Process(self.pid)
        return [top, *top.children(recursive=True)]

    def answers(self) -> bool:
        return answers(self.port)

    def until_ready(self) -> "Serve":
        def ready() -> bool:
            assert self.process is not None
            if self.process.poll() is not None:
                raise AssertionError(f"serve ended: {self.output()}")
            return self.answers()

        until(ready, "the first 200")
        return self

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def end(self, by: signal.Signals) -> int:
        assert self.process is not None
        self.process.send_signal(by)
        return self.process.wait(PATIENCE)

    def output(self) -> str:
        """What it and its parts said so far."""
        return self.log.read_text(errors="replace")


def is_called(process: psutil.Process, name: str) -> bool:
    try:
        command = process.cmdline()
    except psutil.Error:
        return False
    return bool(command) and (command[-1] == name or command[0].endswith(f"/{name}"))


def answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


def remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
