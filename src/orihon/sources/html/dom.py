"""From bytes to a tree, without letting a hostile page cost more than a real one.

The parser neither crashes nor overflows its stack, but three shapes of markup cost it far more than their size: deep
nesting and tags with thousands of attributes (quadratic time), and formatting elements that are never closed, which
HTML reopens in every later block (quadratic memory: 34 kB can become 4 GB). Each is counted before parsing. The counts
err towards refusal, and their limits lie far above what sites send.

A tree can cost more than its markup, too: who reads the text of each element reads a text as often as it is nested.
So the tree is measured before anybody looks at it.
"""

import codecs
import re
from collections import Counter
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser

from orihon.sources.adapter import Unreadable

MOST_BYTES = 4 * 1024 * 1024
MOST_TAGS = 120_000
MOST_UNCLOSED = 20_000
MOST_ATTRIBUTES = 3_000
MOST_REOPENED = 500_000
MOST_DEPTH = 512
"""Browsers nest no deeper, either."""
MOST_NESTED_TEXT = 32_000_000
"""Characters, each counted once for every element around it: what reading the text of every element costs."""

# WHATWG: what sites call latin-1, Shift JIS and so on is in truth the superset that Windows used.
_SUPERSETS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "shift_jis": "cp932", "euc_kr": "cp949",
    "gb2312": "gb18030", "gbk": "gb18030",
}  # fmt: skip
# Text encodings of Python that no page means, and that a hostile page could choose.
_NO_CHARSETS = {"idna", "punycode", "raw_unicode_escape", "unicode_escape", "utf-7", "undefined", "mbcs", "oem"}
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_IN_HEADER = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_IN_META = re.compile(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_META_WITHIN = 1024

# Sites leave these open by the thousand, and HTML closes them: they nest only inside others that count.
_CLOSED_BY_THE_NEXT = {"p", "td", "th", "tr"}
_NAME = re.compile(r"<(/?[a-zA-Z][^\s/>]{0,40})")
_FORMATTING = re.compile(
    r"<(b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])"
    r"(?P<plain>(?: [\w-]+=\"[^\"<>]*\")*>)?(?P<closed>[^<]*</\1>)?",
    re.IGNORECASE,
)
# Attributes as the HTML tokenizer reads them, tried from every place that could be the start of a tag, so that no quote
# or comment hides one. Possessive, so that nothing is read twice.
_CROWDED = re.compile(
    r"<[a-zA-Z][^\t\n\f\r />]*+"
    r"(?>[\t\n\f\r /]*+(?:=[^\t\n\f\r />=]*+|[^\t\n\f\r />=]++)"
    r"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'][^\t\n\f\r >]*+))?+)"
    rf"{{{MOST_ATTRIBUTES}}}"
)


class _Cost(NamedTuple):
    found: int
    most: int
    what: str


def parse(body: bytes, content_type: str) -> LexborHTMLParser:
    """The tree of a page, as a browser that runs scripts would build it (the content of `noscript` is no markup).

    Raises:
        Unreadable: the page is larger, or more tangled, than any page that people read.
    """
    if len(body) > MOST_BYTES:
        raise Unreadable(f"The page has {len(body):,} bytes; more than {MOST_BYTES:,} are not read.")
    text = decode(body, content_type)
    for cost in _costs(text):
        if cost.found > cost.most:
            raise Unreadable(
                f"The page has {cost.found:,} {cost.what}; more than {cost.most:,} are not read, since such markup "
                "takes minutes or gigabytes to parse. Open the address in a browser: is it the page that you expect?"
            )
    if _CROWDED.search(text):
        raise Unreadable(f"The page has a tag with {MOST_ATTRIBUTES:,} attributes or more, which is not read.")
    tree = LexborHTMLParser(text, scripting=True)
    _refuse_tangled(tree)
    return tree


def _refuse_tangled(tree: LexborHTMLParser) -> None:
    node, depth, nested = tree.root, 1, 0
    while node is not None:
        if node.is_text_node:
            nested += depth * len(node.text_content or "")
        if depth > MOST_DEPTH or nested > MOST_NESTED_TEXT:
            raise Unreadable(
                "The page is nested more deeply than any page that people see, so it is not read: its text would cost "
                "minutes to take out. Open the address in a browser: is it the page that you expect?"
            )
        onward = node.first_child
        depth += 1
        while onward is None and node is not None:
            onward = node.next
            depth -= 1
            node = node.parent
        node = onward


def decode(body: bytes, content_type: str) -> str:
    """The text of a page: by its byte order mark, the header, its `meta` element, else UTF-8. Never fails."""
    for mark, encoding in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, errors="replace")
    header = _IN_HEADER.search(content_type)
    meta = _IN_META.search(body[:_META_WITHIN])
    for label in (header and header[1], meta and meta[1].decode("ascii", errors="replace")):
        if label and (named := _encoding(label)):
            # A page that calls itself UTF-16 in ASCII letters is not.
            return body.decode("utf-8" if named.startswith(("utf-16", "utf-32")) else named, errors="replace")
    return body.decode("utf-8", errors="replace")


def _encoding(label: str) -> str | None:
    try:
        name = codecs.lookup(label).name
        if name in _NO_CHARSETS:
            return None
        b" ".decode(name, errors="replace")  # LookupError: a codec such as zlib, which makes no text
    except LookupError:
        return None
    return _SUPERSETS.get(name, name)


def _costs(text: str) -> list[_Cost]:
    tags = Counter(name.lower() for name in _NAME.findall(text))
    # End tags that match nothing must not make up for elements that stay open.
    opened = {name: count for name, count in tags.items() if name[0] != "/"}
    unclosed = sum(
        max(0, count - tags[f"/{name}"]) for name, count in opened.items() if name not in _CLOSED_BY_THE_NEXT
    )
    return [
        _Cost(tags.total(), MOST_TAGS, "tags"),
        _Cost(unclosed, MOST_UNCLOSED, "elements that are never closed"),
        _Cost(_unclosed_formatting(text) * sum(opened.values()), MOST_REOPENED, "formatting elements to open again"),
    ]


def _unclosed_formatting(text: str) -> int:
    """At most how many formatting elements can be open at once for HTML to open again.

    One that holds only text is closed for certain. Of equal ones HTML keeps three. Anything unusual counts as unequal.
    """
    plain: dict[str, int] = {}
    odd = 0
    for found in _FORMATTING.finditer(text):
        if not found["plain"]:
            odd += 1
        elif not found["closed"]:
            tag = found[1] + found["plain"]
            plain[tag] = min(3, plain.get(tag, 0) + 1)
    return odd + sum(plain.values())
