"""The database as the supervisor sees it: a server that is kept alive, and a schema that is current."""

from orihon.config import Settings
from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.errors import DatabaseError
from orihon.db.pool import connect
from orihon.supervisor.errors import SupervisorError
from orihon.supervisor.service import Say, Service

# Whether `accounts.bootstrap` has nothing to do.
_ADMINISTERED = """
    SELECT EXISTS (SELECT FROM users WHERE $1::text IS NULL OR (is_admin AND lower(username) = lower(btrim($1))))
"""


class Database(Service):
    """The embedded PostgreSQL."""

    name = "PostgreSQL"

    def __init__(self, settings: Settings, say: Say) -> None:
        self.server = EmbeddedPostgres(settings.data / "postgres", user=settings.postgres_user, say=say)

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
        status = await self.server.wait()
        return f"killed by signal {-status}" if status < 0 else f"exit status {status}"

    async def stop(self, seconds: float) -> None:
        await self.server.stop(seconds)


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
