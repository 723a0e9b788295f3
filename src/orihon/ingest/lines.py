"""What a walk needs of each kind of source: its line, and the names that its work goes by."""

from collections.abc import Callable
from typing import Any

import msgspec

from orihon.db.pool import Pool
from orihon.ingest.rules import Plan
from orihon.ingest.sources import Source
from orihon.ingest.walk import Line
from orihon.jobs.leases import Claim
from orihon.runtime.metrics import Op


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """The chunk that a line is made for."""

    pool: Pool
    source: Source
    claim: Claim
    plan: Plan


class LineKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of source, as the walker sees it.

    `items` in words for people. A walk of more than `most_chunks` waits for a person; None: it takes what it takes.
    """

    make: Callable[[Walk], Line[Any]]
    items: str
    metric: Op
    most_chunks: int | None = None
