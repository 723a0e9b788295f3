"""What the site was asked for: the other side's record, against which exactly-once is counted."""

from collections import Counter, deque

import msgspec


class Seen(msgspec.Struct, frozen=True):
    """One answered request."""

    method: str
    path: str
    status: int
    range: str | None
    conditional: bool
    fault: str | None = None


class RequestLog:
    """What was asked for: counts per path, status and fault for ever, and the latest requests one by one."""

    def __init__(self, keep: int = 20_000) -> None:
        self.counts: Counter[str] = Counter()
        self.statuses: Counter[int] = Counter()
        self.served: Counter[str] = Counter()
        """Successes (2xx) without a fault, per path: how often somebody really got what they asked for."""
        self.faults: Counter[str] = Counter()
        """Faults that were given, by name."""
        self.latest: deque[Seen] = deque(maxlen=keep)

    def note(self, seen: Seen) -> None:
        """Count a request."""
        self.counts[seen.path] += 1
        self.statuses[seen.status] += 1
        if seen.fault is not None:
            self.faults[seen.fault] += 1
        elif 200 <= seen.status < 300:
            self.served[seen.path] += 1
        self.latest.append(seen)

    def count(self, path: str) -> int:
        """How often this path was asked for."""
        return self.counts[path]

    def under(self, prefix: str) -> dict[str, int]:
        """Paths that begin so, with their counts."""
        return {path: count for path, count in self.counts.items() if path.startswith(prefix)}

    @property
    def total(self) -> int:
        """All requests."""
        return self.statuses.total()

    def clear(self) -> None:
        """Start to count anew."""
        self.counts.clear()
        self.statuses.clear()
        self.served.clear()
        self.faults.clear()
        self.latest.clear()

    def told(self) -> dict[str, object]:
        """The counts, for those who ask over HTTP."""
        return {
            "total": self.total,
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            "paths": dict(self.counts),
            "served": dict(self.served),
            "faults": dict(self.faults),
        }
