"""The first administrator (public-api-auth 3.7)."""

import asyncio
import secrets

from orihon.accounts import passwords, users
from orihon.config import Settings
from orihon.db.pool import Connection

DEFAULT_NAME = "admin"

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('accounts.bootstrap', 0))"

_PROMOTE = "UPDATE users SET is_admin = true WHERE lower(username) = lower($1) AND NOT is_admin"


async def ensure_admin(db: Connection, settings: Settings) -> str | None:
    """Make sure that there is an administrator; any number of processes may do so at once.

    With ADMIN_USERNAME and ADMIN_PASSWORD: that account exists and is one; the password counts only when the account
    is made here. Without: `admin` (or ADMIN_USERNAME) is made when there is no account at all.

    Returns:
        The password of an account that was made with a random one, to be shown once.

    Raises:
        BadUsername, BadPassword: what the environment says is not accepted.
    """
    name = users.validate_name(settings.admin_username or DEFAULT_NAME)
    given = settings.admin_password if settings.admin_username else None
    if given is not None:
        passwords.validate(given)
    async with db.transaction():
        await db.execute(_LOCK)
        if given is None and await db.fetchval("SELECT EXISTS (SELECT FROM users)"):
            return None
        if given is not None and await users.credentials(db, name) is not None:
            await db.execute(_PROMOTE, name)
            return None
        password = given if given is not None else secrets.token_urlsafe(12)
        hashed = await asyncio.to_thread(passwords.hash_now, password)
        await users.insert(db, name, hashed, is_admin=True)
    return None if given is not None else password
