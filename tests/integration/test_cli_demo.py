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

from orihon.samplesite.creators import Creators

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


def doctor(data: Path) -> str:
    return subprocess.run(
        [*COMMAND, "doctor"], env=os.environ | {"ORIHON_DATA": str(data)}, capture_output=True, text=True, check=False
    ).stdout


def demo(data: Path, *words: str) -> Serve:
    return Serve(data, free_port(), (*COMMAND, "demo", *words))


def stop(running: Serve) -> list[psutil.Process]:
    processes = running.everything()
    assert running.end(signal.SIGINT) == 0
    return processes


def test_a_demo_fills_a_library_stops_clean_and_goes_on(data: Path) -> None:
    with demo(data) as running:
        until(lambda: (data / "supervisor.lock").exists() and (data / "postgres" / "data").exists(), "a database")
        assert "orihon demo on port" in doctor(data)
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
    catalogue = [each["source"] for each in followed if each["source"]["kind"] == "catalogue"]
    assert [source["name"] for source in catalogue] == ["Sample site"]
    assert catalogue[0]["url"] == f"http://127.0.0.1:{site.strip()}/works/"
    assert catalogue[0]["content"] == "all"
    creators = {each["source"]["url"]: each["source"]["name"] for each in followed if each["source"]["kind"] == "feed"}
    there = {f"http://127.0.0.1:{site.strip()}/api/creators/{one.slug}": one.name for one in Creators.sample().all}
    assert creators == there


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc which signals are handled")
def test_a_demo_that_is_stopped_at_its_very_start_ends(data: Path) -> None:
    """Started with `&` from a script, where SIGINT is ignored, and before anything runs that could be stopped."""
    ignoring = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
    )
    with Serve(data, free_port(), (sys.executable, "-c", ignoring, *COMMAND, "demo")) as running:
        until(lambda: takes_sigint(running.pid), "a handler", 20)
        assert running.end(signal.SIGINT) in {0, 130}
    assert "Traceback" not in running.output()


def takes_sigint(pid: int) -> bool:
    """Whether the demo itself, and not what it was started by, handles SIGINT, as the kernel tells."""
    process = Path(f"/proc/{pid}")
    if b"-c" in (process / "cmdline").read_bytes().split(b"\0"):
        return False
    status = dict(line.split(":\t", 1) for line in (process / "status").read_text().splitlines() if ":\t" in line)
    return bool(int(status["SigCgt"], 16) >> signal.SIGINT - 1 & 1)


def test_a_folder_of_images_that_is_not_there_is_said_before_anything_starts(data: Path) -> None:
    with demo(data, "--with", str(data / "nothing")) as refused:
        assert refused.process is not None
        assert refused.process.wait(20) == 1
    assert "nothing" in refused.output()
    assert "Traceback" not in refused.output()
    assert not (data / "postgres").exists()
