"""Query parameters: those that are clamped, and those that a person can mistype."""

from collections.abc import Collection
from typing import Annotated, TypeVar, cast

from litestar.params import QueryParameter

from orihon.api.errors import invalid

T = TypeVar("T", bound=str)

MOST = 200
DEEPEST = 2**31 - 1

Limit = Annotated[int, QueryParameter(name="limit", description="Most items; clamped to what the list allows.")]
Offset = Annotated[int, QueryParameter(name="offset", description="Items to skip; less than 0 counts as 0.")]


def clamp_limit(limit: int, most: int = MOST) -> int:
    """1 to `most`; whoever asks for more gets less, without an error (public-api-auth 1.5)."""
    return min(max(limit, 1), most)


def clamp_offset(offset: int) -> int:
    """0 or more."""
    return min(max(offset, 0), DEEPEST)


def choice(field: str, text: str | None, allowed: Collection[T], aliases: dict[str, T] | None = None) -> T | None:
    """One of a set of words, trimmed; None when nothing is said.

    Raises:
        ApiError: 422, `details` `{field: "invalid"}`.
    """
    word = (text or "").strip()
    if not word:
        return None
    if word in allowed:
        return cast("T", word)
    if aliases and word in aliases:
        return aliases[word]
    raise invalid(field, "invalid", f"`{field}` is one of: {', '.join(allowed)}.")
