"""`orihon demo`, `orihon demo-site`: a library that fills while one watches."""

import os
import secrets
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from cyclopts import Parameter
from cyclopts.validators import Number

from orihon.cli.output import line, say
from orihon.cli.serve import heed_ctrl_c, override, supervise
from orihon.cli.status import CommandFailed
from orihon.config import Settings, load
from orihon.db import identity
from orihon.db.embedded import make_folder
from orihon.db.pool import Connection, connect
from orihon.runtime import lifeline
from orihon.supervisor.supervise import WEB, WORKER, Part, Ready, Supervisor, orihon

if TYPE_CHECKING:
    from orihon.ingest.sources import NewSource

HOST = "127.0.0.1"
FOLDER = Path("demo-data")

CREATORS = {"wren-calloway": "Wren Calloway", "haru-mizuno": "水野 はる", "ren-kuroda": "Ren Kuroda"}
"""Who posts at the sample site. Asked of the site itself, they would cost a start the loading of its drawing code."""

FOLDER_OF_ROOT = Path("/var/lib/orihon-demo")
"""Used instead when root stands in a folder that PostgreSQL's user cannot enter."""

Port = Annotated[int, Parameter(validator=Number(gte=0, lte=65_535))]


def demo(*, with_: Path | None = None, port: int | None = None, data: Path | None = None) -> int:
    """Run everything with a sample site that fills the library while you watch.

    Everything stays in one folder (`demo-data`, or ORIHON_DATA), and a second `orihon demo` goes on where the first
    one stopped. Ctrl-C stops every process.

    For example:

    ```
    orihon demo
    orihon demo --port 9000
    orihon demo --with ~/comics
    ```

    Parameters
    ----------
    with_
        A folder of real images to show as well: each sub-folder is a title.
    port
        Port to listen on, instead of PORT.
    data
        The data directory, instead of ORIHON_DATA.
    """
    heed_ctrl_c()
    override(PORT=port, ORIHON_DATA=data)
    if "ORIHON_DATA" not in os.environ:
        override(ORIHON_DATA=_folder())
    settings = load()
    make_folder(settings.data)
    site = ("demo-site", *(("--with", str(with_)) if with_ else ()))
    address = _address(site)
    origin = address.removesuffix("/works/")
    override(
        ORIHON_PRIVATE_ORIGINS=",".join([*settings.private_origins, origin]),
        CRAWLER_RATE_MS=0,
        ADMIN_USERNAME=settings.admin_username or "admin",
        ADMIN_PASSWORD=settings.admin_password or _password(settings.data / "demo-sign-in"),
    )
    settings = load()

    # A walk that finds nobody at home is tried again only after a minute or two.
    worker = Part("worker", WORKER.command, beats=True, after=(HOST, urlsplit(address).port or 80))

    async def follow(dsn: str) -> None:
        await _follow(dsn, address, origin)

    return supervise(
        Supervisor(
            settings,
            parts=(Part("sample site", orihon(*site)), WEB, worker),
            prepared=follow,
            ready=lambda ready: _welcome(ready, settings),
            say=say,
            doing="orihon demo",
        )
    )


def demo_site(
    *, with_: Path | None = None, port: Port = 0, address: bool = False, fault: list[str] | None = None
) -> None:
    """Run the sample site alone, on this machine only.

    It is an original catalogue, drawn by code when asked for.

    For example:

    ```
    orihon demo-site
    orihon demo-site --with ~/comics
    orihon demo-site --fault server_error=0.05 --fault cut_body=0.02
    ORIHON_PRIVATE_ORIGINS=http://127.0.0.1:23000 orihon serve
    ```

    Parameters
    ----------
    with_
        A folder of real images to show as well: each sub-folder is a title.
    port
        Port to listen on. Left out: the one of earlier runs, which is kept in the data directory.
    address
        Only print where the site will be, and keep that port for it.
    fault
        A fault, and the share of requests that get it, as `NAME=RATE`. It can be given several times.
        `docs/sample-site.md` lists the names. Without a rate every request gets it.
    """
    settings = load()
    lifeline.watch(1)
    try:
        from orihon import samplesite
        from orihon.samplesite import faults
    except ModuleNotFoundError as error:
        raise CommandFailed(str(error)) from error
    folder = samplesite.site_folder(settings.data)
    try:
        if address:
            if with_:
                samplesite.folder.works(with_)
            kept = port or samplesite.kept_port(HOST, folder)
            line(f"http://{HOST}:{kept}/works/")
        else:
            rules = [faults.parse(text) for text in fault or ()]
            samplesite.serve(HOST, port, settings.data, with_, lambda url: say(f"the sample site is at {url}"), rules)
    except (samplesite.PortTaken, samplesite.BadFolder, faults.BadRule) as error:
        raise CommandFailed(str(error)) from error


def _folder() -> Path:
    who = identity.choose(FOLDER / "postgres" / "data", os.environ.get("ORIHON_POSTGRES_USER"))
    if identity.closed_to(who, Path.cwd()) is None:
        return FOLDER
    say(f"PostgreSQL runs as {who.name} and cannot enter {Path.cwd()}, so the demo keeps its data in {FOLDER_OF_ROOT}")
    return FOLDER_OF_ROOT


def _address(site: tuple[str, ...]) -> str:
    """Where the sample site will be. Asked of a child, so that the supervisor loads no drawing code."""
    asked = subprocess.run(orihon(*site, "--address"), capture_output=True, text=True, check=False)
    if asked.returncode:
        raise CommandFailed(asked.stderr.strip().removeprefix("orihon: "))
    return asked.stdout.strip()


def _password(path: Path) -> str:
    """The demo's password, made once. It is kept readable, so that every start can print the sign-in."""
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        made = secrets.token_urlsafe(9)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(f"{made}\n")
        return made


async def _follow(dsn: str, address: str, origin: str) -> None:
    """Both kinds of source: the catalogue, and whoever posts."""
    from orihon.ingest.sources import NewSource

    catalogue = NewSource(
        url=address, name="Sample site", settings={"profile": "sample"}, content="all", interval_seconds=60
    )
    feeds = [
        NewSource(
            url=f"{origin}/api/creators/{slug}",
            adapter="sample_feed",
            name=name,
            # The site draws every image of a page of posts before it answers, on a machine that has much to do.
            settings={"count": 5},
            interval_seconds=60,
        )
        for slug, name in CREATORS.items()
    ]
    db = await connect(dsn)
    try:
        for source in (catalogue, *feeds):
            await _walk(db, source)
    finally:
        await db.close()


_FOLLOWED = "SELECT id FROM sources WHERE adapter = $1 AND url = $2 AND removed_at IS NULL"


async def _walk(db: Connection, new: "NewSource") -> None:
    """Follow a source, or look at once what is new at one that an earlier demo followed."""
    from orihon.ingest import sources

    held = await db.fetchval(_FOLLOWED, new.adapter, new.url)
    async with db.transaction():
        if held is None:
            await sources.add(db, new)
        else:
            await sources.run_now(db, held)


def _welcome(ready: Ready, settings: Settings) -> None:
    from rich.console import Console
    from rich.panel import Panel
    from rich.text import Text

    text = Text.assemble(
        ("A library that fills while you watch\n\n", "bold"),
        ("Open      ", "dim"), (f"{ready.url}\n", "bold cyan"),
        ("Sign in   ", "dim"), f"{ready.username}  /  {settings.admin_password}\n",
        ("Data      ", "dim"), f"{settings.data.resolve()}\n\n",
        ("Ctrl-C stops everything; the next start goes on from here.", "dim"),
    )  # fmt: skip
    Console().print(Panel(text, title="Orihon", expand=False, padding=(1, 3)))
