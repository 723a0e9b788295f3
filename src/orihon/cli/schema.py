"""`orihon db`: the database and its schema."""

from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from orihon.cli.output import as_json, line, say
from orihon.cli.session import located
from orihon.cli.status import CommandFailed
from orihon.config import load
from orihon.db import migrate
from orihon.db.program import BINARIES
from orihon.db.server import database, reach, running

Json = Annotated[bool, Parameter("--json", negative="", help="Print JSON, for scripts.")]

app = App(name="db", help="The database: status, upgrade, url, binaries.")


class Report(msgspec.Struct):
    """What `db status` prints."""

    state: migrate.State
    revision: str | None
    head: str


@app.command
async def status(*, json: Json = False) -> int:
    """Say which schema the database has, and whether this Orihon can use it.

    The exit status is 0 if it can, else 1.

    For example:

    ```
    orihon db status
    orihon db status --json
    ```
    """
    async with database(located(load()), doing="orihon db status", say=say) as dsn:
        db = await reach(dsn)
        try:
            found = await migrate.status(db)
        finally:
            await db.close()
    if json:
        as_json(Report(found.state, found.revision, found.head))
    else:
        line(_WORDS[found.state].format(found=found.revision, head=found.head))
    return 0 if found.state is migrate.State.CURRENT else 1


@app.command
async def upgrade() -> None:
    """Bring the schema up to date. `orihon serve` does this by itself at each start.

    Where there is no library yet, an empty one is made. Either all missing migrations are applied or none. Back up
    first (`docs/operations.md`).

    For example:

    ```
    orihon db upgrade
    ```
    """
    async with database(load(), doing="orihon db upgrade", say=say) as dsn:
        await migrate.upgrade_in_child(dsn)
    line(f"The schema is {migrate.HEAD}, the newest.")


@app.command
async def url() -> None:
    """Print the address of the database, for `psql`, `pg_dump` and `pg_restore`.

    The embedded one has an address while `orihon serve` runs.

    For example:

    ```
    pg_dump "$(orihon db url)" --format=custom --file=orihon.dump
    ```
    """
    settings = located(load())
    address = settings.database_url or await running(settings.data / "postgres")
    if address is None:
        raise CommandFailed("The embedded PostgreSQL does not run. Start `orihon serve` first.")
    line(address)


@app.command
def binaries() -> None:
    """Print the folder of PostgreSQL's own programs, such as `pg_dump`, that fit the embedded server.

    For example:

    ```
    "$(orihon db binaries)/pg_dump" "$(orihon db url)" --format=custom --file=orihon.dump
    ```
    """
    line(str(BINARIES))


_WORDS = {
    migrate.State.CURRENT: "The schema is {head}, the newest.",
    migrate.State.EMPTY: "The database is empty. Run `orihon db upgrade`.",
    migrate.State.BEHIND: "The schema is {found}, and this Orihon needs {head}. Run `orihon db upgrade`.",
    migrate.State.NEWER: "The schema is {found}, made by a newer Orihon; this one knows up to {head}.",
}
