"""Politeness: at most one request per host and interval, whichever process makes it.

A slot is claimed by moving the host's `next_at` forward, in the database for all processes (`SharedPace`) or in
memory for this one (`LocalPace`). A host that asks for a pause (429, Retry-After) is *held*: nobody claims a slot
of it until then. An interval of 0 never touches the database; holds of such hosts are known to this process alone.

The *gap* between two slots is the interval, or more while a host is slow or busy (`fetch.easing`), and a little more
each time by chance, so that requests do not come like clockwork. What its answers do to the gap goes along with the
next claim.
"""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Protocol

import msgspec

from orihon.config import Settings
from orihon.db.pool import Pool
from orihon.fetch import easing

IDLE = 3600.0
"""Seconds after its last slot when a host is forgotten (spec crawler-support 1)."""

SWEEP_EVERY = 60.0
"""Seconds between two sweeps. Only a host that was not known before starts one, so the table cannot grow without."""

PATIENCE = 20.0
"""Longest hold, in seconds, that a request sits out. A longer one is the caller's to come back from."""

JITTER = 0.1
"""Part of a gap by which it is longer at most, by chance."""

REMEMBERED = 1024
"""Hosts whose latest answers wait for the next claim."""

ROW = 60
"""Slots that may be claimed ahead of now, more than all workers ever ask for at once. A host whose next slot is further
away is one whose clock was set back (see `runtime.clock`): nobody sleeps until then. A slot counts two seconds at
least, since the gap may have shrunk after the row was made."""


class Intervals(msgspec.Struct, frozen=True):
    """Least seconds between two requests, by host; `slowest`: to which a host that is slow or busy may bring them."""

    default: float
    by_host: Mapping[str, float] = {}
    slowest: float = 0.0

    @classmethod
    def of(cls, settings: Settings) -> "Intervals":
        """As CRAWLER_RATE_MS, CRAWLER_SLOWEST_MS, CRAWLER_CDN_HOST and CRAWLER_CDN_RATE_MS say."""
        host, pace = settings.fetch_cdn_host, settings.fetch_cdn_rate_ms
        own = {host.lower(): pace / 1000} if host and pace is not None else {}
        return cls(settings.fetch_rate_ms / 1000, own, settings.fetch_slowest_ms / 1000)

    def of_host(self, host: str) -> float:
        """The interval of a host."""
        return self.by_host.get(host, self.default)


class Change(msgspec.Struct, frozen=True):
    """What a claim does to the gap: `factor` changes it for good, longer only up to `reach` seconds, to `slowest` at
    most and never below the interval; `stretch` makes this one longer.
    """

    factor: float = easing.UNCHANGED
    reach: float = 0.0
    slowest: float = 0.0
    stretch: float = 1.0


NO_CHANGE = Change()


class Slot(msgspec.Struct, frozen=True):
    """A claimed place in a host's row of requests, `wait` seconds from now; `gap`: seconds that it stands alone."""

    wait: float
    gap: float


class Held(msgspec.Struct, frozen=True):
    """No slot: the host asked to be left alone for `seconds` more."""

    seconds: float
    reason: str


class Pace(Protocol):
    """Where slots and holds are kept."""

    async def claim(self, host: str, interval: float, patience: float, change: Change = NO_CHANGE) -> Slot | Held:
        """The next slot, unless the host is held for longer than `patience` seconds."""
        ...

    async def held(self, host: str) -> bool:
        """Whether the host has been put on hold."""
        ...

    async def hold(self, host: str, seconds: float, reason: str) -> None:
        """Put a host on hold; never shortens a hold."""
        ...


class _Host(msgspec.Struct):
    next_at: float
    gap: float = 0.0
    held_until: float = 0.0
    reason: str = ""


class LocalPace:
    """Slots and holds in the memory of this process, on a monotonic clock."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._hosts: dict[str, _Host] = {}
        self._swept_at = clock()

    async def claim(self, host: str, interval: float, patience: float, change: Change = NO_CHANGE) -> Slot | Held:
        now = self._clock()
        known = self._host(host, now)
        if known.held_until > now + patience:
            return Held(known.held_until - now, known.reason)
        changed = min(known.gap * change.factor, max(known.gap, change.reach))
        known.gap = min(max(changed, interval), max(change.slowest, interval))
        start = max(known.next_at, now)
        known.next_at = start + known.gap * change.stretch
        return Slot(start - now, known.gap)

    async def held(self, host: str) -> bool:
        known = self._hosts.get(host)
        return known is not None and known.held_until > self._clock()

    async def hold(self, host: str, seconds: float, reason: str) -> None:
        now = self._clock()
        known = self._host(host, now)
        if now + seconds > known.held_until:
            known.held_until = now + seconds
            known.reason = reason
            known.next_at = max(known.next_at, known.held_until)

    def tracked(self) -> int:
        """How many hosts are remembered."""
        return len(self._hosts)

    def _host(self, host: str, now: float) -> _Host:
        known = self._hosts.get(host)
        if known is None:
            if now - self._swept_at >= SWEEP_EVERY:
                self._hosts = {name: kept for name, kept in self._hosts.items() if now - kept.next_at < IDLE}
                self._swept_at = now
            known = self._hosts[host] = _Host(now)
        return known


_CHANGED = """
    least(greatest(least(pace.gap * $4::float8, greatest(pace.gap, $8::interval)), $2::interval), $5::interval)
"""

# One statement, so that two processes cannot claim one slot: the second waits on the row, then sees the first's
# `next_at`. `clock_timestamp()`, not `now()`: the wait for the row must not count as waited.
_CLAIM = f"""
    INSERT INTO host_pace AS pace (host, gap, next_at)
         VALUES ($1, $2::interval, clock_timestamp() + $2::interval * $6::float8)
    ON CONFLICT (host) DO UPDATE
            SET gap = {_CHANGED},
                next_at = CASE WHEN pace.next_at > clock_timestamp() + $3::interval
                                                 + $7::integer * greatest(pace.gap, interval '2 seconds')
                               THEN clock_timestamp() ELSE greatest(pace.next_at, clock_timestamp()) END
                        + {_CHANGED} * $6::float8
          WHERE pace.held_until IS NULL OR pace.held_until <= clock_timestamp() + $3::interval
      RETURNING extract(epoch FROM next_at - gap * $6::float8 - clock_timestamp())::float8 AS wait,
                extract(epoch FROM gap)::float8 AS gap, old.host IS NULL AS fresh
"""

_HOLD_LEFT = """
    SELECT extract(epoch FROM held_until - clock_timestamp())::float8 AS seconds, coalesce(reason, '') AS reason
      FROM host_pace
     WHERE host = $1 AND held_until > clock_timestamp()
"""

_HOLD = """
    INSERT INTO host_pace AS pace (host, next_at, held_until, reason)
         VALUES ($1, clock_timestamp() + $2, clock_timestamp() + $2, $3)
    ON CONFLICT (host) DO UPDATE
            SET next_at = greatest(pace.next_at, excluded.held_until),
                held_until = excluded.held_until,
                reason = excluded.reason
          WHERE pace.held_until IS NULL OR pace.held_until < excluded.held_until
"""

# Rare (see SWEEP_EVERY) and over a small table, so it has no index, which every claim would have to maintain.
_SWEEP = "DELETE FROM host_pace WHERE next_at <= clock_timestamp() - $1::interval"


class SharedPace:
    """Slots and holds in the database, on its clock, for all processes and machines."""

    def __init__(self, pool: Pool, clock: Callable[[], float] = time.monotonic) -> None:
        self._pool = pool
        self._clock = clock
        self._swept_at = float("-inf")

    async def claim(self, host: str, interval: float, patience: float, change: Change = NO_CHANGE) -> Slot | Held:
        slowest = max(change.slowest, interval)
        while True:
            found = await self._pool.fetchrow(
                _CLAIM,
                host,
                timedelta(seconds=interval),
                timedelta(seconds=patience),
                change.factor,
                timedelta(seconds=slowest),
                change.stretch,
                ROW,
                timedelta(seconds=min(change.reach, slowest)),
            )
            if found is not None:
                if found["fresh"]:
                    await self._sweep_when_due()
                return Slot(found["wait"], found["gap"])
            left = await self._pool.fetchrow(_HOLD_LEFT, host)
            if left is not None:
                return Held(left["seconds"], left["reason"])
            # The hold ended, or its row was swept, between the two statements.

    async def held(self, host: str) -> bool:
        return await self._pool.fetchrow(_HOLD_LEFT, host) is not None

    async def hold(self, host: str, seconds: float, reason: str) -> None:
        await self._pool.execute(_HOLD, host, timedelta(seconds=seconds), reason)

    async def _sweep_when_due(self) -> None:
        now = self._clock()
        if now - self._swept_at >= SWEEP_EVERY:
            self._swept_at = now
            await self._pool.execute(_SWEEP, timedelta(seconds=IDLE))


class _Seen(msgspec.Struct):
    """A host's gap as the latest claim found it, and what answers since then do to it."""

    gap: float
    factor: float = easing.UNCHANGED
    reach: float = 0.0


class Pacer:
    """What the client asks before each request and tells after each answer."""

    def __init__(
        self,
        intervals: Intervals,
        shared: SharedPace | None = None,
        *,
        local: LocalPace | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Without `shared`, as in a command that runs without a database, everything is kept in this process."""
        self._intervals = intervals
        self._local = local or LocalPace()
        self._shared: Pace = shared or self._local
        self._sleep = sleep
        self._chance = chance
        self._seen: dict[str, _Seen] = {}

    async def wait_for(self, host: str) -> Held | None:
        """Wait for the host's next slot. A hold that is too long to sit out is returned at once instead."""
        interval = self._intervals.of_host(host)
        pace = self._of(interval)
        while True:
            got = await self._claim(pace, host, interval)
            if isinstance(got, Held):
                return got
            if got.wait <= 0:
                return None
            await self._sleep(got.wait)
            # The host may have been put on hold meanwhile; the slots claimed before that are void, or a
            # whole row of sleepers would walk into the next 429 (gallery-dl #5391).
            if not await pace.held(host):
                return None

    def answered(self, host: str, seconds: float, status: int | None) -> None:
        """Note how a host answered, as `easing.factor` has it; everybody knows with the next claim."""
        seen = self._seen.get(host)
        if seen is not None and seen.gap > 0:
            seen.factor = min(easing.MOST, seen.factor * easing.factor(seen.gap, seconds, status))
            seen.reach = max(seen.reach, easing.reach(seconds, status))

    async def hold(self, host: str, seconds: float, reason: str) -> None:
        """Leave a host alone for so many seconds, because it asked."""
        await self._of(self._intervals.of_host(host)).hold(host, seconds, reason)

    async def _claim(self, pace: Pace, host: str, interval: float) -> Slot | Held:
        seen = self._seen.get(host)
        if seen is None:
            if len(self._seen) >= REMEMBERED:
                del self._seen[next(iter(self._seen))]
            seen = self._seen[host] = _Seen(interval)
        # Taken before the claim, so that two claims at once do not tell the same answers twice.
        told, reach = seen.factor, seen.reach
        seen.factor, seen.reach = easing.UNCHANGED, 0.0
        change = Change(told, reach, self._intervals.slowest, 1 + JITTER * self._chance())
        got = await pace.claim(host, interval, PATIENCE, change)
        if isinstance(got, Held):
            seen.factor, seen.reach = min(easing.MOST, seen.factor * told), max(seen.reach, reach)
        else:
            seen.gap = got.gap
        return got

    def _of(self, interval: float) -> Pace:
        return self._shared if interval > 0 else self._local
