"""What reaches the log, and what never does."""

import json
import subprocess
import sys

CODE = """
import structlog
from orihon.runtime import logs

logs.configure(json={json})
log = structlog.get_logger("test")
def failing(password):
    raise ValueError("no")
try:
    failing("hunter2-secret")
except ValueError:
    log.exception("it failed", source="a")
"""


def logged(*, as_json: bool) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(json=as_json)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "", "logs go to standard error"
    return done.stderr


def test_values_of_variables_never_reach_the_log() -> None:
    for as_json in (False, True):
        text = logged(as_json=as_json)
        assert "ValueError: no" in text
        assert "hunter2-secret" not in text.replace('failing("hunter2-secret")', "")


def test_json_is_one_object_per_line() -> None:
    (line,) = logged(as_json=True).splitlines()
    told = json.loads(line)
    assert (told["event"], told["level"], told["source"]) == ("it failed", "error", "a")
    assert "ValueError" in told["exception"]
