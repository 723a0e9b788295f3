"""Users: who may sign in, and who runs the place."""

import unicodedata
from datetime import datetime
from uuid import UUID

import msgspec

from orihon.accounts import passwords, sessions
from orihon.accounts.errors import BadUsername, UsernameTaken, WrongCredentials
from orihon.accounts.passwords import Passwords
from orihon.db.pool import Connection, row

LONGEST_NAME = 64


class User(msgspec.Struct, frozen=True, kw_only=True):
    """An account as its owner sees it."""

    id: UUID
    username: str
    is_admin: bool
    created_at: datetime


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """A user with the hash of the password; it stays inside this package."""

    user: User
    password_hash: str


def checked_name(name: str) -> str:
    """A user name: trimmed, 1 to 64 characters, nothing invisible, no control characters.

    Raises:
        BadUsername: with what would do.
    """
    trimmed = name.strip()
    if not 1 <= len(trimmed) <= LONGEST_NAME:
        raise BadUsername(f"A user name has 1 to {LONGEST_NAME} characters.")
    # Look-alikes made of invisible characters would be other users that nobody can tell apart.
    if any(unicodedata.category(letter)[0] == "C" for letter in trimmed):
        raise BadUsername("A user name holds no invisible or control characters.")
    return trimmed


_COLUMNS = "id, username, is_admin, created_at"

_INSERT = f"""
    INSERT INTO users (username, password_hash, is_admin) VALUES ($1, $2, $3)
    ON CONFLICT (lower(username)) DO NOTHING
    RETURNING {_COLUMNS}
"""

_BY_NAME = f"SELECT {_COLUMNS}, password_hash FROM users WHERE lower(username) = lower($1)"

_SET_PASSWORD = "UPDATE users SET password_hash = $2 WHERE id = $1"  # noqa: S105 - SQL, no secret


async def add(db: Connection, username: str, password: str, *, admin: bool, hasher: Passwords) -> User:
    """Make an account.

    Raises:
        BadUsername, BadPassword: the rules refuse it.
        UsernameTaken: names are compared without regard to case.
    """
    name = checked_name(username)
    passwords.validate(password)
    record = await db.fetchrow(_INSERT, name, await hasher.hash(password), admin)
    if record is None:
        raise UsernameTaken(f"There is a user “{name}” already.")
    return row(User, record)


async def by_name(db: Connection, username: str) -> Account | None:
    """The account of a user name, whatever its case, or None."""
    try:
        record = await db.fetchrow(_BY_NAME, checked_name(username))
    except BadUsername:
        return None
    if record is None:
        return None
    fields = dict(record)
    return Account(password_hash=fields.pop("password_hash"), user=User(**fields))


async def authenticate(db: Connection, username: str, password: str, *, hasher: Passwords) -> User:
    """The user of a name and a password. An unknown name takes as long as a wrong password.

    Raises:
        BadPassword: longer than any password; told before anything is looked up or hashed.
        WrongCredentials: they do not fit.
    """
    passwords.refuse_oversized(password)
    account = await by_name(db, username)
    if not await hasher.verify(password, account.password_hash if account else None) or account is None:
        raise WrongCredentials("The user name or the password is wrong.")
    return account.user


async def set_password(
    db: Connection, user_id: UUID, password: str, *, hasher: Passwords, keep: bytes | None = None
) -> None:
    """Give a user a new password and end all sessions but the one whose hash is `keep`, in the caller's transaction.

    Raises:
        BadPassword: the rules refuse it.
    """
    passwords.validate(password)
    await db.execute(_SET_PASSWORD, user_id, await hasher.hash(password))
    await sessions.end_all(db, user_id, keep=keep)
