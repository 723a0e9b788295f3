"""The first administrator: from the environment, or made up and shown once."""

import secrets

import structlog

from orihon.accounts import users
from orihon.accounts.passwords import Passwords
from orihon.config import Settings
from orihon.db.pool import Connection

log = structlog.get_logger(__name__)

# Two starts at once must not both find the house empty.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('orihon first administrator', 0))"

_PROMOTE = "UPDATE users SET is_admin = true WHERE lower(username) = lower($1) AND NOT is_admin RETURNING username"

FALLBACK_NAME = "admin"


async def ensure_admin(db: Connection, settings: Settings) -> str | None:
    """Make sure that somebody can run the place. Idempotent, also for two processes that start at once.

    With both ADMIN_USERNAME and ADMIN_PASSWORD that user exists and is an administrator; the password counts only
    when the account is made here. Otherwise, while there is no user at all, `admin` (or ADMIN_USERNAME) is made.

    Returns:
        The made-up password of an account that was made without one: show it once, it is kept nowhere.

    Raises:
        BadUsername, BadPassword: the variables hold something that the rules refuse.
    """
    hasher = Passwords(threads=1)
    try:
        async with db.transaction():
            await db.execute(_LOCK)
            if settings.admin_username and settings.admin_password:
                await _ensure_named(db, settings.admin_username, settings.admin_password, hasher)
                return None
            if await db.fetchval("SELECT EXISTS (SELECT FROM users)"):
                return None
            password = settings.admin_password or secrets.token_urlsafe(15)
            await users.add(db, settings.admin_username or FALLBACK_NAME, password, admin=True, hasher=hasher)
            return None if settings.admin_password else password
    finally:
        hasher.close()


async def _ensure_named(db: Connection, username: str, password: str, hasher: Passwords) -> None:
    if await users.by_name(db, username) is None:
        await users.add(db, username, password, admin=True, hasher=hasher)
    elif promoted := await db.fetchval(_PROMOTE, username.strip()):
        log.info("a user became an administrator, as ADMIN_USERNAME says", username=promoted)
