"""What commands print: results on standard output, everything else on standard error."""

import contextlib
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from orihon.cli.status import CommandFailed

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))

# What would move the cursor, colour the screen, turn the direction of writing, or is no text at all.
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def open_streams() -> None:
    """Give a program that was started without standard streams (`>&-`) ones that lead nowhere.

    Else Python has none, and the next file that is opened, a lock or a socket, would take their numbers.
    """
    for number, (name, mode) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def unplug() -> None:
    """Let what is still to be written to standard output go nowhere; its end would fail once more."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Results are written in here.

    Raises:
        CommandFailed: there is no room for them.
        BrokenPipeError: nobody reads them any more.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        unplug()
        raise CommandFailed(f"The result could not be written: {error.strerror}.") from error


def shown(text: str) -> str:
    """Text that may come from outside, as a terminal can show it without obeying it."""
    return _UNSHOWN.sub("\ufffd", text)


def say(text: str) -> None:
    """A word about what happens. Nobody has to listen: a closed terminal must not keep a supervisor from stopping."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"orihon: {text}\n")
        sys.stderr.flush()


def complain(text: str) -> None:
    """An error, in words. What keeps it from being read does not change how the command ends."""
    with contextlib.suppress(OSError):
        name = "\x1b[31morihon:\x1b[0m" if sys.stderr.isatty() else "orihon:"
        sys.stderr.write(f"{name} {shown(text)}\n")
        sys.stderr.flush()


def line(text: str) -> None:
    """One line of the result, or a few."""
    with writing():
        sys.stdout.write(f"{shown(text)}\n")


def flush() -> None:
    """Have the results of so far written."""
    with writing():
        sys.stdout.flush()


def as_json(value: Any) -> None:
    """The result for a script."""
    line(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


class Entry(msgspec.Struct, frozen=True):
    """What a row is about, with what is too long for a column of its own in lines below it."""

    name: object
    below: tuple[object, ...] = ()


def table(columns: Sequence[str], rows: Iterable[tuple[Entry, *tuple[object, ...]]], *, empty: str) -> None:
    """The result for a person, as wide as the terminal. `empty` is said instead of a table without rows.

    Only the first column gives way where there is little room; the others hold what is short.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = Table(box=None, header_style="bold", pad_edge=False)
    for index, column in enumerate(columns):
        lines.add_column(column, overflow="fold", no_wrap=index > 0)
    for entry, *cells in rows:
        # Text: nothing from outside is read as markup.
        first = Text(_words(entry.name))
        for line_below in entry.below:
            if line_below is not None:
                first.append(f"\n{shown(str(line_below))}", style="dim")
        lines.add_row(first, *(Text(_words(cell)) for cell in cells))
    if lines.row_count:
        with writing():
            Console().print(lines)
    else:
        line(empty)


def _words(cell: object) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, datetime):
        return ago(cell, datetime.now(UTC))
    return shown(str(cell))


def ago(moment: datetime, now: datetime) -> str:
    """A moment as a person says it: `5 min ago`, `in 2 h`."""
    seconds = (now - moment).total_seconds()
    amount = abs(seconds)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        if amount >= size:
            text = f"{int(amount // size)} {unit}"
            return f"{text} ago" if seconds > 0 else f"in {text}"
    return "now"
