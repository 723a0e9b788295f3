"""The token bucket that slows guessing down (public-api-auth section 4). One for each process, in memory."""

import math
from collections.abc import Callable

import msgspec

MOST_ADDRESSES = 10_000


class Bucket(msgspec.Struct):
    """What is left, and when that was worked out."""

    tokens: float
    refilled: float


class Limiter:
    """Tries per second and address, with a burst. Requests without an address share one bucket.

    `now` is a monotonic clock in seconds. All work happens between two awaits, so no lock is needed.
    """

    def __init__(self, per_second: int, burst: int, *, now: Callable[[], float]) -> None:
        self._per_second = per_second
        self._burst = burst
        self._now = now
        self._shared = Bucket(burst, now())
        self._buckets: dict[str, Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, address: str | None) -> int | None:
        """Take a token. None: go on. A number: refused, try again in so many seconds."""
        if self._per_second == 0:
            return None
        now = self._now()
        bucket = self._bucket(address, now)
        self._refill(bucket, now)
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return None
        return max(1, math.ceil((1 - bucket.tokens) / self._per_second))

    def _bucket(self, address: str | None, now: float) -> Bucket:
        if address is None:
            return self._shared
        known = self._buckets.get(address)
        if known is not None:
            return known
        if len(self._buckets) >= MOST_ADDRESSES:
            self._drop_idle(now)
        if len(self._buckets) >= MOST_ADDRESSES:
            return self._shared
        return self._buckets.setdefault(address, Bucket(self._burst, now))

    def _drop_idle(self, now: float) -> None:
        """Forget full buckets: made anew they would be the same."""
        for bucket in self._buckets.values():
            self._refill(bucket, now)
        self._buckets = {key: bucket for key, bucket in self._buckets.items() if bucket.tokens < self._burst}

    def _refill(self, bucket: Bucket, now: float) -> None:
        # A clock reading may be older than the last one; time never takes tokens away.
        elapsed = max(0.0, now - bucket.refilled)
        bucket.tokens = min(self._burst, bucket.tokens + elapsed * self._per_second)
        bucket.refilled = now
