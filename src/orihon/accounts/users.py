"""Users: who may sign in."""

from datetime import datetime
from uuid import UUID

import msgspec

from orihon.accounts import passwords
from orihon.db.notify import notify
from orihon.db.pool import Connection

LONGEST_NAME = 64


class User(msgspec.Struct, frozen=True, kw_only=True):
    """An account as it is shown."""

    id: UUID
    username: str
    is_admin: bool
    created_at: datetime


class Credentials(msgspec.Struct, frozen=True, kw_only=True):
    """A user with the hash of the password."""

    user: User
    password_hash: str


class BadUsername(ValueError):
    """A name that is not accepted; the text says what would be."""


class UsernameTaken(Exception):
    """Another account has this name, whatever its casing."""


class NoSuchUser(LookupError):
    """No account has this name."""


_COLUMNS = "id, username, is_admin, created_at"

_INSERT = f"""
    INSERT INTO users (username, password_hash, is_admin) VALUES ($1, $2, $3)
    ON CONFLICT ((lower(username))) DO NOTHING
    RETURNING {_COLUMNS}
"""

_BY_NAME = f"SELECT {_COLUMNS}, password_hash FROM users WHERE lower(username) = lower($1)"

_REPLACE_HASH = "UPDATE users SET password_hash = $2 WHERE lower(username) = lower($1) RETURNING id"

_END_SESSIONS = "DELETE FROM sessions WHERE user_id = $1 AND token_hash IS DISTINCT FROM $2"


def validate_name(username: str) -> str:
    """The name as it is kept: without blanks around it.

    Raises:
        BadUsername: empty, too long, or with characters that cannot be seen.
    """
    name = username.strip()
    if not name or len(name) > LONGEST_NAME:
        raise BadUsername(f"A user name has 1 to {LONGEST_NAME} characters.")
    if not name.isprintable():
        raise BadUsername("A user name has only characters that can be seen.")
    return name


async def create(
    db: Connection, username: str, password: str, *, is_admin: bool = False, hashing: passwords.Hashing
) -> User:
    """Make an account.

    Raises:
        BadUsername, BadPassword: not accepted; the text says what would be.
        UsernameTaken: another account has the name.
    """
    name = validate_name(username)
    passwords.validate(password)
    user = await insert(db, name, await hashing.hash(password), is_admin=is_admin)
    if user is None:
        raise UsernameTaken(f"There is a user “{name}” already.")
    return user


async def insert(db: Connection, username: str, password_hash: str, *, is_admin: bool) -> User | None:
    """Make an account with a hash made before; None when the name is taken."""
    record = await db.fetchrow(_INSERT, username, password_hash, is_admin)
    return User(**record) if record else None


async def credentials(db: Connection, username: str) -> Credentials | None:
    """The account with this name, whatever its casing."""
    record = await db.fetchrow(_BY_NAME, username)
    if record is None:
        return None
    values = dict(record)
    return Credentials(password_hash=values.pop("password_hash"), user=User(**values))


async def set_password(
    db: Connection, username: str, password: str, *, keep_session: bytes | None = None, hashing: passwords.Hashing
) -> None:
    """Change a password and end the user's sessions, except the one whose token has the hash `keep_session`.

    Raises:
        BadPassword: not accepted; the text says what would be.
        NoSuchUser: nobody has this name.
    """
    passwords.validate(password)
    hashed = await hashing.hash(password)
    async with db.transaction():
        user_id = await db.fetchval(_REPLACE_HASH, username.strip(), hashed)
        if user_id is None:
            raise NoSuchUser(f"There is no user “{username.strip()}”.")
        await db.execute(_END_SESSIONS, user_id, keep_session)
        await notify(db, "sessions", str(user_id))
