"""What commands print: results on standard output, everything else on standard error."""

import contextlib
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec


def say(text: str) -> None:
    """A word about what happens. Nobody has to listen: a closed terminal must not keep a supervisor from stopping."""
    with contextlib.suppress(OSError):
        sys.stderr.write(f"orihon: {text}\n")
        sys.stderr.flush()


def complain(text: str) -> None:
    """An error, in words."""
    sys.stderr.write(f"orihon: {text}\n" if not sys.stderr.isatty() else f"\x1b[31morihon:\x1b[0m {text}\n")
    sys.stderr.flush()


def line(text: str) -> None:
    """One line of the result."""
    sys.stdout.write(f"{text}\n")


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

    shown = Table(box=None, header_style="bold", pad_edge=False)
    for index, column in enumerate(columns):
        shown.add_column(column, overflow="fold", no_wrap=index > 0)
    for entry, *cells in rows:
        # Text: nothing from outside is read as markup.
        first = Text(_words(entry.name))
        for line_below in entry.below:
            if line_below is not None:
                first.append(f"\n{line_below}", style="dim")
        shown.add_row(first, *(Text(_words(cell)) for cell in cells))
    if shown.row_count:
        Console().print(shown)
    else:
        line(empty)


def _words(cell: object) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, datetime):
        return ago(cell, datetime.now(UTC))
    return str(cell)


def ago(moment: datetime, now: datetime) -> str:
    """A moment as a person says it: `5 min ago`, `in 2 h`."""
    seconds = (now - moment).total_seconds()
    amount = abs(seconds)
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")):
        if amount >= size:
            text = f"{int(amount // size)} {unit}"
            return f"{text} ago" if seconds > 0 else f"in {text}"
    return "now"
