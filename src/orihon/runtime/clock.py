"""The database's clock decides when everything is due, and clocks are set back: by NTP, by a board that starts without
a battery, with a machine that is restored, by hand.

What was due a moment ago would then wait until the clock is there again, an hour for a clock that is an hour back. So
workers note the latest time that they have seen. Where the clock shows an earlier one, whatever waits for a time to
come is moved by the difference. A clock that jumps ahead needs nothing: what is due too early is done too early.

Nobody waits for what is not moved: a session, a hint that a worker waits and what is kept for days end that much later.
"""

from datetime import timedelta

import msgspec

from orihon.db.pool import Connection

STEP_SECONDS = 5.0
"""How far the clock may be behind: small corrections of a running clock are no matter, nor are two workers."""

_TICK = "UPDATE clock SET seen = clock_timestamp() WHERE seen < clock_timestamp() + $1 RETURNING true"

_LOCK = "SELECT true FROM clock FOR UPDATE SKIP LOCKED"

# A statement of its own, as the clock is read after the row is locked.
_BEHIND = "SELECT seen - clock_timestamp() FROM clock"

# Whoever holds a row for longer is waited for by the next look. Shorter than PostgreSQL's look for deadlocks, in which
# it might be another who fails.
_PATIENCE = "SET LOCAL lock_timeout = '500ms'"

# A running job keeps the time for which it was due, for when it is given back. A lease from before the step is known
# by the time of its writing; one that was renewed since is right. What is overdue by this is due now, and then in
# order of creation.
_JOBS = """
    WITH moved AS (
        UPDATE jobs
           SET scheduled_at = CASE WHEN scheduled_at > now() THEN greatest(scheduled_at - $1::interval, now())
                                   ELSE scheduled_at END,
               leased_until = CASE WHEN updated_at > now() THEN leased_until - $1::interval ELSE leased_until END,
               updated_at = least(updated_at, now())
         WHERE state IN ('pending', 'running')
           AND (scheduled_at > now() OR state = 'running' AND updated_at > now())
        RETURNING lane
    ), woken AS MATERIALIZED (
        SELECT pg_notify('jobs', lane) FROM (SELECT DISTINCT lane FROM moved) AS fed
    )
    SELECT (SELECT count(*) FROM moved), (SELECT count(*) FROM woken)
"""

_SCHEDULES = "UPDATE job_schedules SET next_at = greatest(next_at - $1::interval, now()) WHERE next_at > now()"

_PACE = """
    UPDATE host_pace
       SET next_at = least(next_at, greatest(next_at - $1::interval, now())), held_until = held_until - $1::interval
     WHERE next_at > now() OR held_until > now()
"""

# An entry that was written since is right.
_LIVE = """
    UPDATE live_status
       SET started_at = started_at - $1::interval, updated_at = updated_at - $1::interval,
           expires_at = expires_at - $1::interval
     WHERE updated_at > now()
"""

_NOTE = "UPDATE clock SET seen = clock_timestamp()"


class SetBack(msgspec.Struct, frozen=True, kw_only=True):
    """The clock was set back by so many seconds, at least, and so many jobs were moved with it."""

    seconds: float
    jobs: int


async def keep(db: Connection) -> SetBack | None:
    """Note the time; after a step back, move everything that waits for a time, in a transaction of its own.

    Any number of processes may call it, regularly: what lay between the last call before the step and the step itself
    is still waited for.

    Raises:
        asyncpg.LockNotAvailableError: somebody holds one of the rows; nothing was changed, call it again.
    """
    step = timedelta(seconds=STEP_SECONDS)
    if await db.fetchval(_TICK, step):
        return None
    async with db.transaction():
        await db.execute(_PATIENCE)
        if not await db.fetchval(_LOCK):
            return None
        behind: timedelta = await db.fetchval(_BEHIND)
        if behind <= step:
            return None
        jobs = await db.fetchval(_JOBS, behind)
        for statement in (_SCHEDULES, _PACE, _LIVE):
            await db.execute(statement, behind)
        await db.execute(_NOTE)
    return SetBack(seconds=behind.total_seconds(), jobs=jobs)
