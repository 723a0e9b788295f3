"""What a profile says about text: patterns with placeholders, and CSS selectors.

A profile comes from a person and the text from a hostile site, so a profile holds no regular expressions: a pattern is
literal text with a few placeholders. What it compiles to has at most one open-ended part and is applied to a bounded
text, so no pair of profile and page can make it run away.
"""

import re
from collections.abc import Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

_LONGEST_PATTERN = 200
_LONGEST_SELECTOR = 500
_LONGEST_TEXT = 2_000
_MOST_PLACEHOLDERS = 4

_PLACEHOLDER = re.compile(r"\{(\w*)\}")
# A chapter number fits numeric(9,3): longer runs of digits are dates and ids. Digits of any script count in prose.
_NUMBER = r"(?<!\d)(?P<number>\d{1,6}(?:\.\d{1,3})?)(?!\d)"
_WHOLE = r"(?<![0-9])(?P<{}>[0-9]{{1,9}})(?![0-9])"
_PARTS = {
    "number": _NUMBER,
    "digits": _WHOLE.format("digits"),
    "page": _WHOLE.format("page"),
    "last": _WHOLE.format("last"),
    "any": r".*?",
}


class Pattern:
    """Literal text with placeholders.

    `{number}` is a number such as 12 or 10.5, `{digits}`, `{page}` and `{last}` are whole numbers, `{any}` (once) is
    any text. A blank stands for any run of blanks.
    """

    __slots__ = ("_anywhere", "_whole", "text")

    def __init__(self, text: str) -> None:
        """Read a pattern.

        Raises:
            ValueError: it is empty, too long, or has a placeholder that is unknown or stands twice.
        """
        if not text.strip() or len(text) > _LONGEST_PATTERN:
            raise ValueError(f"a pattern has 1 to {_LONGEST_PATTERN} characters")
        parts: list[str] = []
        seen: list[str] = []
        # Every second piece is the name of a placeholder.
        for index, part in enumerate(_PLACEHOLDER.split(text)):
            if index % 2 == 0:
                parts.append(re.sub(r"(?:\\ )+", r"\\s+", re.escape(part)))
                continue
            if part not in _PARTS:
                known = ", ".join(f"{{{name}}}" for name in _PARTS)
                raise ValueError(f"`{{{part}}}` is no placeholder; there are {known}")
            if part in seen or len(seen) == _MOST_PLACEHOLDERS:
                raise ValueError(f"`{{{part}}}` stands twice in the pattern")
            seen.append(part)
            parts.append(_PARTS[part])
        self.text = text
        self._whole = re.compile("".join(parts), re.DOTALL)
        self._anywhere = re.compile("".join(parts), re.DOTALL | re.IGNORECASE)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    @property
    def names(self) -> frozenset[str]:
        """The placeholders that it holds."""
        return frozenset(self._whole.groupindex) | ({"any"} if "{any}" in self.text else frozenset())

    def whole(self, text: str) -> dict[str, str] | None:
        """What the placeholders stand for if this is the whole text, upper and lower case told apart."""
        match = self._whole.fullmatch(text[:_LONGEST_TEXT])
        return match and match.groupdict()

    def within(self, text: str) -> dict[str, str] | None:
        """What the placeholders stand for at the first place where the text has this pattern, in any case."""
        match = self._anywhere.search(text[:_LONGEST_TEXT])
        return match and match.groupdict()


class Css:
    """A CSS selector, known to parse."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Read a selector.

        Raises:
            ValueError: the parser does not understand it.
        """
        if not text.strip() or len(text) > _LONGEST_SELECTOR:
            raise ValueError(f"a selector has 1 to {_LONGEST_SELECTOR} characters")
        try:
            LexborHTMLParser("").css(text)
        except SelectolaxError as error:
            raise ValueError(f"`{text}` is not a CSS selector that the parser understands") from error
        self.text = text

    def __repr__(self) -> str:
        return f"Css({self.text!r})"


Scope = LexborHTMLParser | LexborNode


def every(scope: Scope, css: Css) -> list[LexborNode]:
    """Every element that the selector finds at or below the scope, once, in document order of the first match."""
    # The parser repeats an element for each alternative of `a, b` that it matches.
    found: dict[int, LexborNode] = {}
    for node in scope.css(css.text):
        found.setdefault(node.mem_id, node)
    return list(found.values())


def first(scope: Scope, css: Css) -> LexborNode | None:
    """The first element that the selector finds."""
    return scope.css_first(css.text)


def present(scope: Scope, selectors: Sequence[Css]) -> Css | None:
    """The first of these selectors that finds anything."""
    return next((css for css in selectors if first(scope, css) is not None), None)


# A terminal obeys the one kind, and the other turns round what stands beside a text wherever it is shown.
_COMMANDS = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")


def collapsed(text: str) -> str:
    """The text with every run of blanks and line breaks as one space, without control and direction characters."""
    return " ".join(_COMMANDS.sub("", text).split())


def visible(text: str) -> bool:
    """Whether there is anything to see in it: a name of zero-width characters is none."""
    return any(character.isprintable() and not character.isspace() for character in text)


def words(node: LexborNode) -> str:
    """All the text inside an element, joined and collapsed (crawler-support 9.5)."""
    return collapsed(node.text())
