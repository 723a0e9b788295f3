"""The key tables of `docs/site-profiles.md`, made from the declarations.

`python -m orihon.sources.html.reference docs/site-profiles.md` writes them anew; a test fails when they drift.
"""

import re
import sys
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import Meta

from orihon.sources.html.loading import table_of
from orihon.sources.html.profile import Profile, Table, Value
from orihon.sources.html.text import Css, Pattern

BEGIN = "<!-- keys: made from src/orihon/sources/html/profile.py -->"
END = "<!-- end of keys -->"


_WORDS = re.compile(r"Literal\[(.*?)\]")


def tables() -> list[tuple[str, type[Table]]]:
    """Every table of a profile once, by its name in TOML, in the order of reading."""
    found: list[tuple[str, type[Table]]] = []

    def add(name: str, kind: type[Table]) -> None:
        if all(kind is not known for _, known in found):
            found.append((name, kind))
            for key, hint in get_type_hints(kind, include_extras=True).items():
                if inner := table_of(hint):
                    add(f"{name}.{key}" if name else key, inner)

    add("", Profile)
    return found


def markdown() -> str:
    """The key tables as Markdown."""
    return "\n\n".join(_section(name, kind) for name, kind in tables())


def written(text: str) -> str:
    """A document with its key tables made anew.

    Raises:
        ValueError: the document lacks the marks between which they stand.
    """
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"The document lacks the marks {BEGIN} and {END}.")
    return f"{before}{BEGIN}\n\n{markdown()}\n\n{END}{after}"


def _section(name: str, kind: type[Table]) -> str:
    title = _HEADINGS.get(kind.__name__) or (f"`[{name}]`" if name else "The profile itself")
    rows = [f"### {title}", "", *(kind.__doc__ or "").replace("\n    ", "\n").strip().splitlines(), ""]
    rows += ["| Key | Holds | Default | Meaning |", "|---|---|---|---|"]
    hints = get_type_hints(kind, include_extras=True)
    shared = set(Value.__struct_fields__) if kind is not Value and issubclass(kind, Value) else set()
    for field in msgspec.structs.fields(kind):
        if field.name in shared:
            continue
        hint = hints[field.name]
        meta = next(note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Meta))
        text = (meta.description or "").replace("|", "\\|")
        rows.append(f"| `{field.name}` | {_holds(hint)} | {_default(field)} | {text} |")
    return "\n".join(rows)


_HEADINGS = {
    "Value": "A value",
    "StatusWords": "`[title.status]`",
    "DirectionWords": "`[title.reading_direction]`",
    "Key": "`[listing.key]` and `[title.chapters.key]`",
    "Paging": "`[listing.paging]`, `[title.chapters.paging]` and `[reader.paging]`",
}


def _holds(hint: Any) -> str:
    table = table_of(hint)
    if table:
        return "a value" if table is Value else "a table"
    bare = str(hint.__origin__)
    for kind, word, words in ((Css, "a selector", "selectors"), (Pattern, "a pattern", "patterns")):
        if kind.__name__ in bare:
            return words if "tuple" in bare else word
    if "dict" in bare:
        return "a table of texts"
    if literal := _WORDS.search(bare):
        choices = ", ".join(f"`{word.strip(chr(39))}`" for word in literal[1].split(", "))
        return f"some of {choices}" if "tuple" in bare else f"one of {choices}"
    if "tuple" in bare:
        return "texts"
    return "`true` or `false`" if "bool" in bare else "a text"


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "**needed**"
    value = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    return _shown(value)


def _shown(value: object) -> str:
    match value:
        case None | () | "" | Table() | dict():
            return ""
        case bool():
            return f"`{str(value).lower()}`"
        case tuple():
            return ", ".join(_shown(part) for part in value)
        case Css() | Pattern():
            return f"`{value.text}`"
        case _:
            return f"`{value}`"


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text(encoding="utf-8")), encoding="utf-8")
