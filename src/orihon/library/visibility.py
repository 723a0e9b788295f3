"""Who may see what. All access to lists and bytes passes through here (DESIGN section 5).

Today the answer is the same for every work and reader. A restriction goes here and nowhere else; from that day on
`shared_caches` is false, so that no cache between the server and one reader answers another.
"""

from typing import Literal

WorkKind = Literal["manga", "feed"]

READABLE = "w.kind IN ('manga', 'feed')"
"""Condition on `works w`: what can be opened and read; on `work_tally w`, which has its columns: counts."""


def listed(kind: WorkKind) -> str:
    """Condition on `works w` (or `work_tally w`): what a collection lists and finds; each kind has its own."""
    return _LISTED[kind]


# One value, so that the indexes which begin with the kind give the order as well.
_LISTED: dict[WorkKind, str] = {"manga": "w.kind = 'manga'", "feed": "w.kind = 'feed'"}


def shared_caches(*, private_mode: bool) -> bool:
    """Whether caches that people share (a proxy, a CDN) may keep bytes of the library."""
    return not private_mode
