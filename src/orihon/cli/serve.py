"""`orihon serve`, `orihon web`, `orihon worker`: the long-lived processes.

Nothing here imports the parser of the command line: these modules stay loaded for as long as the process runs.
"""

import asyncio
import os
import signal
from pathlib import Path

import msgspec

from orihon.cli.output import flush, line, say
from orihon.cli.status import UNUSABLE, CommandFailed
from orihon.config import ConfigError, Settings, load
from orihon.runtime import lifeline
from orihon.supervisor.errors import SupervisorError
from orihon.supervisor.supervise import Ready, Supervisor, run


def serve(*, port: int | None = None, data: Path | None = None) -> int:
    """Run everything on this machine: PostgreSQL, web and worker.

    The first start makes the database and an administrator, whose password is printed once. Parts that die are
    started again. Ctrl-C or SIGTERM stops everything in order; a second one does not wait for running work.

    For example:

    ```
    orihon serve
    orihon serve --port 9000 --data /srv/orihon
    ORIHON_HOST=0.0.0.0 PRIVATE_MODE=true orihon serve
    DATABASE_URL=postgresql://orihon@db/orihon orihon serve
    ```

    Parameters
    ----------
    port
        Port to listen on, instead of PORT.
    data
        The data directory, instead of ORIHON_DATA.
    """
    heed_ctrl_c()
    override(PORT=port, ORIHON_DATA=data)
    return supervise(Supervisor(load(), ready=announce, say=say))


def web() -> int:
    """Run the web process alone: the API, the files and the web app.

    For several machines on one PostgreSQL (DATABASE_URL). On the machine of a running `orihon serve` it uses its
    database.

    For example:

    ```
    DATABASE_URL=postgresql://orihon@db/orihon orihon web
    ```
    """
    settings = _ready_settings("web")
    from orihon.app.web import run_web

    return run_web(settings)


def worker(*, lanes: str | None = None) -> int:
    """Run a worker alone: it takes jobs until it is stopped.

    Any number may run, on any number of machines.

    For example:

    ```
    orihon worker
    orihon worker --lanes crawl,media
    ```

    Parameters
    ----------
    lanes
        Queues to work on, separated by commas. All of them if left out.
    """
    settings = _ready_settings("worker")
    from orihon.app.worker import LANES, run_worker

    chosen = tuple(lane.strip() for lane in lanes.split(",") if lane.strip()) if lanes else tuple(LANES)
    for lane in chosen:
        if lane not in LANES:
            raise CommandFailed(f"There is no lane {lane!r}. The lanes are {', '.join(LANES)}.", UNUSABLE)
    return run_worker(settings, chosen)


def override(**variables: object) -> None:
    """Let options of the command line win over the environment, for this process and its children."""
    for name, value in variables.items():
        if value is not None:
            os.environ[name] = str(value)


def heed_ctrl_c() -> None:
    """Let SIGINT end us from the first moment, although a script's shell ignores it for what it starts with `&`."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def supervise(supervisor: Supervisor) -> int:
    """Run a supervisor; the exit status.

    Raises:
        CommandFailed, DatabaseError: Orihon cannot run.
    """
    try:
        run(supervisor)
    except SupervisorError as error:
        raise CommandFailed(str(error)) from error
    return 0


def announce(ready: Ready) -> None:
    """Tell where to look."""
    line(f"Orihon is ready: {ready.url}")
    flush()


def _ready_settings(part: str) -> Settings:
    """Settings with a database that answers, of a process that ends with its supervisor."""
    settings = load()
    lifeline.watch(settings.drain_seconds)
    return msgspec.structs.replace(settings, database_url=asyncio.run(_database(settings, part)))


async def _database(settings: Settings, part: str) -> str:
    from orihon.db.migrate import require_current
    from orihon.db.server import await_server, running

    dsn = settings.database_url or await running(settings.data / "postgres")
    if dsn is None:
        raise ConfigError(
            f"`orihon {part}` alone needs a database: name one in DATABASE_URL, or start `orihon serve`, "
            f"which brings its own and runs {part} as well."
        )
    db = await await_server(dsn, say)
    try:
        await require_current(db)
    finally:
        await db.close()
    return dsn
