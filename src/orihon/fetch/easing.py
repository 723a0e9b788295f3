"""How the gap between two requests to a host follows what the host shows (research/ingest-anchors 3.1, row 6).

A host that answers slowly, or says that it is busy, is asked less often; one that is well again is asked as often as
the settings allow, step by step. The gap tends to the time that an answer takes, so that on average one request is
under way, as with Scrapy's AutoThrottle; a refusal doubles it and good answers take that back, as TCP does.

Each answer is a factor on the gap: factors of several processes multiply in any order, so nobody has to read the gap
before changing it. Answers to several requests at once tell the same thing several times, so a factor also has a reach:
the gap that a slow answer asks for, beyond which it brings none.
"""

import math
from typing import Final

UNCHANGED: Final = 1.0

MOST: Final = 2.0
"""Largest factor of one step: a refusal, or an answer that took very much longer than the gap."""

GOOD: Final = 0.97
"""Factor of a good answer: 23 of them take one doubling back."""

TOWARDS: Final = 0.25
"""Which part of the way to the time of a slow answer one step goes, so that one slow page among many matters little."""

BUSY: Final = frozenset((429, 503))
"""Statuses by which a host says that it is asked too often."""

_GONE = frozenset((404, 410))


def factor(gap: float, seconds: float, status: int | None) -> float:
    """What one answer does to a gap of more than 0 seconds. `seconds`: until the answer began; `status` None: it never
    did, the time ran out.

    An error other than of a page that is not there proves nothing good: it may have been answered in no time.
    """
    if status is None or status in BUSY:
        return MOST
    if seconds > gap:
        return min(MOST, UNCHANGED + TOWARDS * (seconds / gap - 1))
    if status < 400 or status in _GONE:
        return max(GOOD, seconds / gap)
    return UNCHANGED


def reach(seconds: float, status: int | None) -> float:
    """The gap, in seconds, up to which one answer that makes it longer may bring it; a refusal asks for no certain one.
    `seconds` and `status` as of `factor`.
    """
    return math.inf if status is None or status in BUSY else seconds
