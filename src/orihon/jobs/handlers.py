"""What a job handler gets, what it answers, and the list of them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Generic, TypeVar

import msgspec

from orihon.db.pool import Pool
from orihon.jobs.leases import Claim
from orihon.jobs.payloads import Payload, kind_of
from orihon.runtime import live_status
from orihon.runtime.live_status import LiveStatus

P = TypeVar("P", bound=Payload)


class Job(msgspec.Struct, Generic[P], frozen=True, kw_only=True):
    """A job in the hands of its handler."""

    payload: P
    claim: Claim
    pool: Pool

    def status(self, key: str, *, kind: str) -> AbstractAsyncContextManager[LiveStatus]:
        """Show the work to people while the block runs (see `runtime.live_status`)."""
        return live_status.report(self.pool, key, kind=kind)


class Done(msgspec.Struct, frozen=True):
    """The work is done; the worker finishes the job."""


class Settled(msgspec.Struct, frozen=True):
    """The handler has finished, failed or continued the job itself, in its own transaction."""


class Postpone(msgspec.Struct, frozen=True):
    """Not now, through no fault of the job: give it back, attempt refunded, due in `seconds`."""

    seconds: float
    reason: str


class GiveUp(Exception):
    """Raised by a handler when no other attempt can succeed: the job is dead at once."""


Result = Done | Settled | Postpone

Handler = Callable[[Job[Any]], Awaitable[Result]]
"""Runs one job. Raising means failure: the job is tried again after a backoff. Must bear repetition."""


class BadHandlers(Exception):
    """The list of handlers has a hole or a double. The text names the kind."""


class Entry(msgspec.Struct, frozen=True):
    """A kind of job and what runs it."""

    payload: type[Payload]
    handler: Handler


def registry(pairs: Iterable[tuple[type[Payload], Handler]], *, kinds: Iterable[type[Payload]]) -> Mapping[str, Entry]:
    """Handlers by kind, checked at start: each of `kinds` has exactly one.

    Raises:
        BadHandlers: a kind has none or two, or is none of `kinds`.
    """
    found: dict[str, Entry] = {}
    for payload, handler in pairs:
        kind = kind_of(payload)
        if kind in found:
            raise BadHandlers(f"Two handlers for {kind} jobs. Register one of them only.")
        found[kind] = Entry(payload, handler)
    known = {kind_of(payload) for payload in kinds}
    if missing := sorted(known - found.keys()):
        raise BadHandlers(f"No handler for {', '.join(missing)} jobs: they would wait for ever. Register one for each.")
    if strange := sorted(found.keys() - known):
        raise BadHandlers(f"Handlers for {', '.join(strange)}, which are no known kinds. Add them to KINDS.")
    return found
