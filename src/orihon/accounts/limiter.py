"""How often somebody may try to sign in: a token bucket per address (public-api-auth section 4)."""

import math
import time
from collections.abc import Callable

import msgspec

MOST_TRACKED = 10_000
"""Addresses with a bucket of their own; the others share one."""


class _Bucket(msgspec.Struct):
    tokens: float
    refilled: float


class Limiter:
    """At most `burst` tries at once and `per_second` in the long run; 0 a second: any number.

    All of it runs between two awaits, so no lock is needed, and an exception leaves nothing half done.
    """

    def __init__(self, per_second: int, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._shared = _Bucket(burst, clock())
        self._buckets: dict[str, _Bucket] = {}

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, address: str | None) -> int | None:
        """Use a try of an address (None: unknown, they share one bucket).

        Returns None when it is allowed, else the seconds to wait.
        """
        if self._per_second == 0:
            return None
        now = self._clock()
        bucket = self._bucket(address, now)
        self._refill(bucket, now)
        if bucket.tokens >= 1:
            bucket.tokens -= 1
            return None
        return max(1, math.ceil((1 - bucket.tokens) / self._per_second))

    def _bucket(self, address: str | None, now: float) -> _Bucket:
        if address is None:
            return self._shared
        bucket = self._buckets.get(address)
        if bucket is None:
            if len(self._buckets) >= MOST_TRACKED:
                self._drop_idle(now)
            if len(self._buckets) >= MOST_TRACKED:
                return self._shared
            bucket = self._buckets[address] = _Bucket(self._burst, now)
        return bucket

    def _refill(self, bucket: _Bucket, now: float) -> None:
        earned = max(0.0, now - bucket.refilled) * self._per_second
        bucket.tokens = min(self._burst, bucket.tokens + earned)
        bucket.refilled = now

    def _drop_idle(self, now: float) -> None:
        """A bucket that is full again is the same as none."""
        for address, bucket in list(self._buckets.items()):
            self._refill(bucket, now)
            if bucket.tokens >= self._burst:
                del self._buckets[address]
