"""Failures that are no job's fault: the database went away under it, a file that it had just stored did, or there is no
room on a disk.

They cost no attempt. However long the trouble lasts, no job may die of it.
"""

import asyncpg
import msgspec

from orihon.db.pool import is_cut_off, origins
from orihon.storage.errors import StorageFull, Vanished


class Interrupted(msgspec.Struct, frozen=True):
    """Something was taken from under the job in the middle of it; `how` in words, for the log."""

    how: str


class NoRoom(msgspec.Struct, frozen=True):
    """A disk is full, that of the store or that of the database; `reason` in words."""

    reason: str


DATABASE_FULL = (
    "The disk of the database is full, so nothing was changed. Free some space; the work goes on by itself then."
)


def excuse(error: BaseException) -> Interrupted | NoRoom | None:
    """What excuses a job that raised this; None: the attempt has failed."""
    if is_cut_off(error):
        return Interrupted("cut off from the database")
    for one in origins(error):
        if isinstance(one, StorageFull):
            return NoRoom(str(one))
        if isinstance(one, Vanished):
            return Interrupted("a file was swept away before its row was there")
        if isinstance(one, asyncpg.DiskFullError):
            return NoRoom(DATABASE_FULL)
    return None
