"""Sessions: a random token in a cookie; the database knows only its hash (public-api-auth 3.6, 3.7)."""

import hashlib
import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from uuid import UUID

import msgspec

from orihon.accounts.users import User
from orihon.db.notify import notify
from orihon.db.pool import Connection, Pool

COOKIE = "orihon_session"

_START = """
    INSERT INTO sessions (token_hash, user_id, expires_at)
    VALUES ($1, $2, now() + make_interval(days => $3)) RETURNING expires_at
"""

_FIND = """
    SELECT u.id, u.username, u.is_admin, u.created_at, s.expires_at
      FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.token_hash = $1 AND s.expires_at > now()
"""

_FORGET_EXPIRED = "DELETE FROM sessions WHERE user_id = $1 AND expires_at <= now()"


def new_token() -> str:
    """32 random bytes as 43 URL-safe characters."""
    return secrets.token_urlsafe(32)


def hash_token(token: str) -> bytes:
    """What is stored of a token. A guess must match a whole digest, so looking it up leaks nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


async def start(db: Connection, user_id: UUID, *, days: int) -> str:
    """Begin a session that lasts `days`; returns its token, which is shown this once."""
    token = new_token()
    await db.execute(_FORGET_EXPIRED, user_id)
    await db.fetchval(_START, hash_token(token), user_id, days)
    return token


async def end(db: Connection, token: str) -> None:
    """End a session; ending it again changes nothing."""
    digest = hash_token(token)
    await db.execute("DELETE FROM sessions WHERE token_hash = $1", digest)
    await notify(db, "sessions", digest.hex())


class _Known(msgspec.Struct, frozen=True):
    user: User
    ends: float
    """By the cache's clock."""


class SessionCache:
    """Who a token belongs to, without asking the database for each request.

    An entry is believed for at most `seconds`; hints of the channel `sessions` (call `forget`) make it shorter. Only
    tokens that were found are kept, so strangers cannot fill it.
    """

    def __init__(self, *, most: int = 10_000, seconds: float = 60.0, clock: Callable[[], float] = time.monotonic):
        self._known: dict[bytes, _Known] = {}
        self._most = most
        self._seconds = seconds
        self._clock = clock
        self._generation = 0

    async def find(self, pool: Pool, token: str) -> User | None:
        """The user of a live session, or None."""
        digest = hash_token(token)
        now = self._clock()
        known = self._known.get(digest)
        if known is not None and now < known.ends:
            return known.user
        self._known.pop(digest, None)
        generation = self._generation
        record = await pool.fetchrow(_FIND, digest)
        if record is None:
            return None
        values = dict(record)
        left = (values.pop("expires_at") - datetime.now(UTC)).total_seconds()
        user = User(**values)
        # A hint that came while the database answered may have been about this session.
        if generation == self._generation and left > 0:
            if len(self._known) >= self._most:
                self._known.pop(next(iter(self._known)))
            self._known[digest] = _Known(user, now + min(self._seconds, left))
        return user

    def forget(self) -> None:
        """Believe nothing any more: a session ended or a user changed."""
        self._generation += 1
        self._known.clear()
