"""Sessions: what a signed-in browser holds. Fixed life, stored as hashes (public-api-auth 3.7, 21.4)."""

from collections.abc import Callable
from datetime import datetime
from uuid import UUID

import msgspec

from orihon.accounts import tokens
from orihon.db.notify import Bus, Notice, notify
from orihon.db.pool import Connection, Pool

COOKIE = "orihon_session"


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Who asks. `token_hash` names the session, `expires_at` ends it."""

    token_hash: bytes
    user_id: UUID
    username: str
    is_admin: bool
    user_created_at: datetime
    expires_at: datetime


_START = """
    INSERT INTO sessions (token_hash, user_id, expires_at) VALUES ($1, $2, now() + make_interval(days => $3))
"""

_FIND = """
    SELECT s.token_hash, s.user_id, u.username, u.is_admin, u.created_at AS user_created_at, s.expires_at
      FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.token_hash = $1 AND s.expires_at > now()
"""

_END = "DELETE FROM sessions WHERE token_hash = $1"

_END_ALL = "DELETE FROM sessions WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2"

_REAP = "DELETE FROM sessions WHERE expires_at <= now()"


async def start(db: Connection, user_id: UUID, *, days: int) -> str:
    """Begin a session; returns the secret for the cookie, which is not kept. Old sessions are cleared on the way."""
    token = tokens.generate()
    await db.execute(_REAP)
    await db.execute(_START, tokens.digest(token), user_id, days)
    return token


async def find(db: "Connection | Pool", token_hash: bytes) -> Session | None:
    """The session of a token's hash, unless it ended."""
    record = await db.fetchrow(_FIND, token_hash)
    return Session(**record) if record else None


async def end(db: Connection, token_hash: bytes) -> None:
    """End a session, everywhere and at once."""
    await db.execute(_END, token_hash)
    await notify(db, "sessions", token_hash.hex())


async def end_all(db: Connection, user_id: UUID, *, keep: bytes | None = None) -> None:
    """End a user's sessions, but for the one whose hash is `keep`."""
    await db.execute(_END_ALL, user_id, keep)
    await notify(db, "sessions")


async def reap(db: Connection) -> int:
    """Delete sessions that are over; returns how many."""
    return int((await db.execute(_REAP)).split()[-1])


class SessionCache:
    """Sessions that were looked up lately, so that a page turn costs no query.

    A hint on the channel `sessions` forgets one or all. Should the hint be lost, an entry is looked up anew after
    `ttl` seconds. Unknown tokens are not remembered. `now` gives epoch seconds.
    """

    def __init__(self, pool: Pool, *, now: Callable[[], float], ttl: float = 60.0, most: int = 4096) -> None:
        self._pool = pool
        self._now = now
        self._ttl = ttl
        self._most = most
        self._held: dict[bytes, tuple[Session, float, float]] = {}
        self._forgotten = 0

    def listen(self, bus: Bus) -> None:
        """Forget what the bus says has changed."""
        bus.listen("sessions", self._heard)

    def peek(self, token: str) -> Session | None:
        """The session of a token if it is held and fresh; None says nothing."""
        held = self._held.get(tokens.digest(token))
        if held is None:
            return None
        session, since, until = held
        # A clock that was set back makes nothing fresh again.
        return session if since <= self._now() < until else None

    async def get(self, token: str) -> Session | None:
        """The session of a token, or None when there is none."""
        if (held := self.peek(token)) is not None:
            return held
        token_hash, forgotten = tokens.digest(token), self._forgotten
        session = await find(self._pool, token_hash)
        self._held.pop(token_hash, None)
        # A session that ended while it was looked up must not be held.
        if session is not None and forgotten == self._forgotten:
            if len(self._held) >= self._most:
                self._held.clear()
            now = self._now()
            self._held[token_hash] = (session, now, min(now + self._ttl, session.expires_at.timestamp()))
        return session

    def forget(self, token_hash: bytes) -> None:
        """Look a session up anew."""
        self._forgotten += 1
        self._held.pop(token_hash, None)

    def forget_all(self) -> None:
        """Look every session up anew."""
        self._forgotten += 1
        self._held.clear()

    def _heard(self, notice: Notice) -> None:
        if notice.payload:
            self.forget(bytes.fromhex(notice.payload))
        else:
            self.forget_all()
