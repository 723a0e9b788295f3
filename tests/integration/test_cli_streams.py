"""The standard streams as they can be: closed, full, or a terminal that obeys what it is shown."""

import subprocess
import sys
from pathlib import Path

import pytest

from orihon.cli.output import shown

COMMAND = f"{sys.executable} -m orihon.cli db binaries"


def told(line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_runs_without_its_standard_streams(closed: str) -> None:
    ended = told(f"{COMMAND} {closed}")
    assert (ended.returncode, ended.stderr) == (0, "")


def test_an_error_that_cannot_be_told_keeps_its_status() -> None:
    assert told(f"DATABASE_URL= PORT=x {sys.executable} -m orihon.cli web 2>&-").returncode == 2
    assert told(f"DATABASE_URL= PORT=x {sys.executable} -m orihon.cli web 2>/dev/full").returncode == 2
    assert told(f"{sys.executable} -m orihon.cli nonsense 2>/dev/full").returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("words", ["db binaries", "--help", "jobs --help", "--version"])
def test_a_result_that_finds_no_room_is_told_in_words(words: str) -> None:
    ended = told(f"{sys.executable} -m orihon.cli {words} >/dev/full")
    assert ended.returncode == 1
    assert ended.stderr == "orihon: The result could not be written: No space left on device.\n"


def test_bytes_that_are_no_text_are_refused_in_words() -> None:
    """A word with them cannot be asked of the database, nor written to a file of settings."""
    ended = told(rf"{sys.executable} -m orihon.cli jobs dead --kind $(printf '\377')")
    assert (ended.returncode, "no text in UTF-8" in ended.stderr, "Traceback" in ended.stderr) == (2, True, False)
    ended = told(rf"ORIHON_DATA=/tmp/$(printf '\377') {sys.executable} -m orihon.cli jobs")
    assert (ended.returncode, ended.stderr.startswith("orihon: ORIHON_DATA: ")) == (2, True)


@pytest.mark.parametrize("text", ["\x1b[2J", "\x9b2J", "\x07", "\u202egpj.exe", "\u2066x", "\r", "\udcff"])
def test_a_terminal_is_shown_nothing_that_it_would_obey(text: str) -> None:
    """A name at a site may hold anything; one with an escape sequence could empty the screen or forge lines."""
    assert shown(text)[0] == "\ufffd"


def test_letters_of_every_script_and_emoji_are_shown_as_they_are() -> None:
    text = "水野 はる, Łódź, عربي, 👩\u200d👩\u200d👧,\ta\nb"
    assert shown(text) == text
