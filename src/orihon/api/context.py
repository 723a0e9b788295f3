"""What the web process works with: what it is given, and what it keeps in memory."""

import time
from collections.abc import Callable

import msgspec
from litestar.di import NamedDependency
from litestar.params import SkipValidation

from orihon.accounts.limiter import Limiter
from orihon.accounts.passwords import Passwords
from orihon.accounts.sessions import SessionCache
from orihon.api import looks
from orihon.api.answers import Answers
from orihon.api.feeds import Feeds
from orihon.config import Settings
from orihon.db.notify import Bus
from orihon.db.pool import Pool
from orihon.media.thumbnails import Thumbnails
from orihon.storage.local import LocalStorage


class Services(msgspec.Struct, frozen=True, kw_only=True):
    """What the web process is given; whoever opened it closes it."""

    settings: Settings
    pool: Pool
    storage: LocalStorage
    thumbnails: Thumbnails
    bus: Bus


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """The services, and what this process remembers. Nothing here would be missed after a restart."""

    services: Services
    sessions: SessionCache
    limiter: Limiter
    passwords: Passwords
    answers: Answers
    feeds: Feeds

    @property
    def settings(self) -> Settings:
        """The settings of this installation."""
        return self.services.settings

    @property
    def pool(self) -> Pool:
        """Connections to the database."""
        return self.services.pool


Given = NamedDependency[SkipValidation[Context]]
"""How a handler asks for the context, as a parameter named `context`."""


def make(services: Services, *, now: Callable[[], float] = time.monotonic) -> Context:
    """A context whose caches listen to the bus. `now` is the limiter's clock, in seconds."""
    settings = services.settings
    sessions = SessionCache(services.pool, now=time.time)
    sessions.listen(services.bus)
    return Context(
        services=services,
        sessions=sessions,
        limiter=Limiter(settings.auth_rate_per_sec, settings.auth_rate_burst, now=now),
        passwords=Passwords(),
        answers=Answers(services.bus),
        feeds=Feeds(services.pool, services.bus, looks.LOOKS),
    )
