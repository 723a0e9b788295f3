"""The queue beside others: draining, putting in, waking up; and the lease beside a million ended jobs.

Each side is a process of its own with its own database on one server, whose settings are durable for all. A round of
a row measures each side once. Peers that are far behind in the first round, which is not counted, sit out the others;
the best one of those left, by its median, is the reference.

No module here is named like one of the standard library's: scripts of this folder would import it instead.
"""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from pathlib import Path

import msgspec

from bench import harness
from bench.queue_ours import LANE, Noop
from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Connection, connect
from orihon.jobs import leases, queue

ROWS = (
    "queue_vs_best_peer",
    "enqueue_vs_best_peer",
    "enqueue_vs_best_peer_in_memory",
    "enqueue_vs_bare_insert",
    "wakeup_p95_vs_best_peer",
    "queue_lease_flatness_1m",
)

PEERS = ("pgqueuer", "pgqueuer_pool", "pgqueuer_wide", "procrastinate")
SAME = {"enqueue": {"pgqueuer_pool", "pgqueuer_wide"}, "wakeup": {"pgqueuer_wide"}}
"""Sides that differ from another one in what does not matter there."""


DRAINED = 10_000
ENQUEUED = 1_000
SHORT_ROUNDS = 11
"""Short rounds, and many: what it takes to flush one job to the disk varies from second to second."""
WOKEN = 200
LEASED = 500

ENDED = {"done": 1_000_000, "dead": 100_000}

_END = """
    INSERT INTO jobs (lane, kind, payload, state, dedupe_key, updated_at)
    SELECT $3, 'noop', '{"kind": "noop", "at": 0.0}', $2, n::text, now() - make_interval(secs => n / 10)
      FROM generate_series(1, $1::integer) AS n
"""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """A queue under measurement, and how a process of it is started."""

    name: str
    command: tuple[str, ...]
    dsn: str

    def arguments(self, command: str, jobs: int) -> tuple[str, ...]:
        """The command line of one measurement."""
        return (*self.command, self.name, self.dsn, command, str(jobs))


async def run(names: set[str]) -> AsyncIterator[harness.Row]:
    """Measure the rows of these names."""
    async with harness.postgres() as postgres:
        if beside := names - {"queue_lease_flatness_1m", "enqueue_vs_best_peer_in_memory"}:
            ours, peers = await sides(postgres)
            if "queue_vs_best_peer" in beside:
                yield await best("queue_vs_best_peer", partial(rate, "drain", DRAINED), ours, peers)
            if "enqueue_vs_best_peer" in beside:
                yield await enqueueing("enqueue_vs_best_peer", ours, peers)
            if "enqueue_vs_bare_insert" in beside:
                bare = await installed(postgres, "bare", (sys.executable, "-m", "bench.queue_bare"))
                pair = [partial(rate, "enqueue", ENQUEUED, side) for side in (ours, bare)]
                yield harness.ratio("enqueue_vs_bare_insert", *await harness.interleaved(pair, rounds=SHORT_ROUNDS))
            if "wakeup_p95_vs_best_peer" in beside:
                yield await best("wakeup_p95_vs_best_peer", wakeup, ours, apart(peers, "wakeup"), less=True)
        if "queue_lease_flatness_1m" in names:
            yield await flatness(postgres)
    if "enqueue_vs_best_peer_in_memory" in names:
        # A flush costs every side the same; where it is slow it hides what the queues themselves do.
        with harness.memory() as memory:
            async with harness.postgres(memory) as postgres:
                yield await enqueueing("enqueue_vs_best_peer_in_memory", *await sides(postgres))


async def sides(postgres: EmbeddedPostgres) -> tuple[Side, list[Side]]:
    """Ours and the peers, each with a database on this server."""
    ours = await installed(postgres, "ours", (sys.executable, "-m", "bench.queue_ours"))
    return ours, [await installed(postgres, name, command) for name, command in peer_commands().items()]


async def enqueueing(name: str, ours: Side, peers: list[Side]) -> harness.Row:
    """The rate of putting jobs in one by one over that of the best peer."""
    clients = apart(peers, "enqueue")
    return await best(name, partial(rate, "enqueue", ENQUEUED), ours, clients, rounds=SHORT_ROUNDS)


def peer_commands() -> dict[str, tuple[str, ...]]:
    """The command of each peer that can run here."""
    module = ("-m", "bench.queue_peers")
    commands: dict[str, tuple[str, ...]] = dict.fromkeys(PEERS, (str(harness.peers() / "python"), *module))
    if newer := newer_python():
        commands["oban"] = (str(harness.peers(newer) / "python"), *module)
    else:
        harness.say("oban is left out: it needs Python 3.12 or newer, and there is none")
    return commands


def newer_python() -> Path | None:
    """A Python of 3.12 or newer on the path or among those of pyenv, the oldest one that works."""
    versions = Path.home() / ".pyenv" / "versions"
    for minor in range(12, 16):
        name = f"python3.{minor}"
        for found in (name, *sorted(versions.glob(f"3.{minor}.*/bin/{name}"))):
            asking = (str(found), "-c", "import sys; print(sys.executable)")
            try:
                asked = subprocess.run(asking, capture_output=True, text=True, check=True)
            except (OSError, subprocess.CalledProcessError):
                continue
            return Path(asked.stdout.strip())
    return None


async def installed(postgres: EmbeddedPostgres, name: str, command: tuple[str, ...]) -> Side:
    """A side with a database of its own."""
    dsn = await harness.database(postgres, f"queue_{name}", template="template0")
    side = Side(name=name, command=command, dsn=dsn)
    await _figure(side.arguments("install", 0))
    return side


def apart(peers: list[Side], measurement: str) -> list[Side]:
    """Peers without those that only measure another one twice: the best of more tries is better by luck."""
    return [peer for peer in peers if peer.name not in SAME[measurement]]


async def best(
    name: str,
    measure: Callable[[Side], Awaitable[float]],
    ours: Side,
    peers: list[Side],
    *,
    less: bool = False,
    rounds: int = harness.ROUNDS,
) -> harness.Row:
    """Our figure over that of the best peer; `less`: the smaller one is better."""
    first = {peer.name: await measure(peer) for peer in peers}
    harness.say(", ".join(f"{peer} {value:.4g}" for peer, value in first.items()))
    bound = 2 * min(first.values()) if less else max(first.values()) / 2
    staying = [peer for peer in peers if (first[peer.name] <= bound if less else first[peer.name] >= bound)]
    mine, *theirs = await harness.interleaved([partial(measure, side) for side in (ours, *staying)], rounds=rounds)
    harness.say(
        ", ".join(f"{side.name} {statistics.median(values):.4g}" for side, values in zip(staying, theirs, strict=True))
    )
    reference = (min if less else max)(theirs, key=statistics.median)
    return harness.ratio(name, mine, reference)


async def rate(command: str, jobs: int, side: Side) -> float:
    """Jobs a second of a command."""
    return jobs / await _figure(side.arguments(command, jobs))


async def wakeup(side: Side) -> float:
    """Seconds from enqueueing to the start by an idle worker, 95th percentile."""
    waiting = await _started(side.arguments("wait", WOKEN))
    assert waiting.stdout is not None
    if (said := await waiting.stdout.readline()) != b"waiting\n":
        raise harness.Wrong(f"The worker of {side.name} said {said!r}.")
    await _figure(side.arguments("trickle", WOKEN))
    return await _answer(waiting, side.name)


async def _figure(arguments: tuple[str, ...]) -> float:
    return await _answer(await _started(arguments), " ".join(arguments[-4:]))


async def _started(arguments: tuple[str, ...]) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(*arguments, cwd=harness.ROOT, stdout=asyncio.subprocess.PIPE)


async def _answer(process: asyncio.subprocess.Process, what: str) -> float:
    told, _ = await process.communicate()
    if process.returncode:
        raise harness.Wrong(f"{what} ended with status {process.returncode}.")
    return float(told.splitlines()[-1])


async def flatness(postgres: EmbeddedPostgres) -> harness.Row:
    """The median lease of one job beside a million finished and many dead ones, over that beside none."""
    full = await connect(await harness.database(postgres, "queue_full"))
    empty = await connect(await harness.database(postgres, "queue_empty"))
    try:
        for state, jobs in ENDED.items():
            await full.execute(_END, jobs, state, LANE.name)
        for db in (full, empty):
            await db.execute("VACUUM ANALYZE jobs")
            await db.execute("CHECKPOINT")
        measured = await harness.interleaved([partial(lease, full), partial(lease, empty)])
        return harness.ratio("queue_lease_flatness_1m", *measured)
    finally:
        await full.close()
        await empty.close()


async def lease(db: Connection) -> float:
    """The median seconds that a lease of one of many waiting jobs takes."""
    await queue.enqueue_many(db, [Noop(at=0.0)] * LEASED)
    seconds: list[float] = []
    claims: list[leases.Claim] = []
    for _ in range(LEASED):
        started = time.perf_counter()
        (leased,) = await leases.lease(db, LANE.name, 1)
        seconds.append(time.perf_counter() - started)
        claims.append(leased.claim)
    await leases.done_many(db, claims)
    return statistics.median(seconds)
