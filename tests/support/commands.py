"""Commands of the program, with no settings but those that a test names."""

import asyncio
import io
import json
import os
import sys
from collections.abc import Mapping
from typing import Any
from unittest import mock

import msgspec

from orihon.cli import run
from orihon.config import declared


class Ended(msgspec.Struct):
    """How a command ended and what it wrote."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Its result, for scripts; it must have succeeded."""
        assert self.status == 0, self.err
        return json.loads(self.out)


async def orihon(*words: str, feed: str = "", **variables: object) -> Ended:
    """Run one command in a thread, since a process for each would cost half a minute.

    `variables` are all that it finds of settings.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        mock.patch.dict(os.environ, _environment({"COLUMNS": 200} | variables), clear=True),
        mock.patch.multiple(sys, stdin=io.StringIO(feed), stdout=out, stderr=err),
    ):
        status = await asyncio.to_thread(run, words)
    assert "Traceback" not in err.getvalue(), err.getvalue()
    return Ended(status, out.getvalue(), err.getvalue())


async def process(*words: str, **variables: object) -> Ended:
    """Run one command as a person does."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "orihon.cli", *words,
        env=_environment(variables),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert "Traceback" not in err.decode(), err.decode()
    return Ended(process.returncode or 0, out.decode(), err.decode())


def _environment(variables: Mapping[str, object]) -> dict[str, str]:
    settings = {env.name for _, env, _ in declared()}
    environment = {name: value for name, value in os.environ.items() if name not in settings}
    return environment | {name: str(value) for name, value in variables.items()}
