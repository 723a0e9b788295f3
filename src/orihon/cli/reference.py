"""`docs/cli.md` and `docs/configuration.md`, made from the declarations.

`python -m orihon.cli.reference docs` writes them anew; a test fails when they drift.
"""

import sys
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec
from msgspec import Meta

from orihon.cli.commands import build
from orihon.config import Env, Items, Settings, declared

_CONFIGURATION = """\
# Settings

Every setting is an environment variable, read once when a process starts. They may also stand in a file `.env` in the
working directory, one `NAME=value` a line; the environment wins. A blank value counts as unset, and a value that cannot
be used is refused at start, with the name of the variable.

*This page is made from `src/orihon/config.py` by `python -m orihon.cli.reference docs`.*

| Variable | Default | Holds | Meaning |
|---|---|---|---|
"""

_CLI = """\
<!-- Made from the commands themselves by `python -m orihon.cli.reference docs`. -->

"""

_STATUS = """
## How commands end

| Status | Meaning |
|---|---|
| 0 | Done. |
| 1 | It failed; the text on standard error says why and what to do. |
| 2 | It can never work like this: a mistyped command, a setting, a schema that this version does not know. |
| 130 | Ctrl-C. |
"""


def cli() -> str:
    """The page of every command."""
    started_as, sys.argv = sys.argv, ["orihon"]  # the generator takes the name of the program from there
    try:
        text = build().generate_docs(output_format="markdown", recursive=True)
    finally:
        sys.argv = started_as
    return _CLI + "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n" + _STATUS


def configuration() -> str:
    """The page of every setting."""
    return _CONFIGURATION + "".join(f"{_setting(*each)}\n" for each in declared())


def _setting(field: str, env: Env, kind: Any) -> str:
    text = env.text + (" Never shown." if env.secret else "")
    return f"| `{env.name}` | {_default(field)} | {_holds(kind)} | {text.replace('|', chr(92) + '|')} |"


def _default(name: str) -> str:
    field = next(field for field in msgspec.structs.fields(Settings) if field.name == name)
    if field.default_factory is not msgspec.NODEFAULT:
        return "`/var/lib/orihon` for root, else the user's data folder"  # differs by machine
    if field.default in (None, ()):
        return "unset"
    return f"`{str(field.default).lower() if isinstance(field.default, bool) else field.default}`"


def _holds(kind: Any) -> str:
    kinds = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    named = [each for each in kinds if each is not type(None)]
    bare, *notes = get_args(named[0]) if hasattr(named[0], "__metadata__") else (named[0],)
    if bare == Items:
        return "a list, separated by commas"
    limits = next((note for note in notes if isinstance(note, Meta)), None)
    if bare is int and limits:
        return f"{limits.ge} to {limits.le}" if limits.le is not None else f"{limits.ge} or more"
    return {bool: "true or false", int: "a number", Path: "a folder"}.get(bare, "text")


def write(folder: Path) -> None:
    """Write both pages into the folder of the documentation."""
    (folder / "cli.md").write_text(cli(), encoding="utf-8")
    (folder / "configuration.md").write_text(configuration(), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
