"""What every measurement shares: rows, interleaved rounds, a database, the peers, and the file of results.

A module of the bench names its rows in `ROWS` and yields them from `async def run(names)`, which measures only what is
asked for. `bench/__main__.py` lists the modules.
"""

import asyncio
import contextlib
import hashlib
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg
import msgspec

from orihon.db import migrate
from orihon.db.embedded import EmbeddedPostgres

HERE = Path(__file__).parent
ROOT = HERE.parent
WORK = HERE / ".work"
RESULTS = HERE / "results" / "latest.json"
ROUNDS = 5

TEMPLATE = "bench_template"

_MEMORY = Path("/dev/shm")


class Missing(Exception):
    """A measurement needs something that is not here; the text says what and how to get it."""


class Wrong(Exception):
    """A side did not do its work, so its figure means nothing."""


class Row(msgspec.Struct, kw_only=True):
    """One figure. For a ratio `value` is the ratio of medians, `min` and `max` are of the rounds' ratios."""

    name: str
    value: float
    unit: str
    ours: float
    reference: float | None
    n: int
    min: float
    max: float


TARGETS: dict[str, tuple[str, float]] = {
    "crawl_vs_gallery_dl_20ms": (">=", 4),
    "crawl_vs_bare_download": (">=", 0.5),
    "feed_walk_seen_media_per_s": (">=", 2000),
    "walk_memory_growth": ("<=", 1.2),
    "page_vs_bare_pathsend": (">=", 0.85),
    "page_vs_nginx": (">=", 0.28),
    "list_vs_floor": (">=", 0.7),
    "search_vs_sql": ("<=", 2.5),
    "search_sql_vs_reference": ("<=", 1.5),
    "list_flatness_10k_100k": ("<=", 1.5),
    "queue_vs_best_peer": (">=", 1.2),
    "enqueue_vs_best_peer": (">=", 1.5),
    "wakeup_p95_vs_best_peer": ("<=", 1.15),
    "queue_lease_flatness_1m": ("<=", 1.5),
    "start_warm_s": ("<=", 2.5),
    "start_cold_s": ("<=", 6),
    "idle_pss_mb": ("<=", 300),
    "first_view_js_kb": ("<=", 100),
    "first_view_lcp_s": ("<=", 1),
    "page_turn_p95_ms": ("<=", 16.7),
}
"""What each figure should be. A row without one is told for its own sake."""


def ratio(name: str, ours: Sequence[float], reference: Sequence[float]) -> Row:
    """Ours over theirs: of rates when more is better, of times when less is."""
    each = [mine / theirs for mine, theirs in zip(ours, reference, strict=True)]
    mine, theirs = statistics.median(ours), statistics.median(reference)
    return Row(
        name=name, value=mine / theirs, unit="ratio", ours=mine, reference=theirs, n=len(each), min=min(each),
        max=max(each),
    )  # fmt: skip


def figure(name: str, values: Sequence[float], unit: str) -> Row:
    """A quantity with nothing beside it: the median of its rounds."""
    middle = statistics.median(values)
    return Row(
        name=name, value=middle, unit=unit, ours=middle, reference=None, n=len(values), min=min(values),
        max=max(values),
    )  # fmt: skip


async def interleaved(
    sides: Sequence[Callable[[], Awaitable[float]]], *, rounds: int = ROUNDS, warm: bool = True
) -> list[list[float]]:
    """Measure the sides in turn, in the other order every second round; a first round warms up and is not counted."""
    measured: list[list[float]] = [[] for _ in sides]
    for number in range(-1 if warm else 0, rounds):
        order = list(range(len(sides)))
        for index in order if number % 2 == 0 else reversed(order):
            value = await sides[index]()
            if number >= 0:
                measured[index].append(value)
    return measured


def folder(name: str, *, empty: bool = False) -> Path:
    """A folder of the bench's own. Users that the server runs as can pass through it."""
    made = WORK / name
    if empty:
        shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        made.chmod(0o711)
    return made


@contextlib.contextmanager
def memory() -> Iterator[Path]:
    """A folder on a disk of memory, as quick to flush as a disk can be; it goes with the block.

    Raises:
        Missing: the system has none.
    """
    if not _MEMORY.is_dir():
        raise Missing(f"{_MEMORY} is not there: it takes Linux with its disk of shared memory")
    with tempfile.TemporaryDirectory(prefix="orihon-bench-", dir=_MEMORY) as made:
        if os.geteuid() == 0:
            Path(made).chmod(0o711)
        yield Path(made)


@asynccontextmanager
async def postgres(where: Path | None = None) -> AsyncIterator[EmbeddedPostgres]:
    """The embedded server as the product runs it, durable, with a migrated template; `where` None: on the disk."""
    server = EmbeddedPostgres(folder("postgres") if where is None else where / "postgres")
    await server.start("the bench")
    try:
        admin = await asyncpg.connect(server.dsn("postgres"))
        try:
            await admin.execute(f"DROP DATABASE IF EXISTS {TEMPLATE} WITH (FORCE)")
            await admin.execute(f"CREATE DATABASE {TEMPLATE}")
        finally:
            await admin.close()
        await migrate.upgrade_in_child(server.dsn(TEMPLATE))
        yield server
    finally:
        await server.stop()


async def database(server: EmbeddedPostgres, name: str, *, template: str = TEMPLATE) -> str:
    """A new database cloned from the template; its address."""
    admin = await asyncpg.connect(server.dsn("postgres"))
    try:
        await admin.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        await admin.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
    finally:
        await admin.close()
    return server.dsn(name)


def program(name: str, package: str | None = None) -> str:
    """The path of a program of the system.

    Raises:
        Missing: not installed.
    """
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if found is None:
        raise Missing(f"{name} is not installed (Debian: apt-get install {package or name})")
    return found


def peers(python: Path = Path(sys.executable)) -> Path:
    """The folder of programs of the peers' environment, made when it is missing or its requirements changed.

    `python`: whose environment; a peer may need another one than ours.

    Raises:
        Missing: they cannot be installed.
    """
    own = python == Path(sys.executable)
    requirements, environment = HERE / "requirements.txt", HERE / (".venv" if own else f".venv-{python.name}")
    if not requirements.is_file():
        raise Missing(f"{requirements.relative_to(ROOT)} is not here")
    wanted = hashlib.sha256(requirements.read_bytes()).hexdigest()
    stamp = environment / ".requirements"
    if not stamp.is_file() or stamp.read_text() != wanted:
        say(f"installing the peers into {environment.relative_to(ROOT)}")
        install = (environment / "bin" / "pip", "install", "--quiet", "--require-hashes", "-r", requirements)
        for command in ((python, "-m", "venv", "--clear", environment), install):
            if subprocess.run(command, check=False).returncode:
                raise Missing("the peers could not be installed (see above)")
        stamp.write_text(wanted)
    return environment / "bin"


async def stopped(process: asyncio.subprocess.Process, *, patience: float = 20) -> None:
    """End a process that the bench started, in earnest when it does not listen."""
    if process.returncode is None:
        process.terminate()
        try:
            await asyncio.wait_for(process.wait(), patience)
        except TimeoutError:
            process.kill()
            await process.wait()


def say(text: str) -> None:
    """A word on what is going on, apart from the results."""
    print(f"bench: {text}", file=sys.stderr, flush=True)


def verdict(row: Row) -> str:
    """The target of a row and whether it is met; empty without one."""
    if row.name not in TARGETS:
        return ""
    sign, bound = TARGETS[row.name]
    met = row.value >= bound if sign == ">=" else row.value <= bound
    return f"{sign} {bound:g} {'yes' if met else 'NO'}"


def table(rows: Iterable[Row]) -> str:
    """The rows for people."""
    lines = [("row", "value", "target", "ours", "reference", "n", "min", "max")]
    for row in rows:
        reference = "" if row.reference is None else f"{row.reference:.4g}"
        value = f"{row.value:.3g}" + ("" if row.unit == "ratio" else f" {row.unit}")
        numbers = (reference, str(row.n), f"{row.min:.3g}", f"{row.max:.3g}")
        lines.append((row.name, value, verdict(row), f"{row.ours:.4g}", *numbers))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.ljust, line, widths)).rstrip() for line in lines)


class Results(msgspec.Struct, kw_only=True):
    """The file of results."""

    machine: dict[str, str | int]
    rows: list[Row]


def merge(rows: Sequence[Row]) -> list[Row]:
    """Write the rows over those of the same name; everything that the file then holds, in the order of the targets."""
    held: dict[str, Row] = {}
    if RESULTS.is_file():
        with contextlib.suppress(msgspec.DecodeError):
            held = {row.name: row for row in msgspec.json.decode(RESULTS.read_bytes(), type=Results).rows}
    held |= {row.name: row for row in rows}
    order = {name: place for place, name in enumerate(TARGETS)}
    merged = sorted(held.values(), key=lambda row: (order.get(row.name, len(order)), row.name))
    RESULTS.parent.mkdir(exist_ok=True)
    data = msgspec.json.encode(Results(machine=machine(), rows=merged))
    RESULTS.write_bytes(msgspec.json.format(data, indent=2) + b"\n")
    return merged


def machine() -> dict[str, str | int]:
    """What was measured on."""
    processor = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                processor = line.partition(":")[2].strip()
                break
    return {
        "processor": processor,
        "cores": os.cpu_count() or 0,
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
    }
