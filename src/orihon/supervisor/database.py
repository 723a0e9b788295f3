"""The database as the supervisor sees it: a server that is kept alive, and a schema that is current."""

import asyncio

from orihon.config import Settings
from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import DatabaseError
from orihon.db.pool import connect
from orihon.runtime.pulse import Silence
from orihon.supervisor.errors import SupervisorError
from orihon.supervisor.service import Say, Service

# Whether `accounts.bootstrap` has nothing to do.
_ADMINISTERED = """
    SELECT EXISTS (SELECT FROM users WHERE $1::text IS NULL OR (is_admin AND lower(username) = lower(btrim($1))))
"""


LOOKS = 10
"""At the server in the time that it may be silent. After it was woken, half as many decide."""

ENDS_WITHIN = 10.0
"""Before a server that hangs is ended by force."""


class Database(Service):
    """The embedded PostgreSQL.

    Args:
        settings: of this installation.
        say: told what happens, in words.
        most_silent: seconds without an answer after which it hangs: it is woken, in case somebody stopped it, and if
            that does not help ended and started again.
        ends_within: seconds in which it may then end in order.
    """

    name = "PostgreSQL"

    def __init__(self, settings: Settings, say: Say, *, most_silent: float, ends_within: float = ENDS_WITHIN) -> None:
        self.server = EmbeddedPostgres(settings.data / "postgres", user=settings.postgres_user, say=say)
        self._say = say
        self._most_silent = most_silent
        self._ends_within = ends_within

    @property
    def is_new(self) -> bool:
        """Whether the first start is still to come."""
        return not self.server.data.exists()

    async def start(self) -> None:
        try:
            await self.server.start("orihon serve")
        except DatabaseError as error:
            raise SupervisorError(str(error)) from error

    async def ended(self) -> str:
        ended = asyncio.ensure_future(self.server.wait())
        hangs = asyncio.ensure_future(self._hangs())
        try:
            await asyncio.wait([ended, hangs], return_when=asyncio.FIRST_COMPLETED)
            if not ended.done():
                hangs.result()
                await self.server.stop(self._ends_within)
                return f"it did not answer for {self._most_silent:g} s, so it was stopped"
            status = ended.result()
            return f"killed by signal {-status}" if status < 0 else f"exit status {status}"
        finally:
            ended.cancel()
            hangs.cancel()
            await asyncio.gather(ended, hangs, return_exceptions=True)

    async def stop(self, seconds: float) -> None:
        await self.server.stop(seconds)

    async def _hangs(self) -> None:
        """Return when it hangs and cannot be woken."""
        rhythm = self._most_silent / LOOKS
        while True:
            await self._silent(rhythm)
            self._say(f"PostgreSQL does not answer for {self._most_silent:g} s; waking it, in case it was stopped")
            self.server.wake()
            for _ in range(LOOKS // 2):
                if await self.server.answers(rhythm):
                    self._say("PostgreSQL answers again")
                    break
                await asyncio.sleep(rhythm)
            else:
                return

    async def _silent(self, rhythm: float) -> None:
        """Return when it was silent for too long."""
        loop = asyncio.get_running_loop()
        most = self._most_silent
        silence = Silence(most=most, first=most, rhythm=rhythm, now=loop.time())
        while not silence.too_long(loop.time()):
            await asyncio.sleep(rhythm)
            if await self.server.answers(rhythm):
                silence.heard(loop.time())


async def prepare(dsn: str, settings: Settings, say: Say, upgrader: migrate.Upgrader) -> str | None:
    """Bring the schema up to date and make sure that there is an administrator.

    A plain query decides, so that a warm start pays for neither Alembic nor a password hash.

    Returns:
        The password of an administrator that was just made, to be shown once.

    Raises:
        DatabaseError: the schema cannot be brought up to date.
    """
    db = await connect(dsn)
    try:
        found = await migrate.status(db)
        if found.state is not migrate.State.CURRENT:
            if found.state is not migrate.State.NEWER:
                say("bringing the database schema up to date")
                await upgrader.run(dsn)
            await migrate.require_current(db)
        named = settings.admin_username if settings.admin_password else None
        if await db.fetchval(_ADMINISTERED, named):
            return None
        from orihon.accounts import bootstrap, errors

        try:
            return await bootstrap.ensure_admin(db, settings)
        except errors.AccountError as error:
            raise SupervisorError(f"ADMIN_USERNAME and ADMIN_PASSWORD cannot be used. {error}") from error
    finally:
        await db.close()
