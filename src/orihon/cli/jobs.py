"""`orihon jobs`: what waits, what runs, and what has given up."""

from typing import Annotated
from uuid import UUID

from cyclopts import App, Parameter
from cyclopts.validators import Number

from orihon.cli.output import Entry, as_json, line, table
from orihon.cli.session import connected
from orihon.cli.status import CommandFailed
from orihon.jobs import board, upkeep

Json = Annotated[bool, Parameter("--json", negative="", help="Print JSON, for scripts.")]
Kind = Annotated[str | None, Parameter(help="Only jobs of this kind, such as `fetch_chapter`.")]
Limit = Annotated[int, Parameter(help="How many at most.", validator=Number(gte=1))]

app = App(name="jobs", help="The queue: counts, list, dead, requeue.")


@app.command
@app.default
async def counts(*, json: Json = False) -> None:
    """How many jobs wait, run and have given up in each lane.

    For example:

    ```
    orihon jobs counts
    orihon jobs counts --json
    ```
    """
    async with connected("jobs counts") as db:
        lanes = await board.counts(db)
    if json:
        as_json(lanes)
        return
    table(
        ("Lane", "Waiting", "Running", "Given up", "Oldest due"),
        (
            (Entry(lane.lane), lane.pending, lane.running, lane.dead, _seconds(lane.oldest_due_seconds))
            for lane in lanes
        ),
        empty="The queue is empty.",
    )


@app.command(name="list")
async def list_jobs(
    *,
    state: Annotated[board.State, Parameter(help="Which ones.")] = "pending",
    kind: Kind = None,
    limit: Limit = 50,
    offset: Annotated[int, Parameter(help="How many to leave out first.", validator=Number(gte=0))] = 0,
    json: Json = False,
) -> None:
    """List jobs of one state.

    For example:

    ```
    orihon jobs list
    orihon jobs list --state running
    orihon jobs list --state dead --kind fetch_chapter --json
    ```
    """
    async with connected("jobs list") as db:
        found = await board.listed(db, state, kind=kind, limit=limit, offset=offset)
    if json:
        as_json(found)
        return
    over = state in {"done", "dead"}
    table(
        ("Job", "Kind", "Tries", "Ended" if over else "Due"),
        (
            (
                Entry(job.id, (job.last_error,)),
                job.kind,
                f"{job.attempts}/{job.max_attempts}",
                job.updated_at if over else job.scheduled_at,
            )
            for job in found
        ),
        empty=f"No job is {state}.",
    )


@app.command
async def dead(*, kind: Kind = None, limit: Limit = 50, json: Json = False) -> None:
    """List jobs that have given up, with the reason.

    For example:

    ```
    orihon jobs dead
    ```
    """
    await list_jobs(state="dead", kind=kind, limit=limit, json=json)


@app.command
async def requeue(
    job: Annotated[UUID | None, Parameter(help="One job, as `orihon jobs dead` names it.")] = None,
    *,
    kind: Kind = None,
    everything: Annotated[bool, Parameter(negative="", help="All of them.")] = False,
) -> None:
    """Give jobs that have given up another try.

    For example:

    ```
    orihon jobs requeue 01890a5d-ac96-774b-bcce-b302099a8057
    orihon jobs requeue --kind fetch_chapter
    orihon jobs requeue --everything
    ```
    """
    if [job is not None, kind is not None, everything].count(True) != 1:
        raise CommandFailed("Say what to requeue: one job, or --kind KIND, or --everything.")
    async with connected("jobs requeue") as db:
        count = await upkeep.requeue(db, kind=kind, job_id=job)
    line(f"{count} {'job waits' if count == 1 else 'jobs wait'} again.")


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.0f} s"
