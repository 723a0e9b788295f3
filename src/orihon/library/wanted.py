"""Works that an operator wants: sources with `content = wanted` bring their chapters."""

from uuid import UUID

import asyncpg

from orihon.db.pool import Connection

_ADD = "INSERT INTO wanted_works (work_id) VALUES ($1) ON CONFLICT DO NOTHING"


async def add(db: Connection, work_id: UUID) -> bool:
    """Mark a work as wanted; marking it again changes nothing. False: there is no such work."""
    try:
        async with db.transaction():
            await db.execute(_ADD, work_id)
    except asyncpg.ForeignKeyViolationError:
        return False
    return True


async def remove(db: Connection, work_id: UUID) -> None:
    """Want a work no more. What is held stays, what is queued still comes."""
    await db.execute("DELETE FROM wanted_works WHERE work_id = $1", work_id)
