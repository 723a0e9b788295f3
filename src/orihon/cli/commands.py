"""Every command by name, with one line about it. Its module is imported when it runs."""

import asyncio
import contextlib
import inspect
from collections.abc import Callable

import msgspec
from cyclopts import App, CycloptsError, CycloptsPanel, Group

from orihon import __version__
from orihon.cli.output import writing
from orihon.cli.status import UNUSABLE

_RUN = Group("Run", sort_key=1)
_LIBRARY = Group("Library", sort_key=2)
_CARE = Group("Care", sort_key=3)


class Command(msgspec.Struct, frozen=True):
    """Where a command is, and the first line of its help, so that the list of commands needs none of their modules."""

    name: str
    where: str
    group: Group
    line: str


COMMANDS = (
    Command("serve", "serve:serve", _RUN, "Run everything on this machine: PostgreSQL, web and worker."),
    Command("demo", "demo:demo", _RUN, "Run everything with a sample site that fills the library while you watch."),
    Command("web", "serve:web", _RUN, "Run the web process alone: the API, the files and the web app."),
    Command("worker", "serve:worker", _RUN, "Run a worker alone: it takes jobs until it is stopped."),
    Command("demo-site", "demo:demo_site", _RUN, "Run the sample site alone, on this machine only."),
    Command(
        "source",
        "sources:app",
        _LIBRARY,
        "What is followed: add, list, edit, run, pause, resume, remove, removed, forget, check.",
    ),
    Command("jobs", "jobs:app", _LIBRARY, "The queue: counts, list, dead, requeue."),
    Command("user", "users:app", _LIBRARY, "Accounts: add, password."),
    Command("db", "schema:app", _CARE, "The database: status, upgrade, url, binaries."),
    Command("sweep", "upkeep:sweep", _CARE, "Remove what nothing in the library needs any more."),
    Command("doctor", "doctor:doctor", _CARE, "Check the installation and say what to do."),
)

_HELP = """A self-hosted library for manga, comics and webtoons that fills itself.

Start with `orihon demo` to see a library fill, or `orihon serve` to run your own. `orihon COMMAND --help` explains a
command, with examples. Settings come from the environment and from a file `.env` in the working directory
(`docs/configuration.md`)."""


def build(*, listing: bool = False) -> App:
    """The parser. For a `listing` of commands their one-line texts do; else each tells its own, longer one."""
    app = App(name="orihon", version=__version__, help=_HELP, help_format="markdown")
    for command in COMMANDS:
        text = {"help": command.line} if listing else {}
        app.command(f"orihon.cli.{command.where}", name=command.name, group=command.group, **text)
    return app


def parsed(words: tuple[str, ...]) -> Callable[[], int | None]:
    """The command of a command line, ready to run; a mistake in it is shown with what was expected."""

    def command() -> int | None:
        app = build(listing=words in {(), ("--help",), ("-h",)})
        try:
            chosen, given, _ = app.parse_args(words, exit_on_error=False, print_error=False)
        except CycloptsError as error:
            # What keeps it from being read does not change how the command ends.
            with contextlib.suppress(OSError):
                (error.console or app.error_console).print(CycloptsPanel(error))
            return UNUSABLE
        if "console" in given.arguments:  # of the parser's own: help, version
            with writing():
                chosen(*given.args, **given.kwargs)
            return None
        result = chosen(*given.args, **given.kwargs)
        if inspect.iscoroutine(result):
            result = asyncio.run(result)
        return result if isinstance(result, int) else None

    return command
