"""Passwords: rules, hashing and verification (public-api-auth 3.9). Argon2id never runs on the event loop."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

from orihon.accounts.errors import BadPassword

SHORTEST = 8
LONGEST = 1024
"""Bytes of UTF-8, both inclusive."""

_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)

DUMMY = "$argon2id$v=19$m=19456,t=2,p=1$b3JpaG9uLWR1bW15LXNhbHQ$u0GWN4wDWJRdZf8sJ1BIGhRcZbBHXHkK3zKIvJ4P1uQ"
"""A hash of nobody's password. Verifying against it makes an unknown name take as long as a wrong password."""

THREADS = 2
"""Hashes at a time: each takes 19 MiB, and a sign-in storm must leave the processor to readers."""


def validate(password: str) -> None:
    """Refuse a new password that is too short or too long.

    Raises:
        BadPassword: with what would do.
    """
    size = len(encoded(password))
    if size < SHORTEST:
        raise BadPassword(f"The password is too short: at least {SHORTEST} letters, digits or signs.")
    refuse_oversized(password)


def refuse_oversized(password: str) -> None:
    """Refuse a password that is too long to be hashed; a short one that was set long ago may still be given.

    Raises:
        BadPassword: with what would do.
    """
    if len(encoded(password)) > LONGEST:
        raise BadPassword(f"The password is too long: at most {LONGEST} bytes.")


def encoded(password: str) -> bytes:
    """The bytes that are hashed; lone surrogates, which JSON can smuggle in, are no text.

    Raises:
        BadPassword: the password is no text.
    """
    try:
        return password.encode()
    except UnicodeEncodeError as error:
        raise BadPassword("The password holds characters that are no text.") from error


class Passwords:
    """Hashes and verifies on threads of its own, a few at a time; the rest wait in line."""

    def __init__(self, threads: int = THREADS) -> None:
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="argon2")

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def hash(self, password: str) -> str:
        """A new hash with a salt of its own, as a PHC string."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _HASHER.hash, encoded(password))

    async def verify(self, password: str, known: str | None) -> bool:
        """Whether a password fits a hash. None stands for an unknown user: it takes as long and never fits."""
        fits = await asyncio.get_running_loop().run_in_executor(self._threads, _fits, known or DUMMY, password)
        return fits and known is not None


def _fits(known: str, password: str) -> bool:
    """Whether it fits. Any trouble is a no: to deny is the safe default."""
    try:
        return _HASHER.verify(known, encoded(password))
    except (Argon2Error, InvalidHashError, BadPassword):
        return False
