"""`orihon demo` as a person runs it: the library fills, Ctrl-C stops everything, the next start goes on."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from tests.support.serving import Serve, free_port, gone, until

COMMAND = (sys.executable, "-P", "-m", "orihon.cli")


@pytest.fixture
def data() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="orihon-demo-"))
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    yield folder / "data"
    shutil.rmtree(folder, ignore_errors=True)


def sources(data: Path) -> Any:
    listed = subprocess.run(
        [*COMMAND, "source", "list", "--json"],
        env=os.environ | {"ORIHON_DATA": str(data)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return json.loads(listed.stdout) if listed.returncode == 0 else []


def demo(data: Path, *words: str) -> Serve:
    return Serve(data, free_port(), (*COMMAND, "demo", *words))


def stop(running: Serve) -> list[psutil.Process]:
    processes = running.everything()
    assert running.end(signal.SIGINT) == 0
    return processes


def test_a_demo_fills_a_library_stops_clean_and_goes_on(data: Path) -> None:
    with demo(data) as running:
        until(lambda: (data / "supervisor.lock").exists() and (data / "postgres" / "data").exists(), "a database")
        until(lambda: any(each["chapters_ready"] for each in sources(data)), "a chapter", 60)
        processes = stop(running)
    assert gone(processes)
    site = (data / "samplesite" / "port").read_text()
    with demo(data) as again:
        until(lambda: running.pid != again.pid and "sample site is at" in again.output(), "the second start", 30)
        until(lambda: sources(data), "the list of sources")
        followed = sources(data)
        processes = stop(again)
    assert gone(processes)
    assert [each["source"]["name"] for each in followed] == ["Sample site"]
    assert followed[0]["source"]["url"] == f"http://127.0.0.1:{site.strip()}/works/"
    assert followed[0]["source"]["content"] == "all"


def test_a_folder_of_images_that_is_not_there_is_said_before_anything_starts(data: Path) -> None:
    with demo(data, "--with", str(data / "nothing")) as refused:
        assert refused.process is not None
        assert refused.process.wait(20) == 1
    assert "nothing" in refused.output()
    assert "Traceback" not in refused.output()
    assert not (data / "postgres").exists()
