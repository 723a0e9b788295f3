"""`python -m bench [rows or modules...]`: measure, print a table, and write bench/results/latest.json."""

import asyncio
import importlib
import sys
from types import ModuleType

from bench import harness

MODULES = ("startup", "library", "queueing", "serving", "first_view", "page_turn", "crawl", "feed")
"""In the order in which they run."""


def chosen(arguments: list[str]) -> list[tuple[ModuleType, set[str]]]:
    """The modules to run, and which of their rows.

    Raises:
        SystemExit: a name is none of ours.
    """
    modules = {name: importlib.import_module(f"bench.{name}") for name in MODULES}
    known = {row for module in modules.values() for row in module.ROWS}
    if strange := set(arguments) - known - set(MODULES):
        raise SystemExit(f"No such row: {', '.join(sorted(strange))}. There are: {', '.join(sorted(known))}.")
    wanted = [
        (module, set(module.ROWS) if not arguments or name in arguments else set(module.ROWS) & set(arguments))
        for name, module in modules.items()
    ]
    return [(module, rows) for module, rows in wanted if rows]


async def main(arguments: list[str]) -> int:
    """Measure; the exit status is 1 when something could not be measured."""
    status = 0
    merged: list[harness.Row] = []
    for module, names in chosen(arguments):
        harness.say(f"{module.__name__}: {', '.join(sorted(names))}")
        try:
            async for row in module.run(names):
                harness.say(f"{row.name} = {row.value:.3g} {row.unit} {harness.verdict(row)}")
                merged = harness.merge([row])
        except (harness.Missing, harness.Wrong) as error:
            harness.say(f"{module.__name__} was not measured: {error}")
            status = 1
    print(harness.table(merged))
    return status


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
