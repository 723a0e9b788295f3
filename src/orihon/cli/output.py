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


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, empty: str) -> None:
    """The result for a person. `empty` is said instead of a table without rows."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        shown.add_column(column, overflow="fold")
    for row in rows:
        shown.add_row(*(Text(_words(cell)) for cell in row))  # Text: nothing from outside is read as markup
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
