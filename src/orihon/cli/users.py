"""`orihon user`: accounts."""

import getpass
import sys
from typing import Annotated

from cyclopts import App, Parameter

from orihon.accounts import users
from orihon.accounts.errors import AccountError
from orihon.accounts.passwords import Passwords
from orihon.cli.output import line
from orihon.cli.session import connected, located
from orihon.cli.status import CommandFailed
from orihon.config import load

Name = Annotated[str, Parameter(help="The user's name.")]
Stdin = Annotated[
    bool, Parameter("--password-stdin", negative="", help="Read the password from standard input instead of asking.")
]

app = App(name="user", help="Accounts: add, password.")


@app.command
async def add(
    username: Name,
    *,
    admin: Annotated[bool, Parameter(negative="", help="Let this user run the installation.")] = False,
    password_stdin: Stdin = False,
) -> None:
    """Make an account. The password is asked for twice and not shown.

    For example:

    ```
    orihon user add kana
    orihon user add kana --admin
    pass show orihon | orihon user add kana --password-stdin
    ```
    """
    located(load())  # before anybody types a password
    password = _password(from_stdin=password_stdin)
    hasher = Passwords()
    try:
        async with connected("user add") as db:
            user = await users.add(db, username, password, admin=admin, hasher=hasher)
    except AccountError as error:
        raise CommandFailed(str(error)) from error
    finally:
        hasher.close()
    line(f"{'The administrator' if user.is_admin else 'The user'} “{user.username}” can sign in.")


@app.command
async def password(username: Name, *, password_stdin: Stdin = False) -> None:
    """Give a user a new password, and end every session of theirs.

    For example:

    ```
    orihon user password admin
    ```
    """
    located(load())
    new = _password(from_stdin=password_stdin)
    hasher = Passwords()
    try:
        async with connected("user password") as db, db.transaction():
            account = await users.by_name(db, username)
            if account is None:
                raise CommandFailed(f"There is no user “{username}”.")
            await users.set_password(db, account.user.id, new, hasher=hasher)
    except AccountError as error:
        raise CommandFailed(str(error)) from error
    finally:
        hasher.close()
    line(f"“{username}” has a new password, and was signed out everywhere.")


def _password(*, from_stdin: bool) -> str:
    if from_stdin:
        return sys.stdin.readline().rstrip("\r\n")
    if not sys.stdin.isatty():
        raise CommandFailed("There is no terminal to ask for the password on. Use --password-stdin.")
    first = getpass.getpass("Password: ")
    if getpass.getpass("Once more: ") != first:
        raise CommandFailed("The two passwords differ.")
    return first
