"""Passwords: what is accepted, and hashing off the event loop (public-api-auth 3.9)."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import structlog
from argon2 import PasswordHasher
from argon2.exceptions import Argon2Error, InvalidHashError

log = structlog.get_logger(__name__)

LEAST_BYTES = 8
MOST_BYTES = 1024

_THREADS = 2
"""argon2 wants memory (19 MiB) and a whole core for each; more at once only make everyone wait."""

# The first recommendation of OWASP for argon2id, and the defaults of the specs' own library.
_HASHER = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


class BadPassword(ValueError):
    """A password that is not accepted; the text says what would be."""


def validate(password: str) -> None:
    """Check a new password.

    Raises:
        BadPassword: shorter than 8 or longer than 1024 bytes of UTF-8.
    """
    size = len(password.encode("utf-8", "surrogatepass"))
    if size < LEAST_BYTES:
        raise BadPassword(f"A password needs at least {LEAST_BYTES} characters.")
    refuse_oversized(password)


def refuse_oversized(password: str) -> None:
    """Check a password that claims to be an existing one: only its length, which says nothing about any account.

    Raises:
        BadPassword: longer than 1024 bytes, before any hashing is paid for.
    """
    if len(password.encode("utf-8", "surrogatepass")) > MOST_BYTES:
        raise BadPassword(f"A password has at most {MOST_BYTES} bytes.")


def hash_now(password: str) -> str:
    """A salted argon2id hash in PHC form; takes tens of milliseconds and a core."""
    return _HASHER.hash(password.encode("utf-8", "surrogatepass"))


def verify_now(hashed: str, password: str) -> bool:
    """Whether a password fits a hash. A hash that makes no sense fits nothing."""
    try:
        return _HASHER.verify(hashed, password.encode("utf-8", "surrogatepass"))
    except (Argon2Error, InvalidHashError):
        return False


@cache
def _dummy() -> str:
    return hash_now("nobody has this password")


class Hashing:
    """Hashing in a small thread pool, so that a sign-in delays nobody's page."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="argon2")

    async def hash(self, password: str) -> str:
        """Hash a new password."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, hash_now, password)

    async def verify(self, hashed: str | None, password: str) -> bool:
        """Whether a password fits. `hashed` None (no such user): as much work, and False, so that time tells nothing.

        Hashing that breaks denies.
        """
        try:
            fits = await asyncio.get_running_loop().run_in_executor(
                self._threads, lambda: verify_now(hashed if hashed is not None else _dummy(), password)
            )
        except Exception:
            log.exception("a password could not be verified")
            return False
        return fits and hashed is not None

    def close(self) -> None:
        """Let the threads go."""
        self._threads.shutdown(wait=False)
