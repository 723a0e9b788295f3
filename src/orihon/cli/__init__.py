"""The command line. Commands are grouped by concept, and a module is imported only when its command runs."""

import importlib
import sys
from collections.abc import Callable, Sequence

from orihon.cli.output import complain, flush, open_streams, unplug
from orihon.cli.status import FAILED, INTERRUPTED, UNUSABLE, CommandFailed
from orihon.config import ConfigError
from orihon.db.errors import DatabaseError, SchemaMismatch

# The long-lived processes, as the supervisor and a service manager start them: nothing is left to parse, so the
# parser is not loaded (it costs each of them 0.1 s and 7 MB).
_PLAIN: dict[tuple[str, ...], str] = {
    ("serve",): "orihon.cli.serve:serve",
    ("web",): "orihon.cli.serve:web",
    ("worker",): "orihon.cli.serve:worker",
}


def main() -> None:
    """The program `orihon`."""
    open_streams()
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run one command line; its exit status.

    0: done. 1: it failed, and the text says why. 2: it can never work like this (a mistyped command, a setting, a
    foreign schema), so that who started it need not try again. 130: Ctrl-C.
    """
    for word in words:
        if _is_no_text(word):
            complain(f"“{word}” holds bytes that are no text in UTF-8. If it is a file's name, rename the file.")
            return UNUSABLE
    try:
        return _done(tuple(words))
    except (ConfigError, SchemaMismatch) as error:
        complain(str(error))
        return UNUSABLE
    except CommandFailed as error:
        complain(str(error))
        return error.status
    except DatabaseError as error:
        complain(str(error))
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `orihon jobs list | head`
        unplug()
        return FAILED


def _done(words: tuple[str, ...]) -> int:
    status = _command(words)() or 0
    flush()
    return status


def _is_no_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return True
    return False


def _command(words: tuple[str, ...]) -> Callable[[], int | None]:
    plain = _PLAIN.get(words)
    if plain is None:
        from orihon.cli.commands import parsed

        return parsed(words)
    module, _, name = plain.partition(":")
    command: Callable[[], int | None] = getattr(importlib.import_module(module), name)
    return command
