"""Values as a profile describes them: found, cleaned, bounded."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import TypeVar

from selectolax.lexbor import LexborNode

from orihon.sources.html.profile import Value
from orihon.sources.html.text import Pattern, Scope, collapsed, every, visible

LONGEST = 500
LONGEST_PARAGRAPHS = 20_000
MOST_VALUES = 500

_COUNT = re.compile(r" ?\([0-9]{1,9}\)$")

Meaning = TypeVar("Meaning")


def attribute(node: LexborNode, names: tuple[str, ...]) -> str | None:
    """The first of these attributes that is not blank, trimmed."""
    attributes = node.attributes
    return next((value for name in names if (value := (attributes.get(name) or "").strip())), None)


def one(scope: Scope, value: Value) -> str | None:
    """The first value that is there."""
    return next(_found(scope, value), None)


def many(scope: Scope, value: Value) -> tuple[str, ...]:
    """Every value once, in the order of the page."""
    found: dict[str, None] = {}
    for text in _found(scope, value):
        found[text] = None
        if len(found) == MOST_VALUES:
            break
    return tuple(found)


def paragraphs(scope: Scope, value: Value) -> str | None:
    """All values as paragraphs of one text."""
    return "\n\n".join(_found(scope, value, LONGEST_PARAGRAPHS))[:LONGEST_PARAGRAPHS].strip() or None


def meant(text: str | None, meanings: Mapping[str, Meaning]) -> Meaning | None:
    """What the site's word stands for, in any case."""
    if text is None:
        return None
    return {collapsed(word).casefold(): meaning for word, meaning in meanings.items()}.get(text.casefold())


def number_in(text: str | None, patterns: tuple[Pattern, ...]) -> Decimal | None:
    """The chapter number in a text by the first pattern that fits; None for a notice (DESIGN ruling 1)."""
    for pattern in patterns if text else ():
        if found := pattern.within(text or ""):
            return Decimal(found["number"])
    return None


def _found(scope: Scope, value: Value, longest: int = LONGEST) -> Iterator[str]:
    nothing = {collapsed(word).casefold() for word in value.ignore}
    for raw in _raw(scope, value):
        text = collapsed(raw)
        if value.label and text.casefold().startswith(value.label.casefold()):
            text = text[len(value.label) :]
        for part in _split(text, value.split):
            clean = part.strip()
            if value.strip_count:
                clean = _COUNT.sub("", clean)
            if visible(clean) and clean.casefold() not in nothing:
                yield clean[:longest].rstrip()


def _raw(scope: Scope, value: Value) -> Iterator[str]:
    nodes = every(scope, value.select) if value.select else [scope]
    for node in nodes:
        if not value.attr:
            yield node.text() or ""
        elif isinstance(node, LexborNode) and (text := attribute(node, value.attr)):
            yield text


def _split(text: str, separators: tuple[str, ...]) -> list[str]:
    parts = [text]
    for separator in separators:
        if separator:
            parts = [piece for part in parts for piece in part.split(separator)]
    return parts
