"""The queue's decisions, as pure functions."""

import enum
from uuid import UUID

ATTEMPTS = 5
"""How often a job is tried before it is dead, where its kind does not say otherwise."""

REFUNDED_RECLAIMS = 3
"""How often a job whose worker vanished gets its attempt back (DESIGN ruling 4)."""

LEASE_SECONDS = 60.0
"""How long a lease lasts without a heartbeat."""

BEAT_SECONDS = 20.0
"""How often leases are renewed: three beats per window."""

MISSED_BEATS = 3
"""Failed renewals in a row after which a worker gives up what it holds."""

IDLE_CAP_SECONDS = 30
"""The longest that a worker sleeps without looking, whatever hints do not reach it."""

_BACKOFF_FIRST = 60
_BACKOFF_CAP = 3600


def backoff_base(attempts: int) -> int:
    """Seconds until the next attempt, before jitter: 60 s, doubling, at most an hour (crawler-core 2.9)."""
    return min(_BACKOFF_CAP, _BACKOFF_FIRST << min(max(attempts - 1, 0), 20))


def jitter(base: float, r: float) -> int:
    """`base` seconds times 0.8 to 1.2, for `r` from 0 to 1: what failed together must not come back together."""
    return round(base * (0.8 + 0.4 * min(max(r, 0.0), 1.0)))


def backoff(attempts: int, r: float) -> int:
    """Seconds until the next attempt after `attempts` were made. Jitter comes after the cap, so at most 4320."""
    return jitter(backoff_base(attempts), r)


def idle_backoff(polls: int) -> int:
    """Seconds between polls after `polls` of them found nothing: 1, 2, 4, 8, 16, 30 (crawler-core 3.4)."""
    return min(IDLE_CAP_SECONDS, 1 << min(max(polls, 0), 5))


def poll_delay(polls: int, r: float) -> float:
    """The idle backoff, shortened by up to a fifth, so that idle workers do not poll in step."""
    return idle_backoff(polls) * (1.0 - 0.2 * min(max(r, 0.0), 1.0))


def gives_up(failed_renewals: int) -> bool:
    """Whether so many failed renewals in a row mean that another worker may own the jobs by now."""
    return failed_renewals >= MISSED_BEATS


class Reclaim(enum.Enum):
    """What becomes of a job whose lease lapsed."""

    REFUND = "refund"
    COUNT = "count"
    DEAD = "dead"


def reclaim(attempts: int, max_attempts: int, reclaims: int) -> Reclaim:
    """A vanished worker is not the job's fault, three times. After that, a job that kills workers must end up dead."""
    if reclaims < REFUNDED_RECLAIMS:
        return Reclaim.REFUND
    return Reclaim.DEAD if attempts >= max_attempts else Reclaim.COUNT


def uuid7(milliseconds: int, drawn: int) -> UUID:
    """A UUID of version 7 (RFC 9562) from the time since 1970 and 80 random bits, of which 74 are used.

    Time comes first, so that what is made together lies together in an index.
    """
    high, low = drawn >> 62 & 0xFFF, drawn & (1 << 62) - 1
    return UUID(int=milliseconds << 80 | 7 << 76 | high << 64 | 2 << 62 | low)


def one_line(error: BaseException, limit: int = 2000) -> str:
    """An error and its causes on one line, safe to store: `ValueError: x <- KeyError: 'y'`."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        text = str(current)
        parts.append(f"{type(current).__name__}: {text}" if text else type(current).__name__)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return storable(" <- ".join(parts), limit)


def storable(text: str, limit: int = 2000) -> str:
    """Text that PostgreSQL takes: one line, printable characters only, at most `limit` of them."""
    return " ".join("".join(char if char.isprintable() else " " for char in text[: limit * 2]).split())[:limit]
