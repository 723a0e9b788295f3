"""The command line. Commands are grouped by concept, and a module is imported only when its command runs."""

import importlib
import os
import sys
from collections.abc import Callable, Sequence

from orihon.cli.output import complain
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
    sys.exit(run(sys.argv[1:]))


def run(words: Sequence[str]) -> int:
    """Run one command line; its exit status.

    0: done. 1: it failed, and the text says why. 2: it can never work like this (a mistyped command, a setting, a
    foreign schema), so that who started it need not try again. 130: Ctrl-C.
    """
    try:
        return _command(tuple(words))() or 0
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
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _command(words: tuple[str, ...]) -> Callable[[], int | None]:
    plain = _PLAIN.get(words)
    if plain is None:
        from orihon.cli.commands import parsed

        return parsed(words)
    module, _, name = plain.partition(":")
    command: Callable[[], int | None] = getattr(importlib.import_module(module), name)
    return command
