"""What a fault works on: a request, and the answer that it would get from a site in good health."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import msgspec

from orihon.samplesite.dice import Dice

Kind = Literal["listing", "title", "reader", "creator", "posts", "file"]

_KINDS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"/works/(page/[0-9]+/)?"), "listing"),
    (re.compile(r"/works/[^/]+/"), "title"),
    (re.compile(r"/read/[^/]+/[^/]+/"), "reader"),
    (re.compile(r"/api/creators(/[^/]+)?"), "creator"),
    (re.compile(r"/api/creators/[^/]+/posts"), "posts"),
    (re.compile(r"/(img|media)/.+"), "file"),
)


def kind_of(path: str) -> Kind | None:
    """What stands at a path; None: something that no fault touches (the manifest, the switches, the style sheet)."""
    return next((kind for pattern, kind in _KINDS if pattern.fullmatch(path)), None)


class Rule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """A fault that is switched on.

    `path` is a glob over the path, or over path and cursor (`/api/creators/x/posts?cursor=b1z`); `*` spans slashes.
    `rate` is the share of the requests that get it, `each` how many of the first ones at each place may, `times` how
    many may in all (None: no limit). `seconds` and `field` mean what the fault says; None: its default.
    """

    fault: str
    path: str = "*"
    rate: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    each: Annotated[int, msgspec.Meta(ge=1)] | None = None
    times: Annotated[int, msgspec.Meta(ge=1)] | None = None
    seconds: float | None = None
    field: str | None = None


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """A request, as a fault sees it. `now` is the site's clock, in seconds since 1970."""

    path: str
    kind: Kind
    rule: Rule
    dice: Dice
    now: float
    query: Mapping[str, str] = {}
    whole: bytes | None = None
    """The whole file, where a part of it was asked for."""

    def seconds(self, default: float) -> float:
        """The rule's time."""
        return default if self.rule.seconds is None else self.rule.seconds


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer before it is sent.

    `delay` seconds pass before its head, `spread` seconds between its first and its last byte. `sent` bytes of the body
    go out before the connection is cut; None: all. `held`: no answer at all, only an end of the connection after
    `delay`.
    """

    status: int
    body: bytes
    headers: Mapping[str, str] = {}
    delay: float = 0.0
    spread: float = 0.0
    sent: int | None = None
    held: bool = False

    @property
    def content_type(self) -> str:
        """The media type without its parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0]

    def but(self, **changes: object) -> "Answer":
        """The same answer with other fields; `headers` are added to those there."""
        if isinstance(added := changes.get("headers"), Mapping):
            changes["headers"] = {**self.headers, **added}
        return msgspec.structs.replace(self, **changes)


Change = Callable[[Ask, Answer], Answer]
"""What a fault does. One that does not fit a request returns the answer it was given, and has then not been given."""


class Fault(msgspec.Struct, frozen=True):
    """A symptom: what it does, and in words."""

    change: Change
    about: str
