"""Conditional and partial requests for bytes that never change (RFC 9110 sections 13 and 14)."""

import re
from typing import Literal

_RANGE = re.compile(r"bytes=\s*(\d*)\s*-\s*(\d*)\s*", re.ASCII)

_MOST_DIGITS = 18


def matches(if_none_match: str | None, etag: str) -> bool:
    """Whether the client says that it has this version; compared weakly, as the rule is for GET."""
    if if_none_match is None:
        return False
    if if_none_match.strip() == "*":
        return True
    return any(tag.strip().removeprefix("W/") == etag for tag in if_none_match.split(","))


def span(
    asked: str | None, if_range: str | None, etag: str, size: int
) -> tuple[int, int] | None | Literal["unsatisfiable"]:
    """First and last byte of the one range asked for; None for the whole.

    What is no single range of bytes, or stands under an `If-Range` that does not name this version, is not obeyed.
    """
    if asked is None or (if_range is not None and if_range.strip() != etag):
        return None
    found = _RANGE.fullmatch(asked.strip())
    if found is None or any(len(digits) > _MOST_DIGITS for digits in found.groups()):
        return None
    first, last = found.groups()
    if not first:
        if not last:
            return None
        length = int(last)
        return (max(size - length, 0), size - 1) if length > 0 and size > 0 else "unsatisfiable"
    if last and int(last) < int(first):
        return None
    if int(first) >= size:
        return "unsatisfiable"
    return int(first), min(int(last), size - 1) if last else size - 1
