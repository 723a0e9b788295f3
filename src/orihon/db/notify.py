"""The notify bus: hints between processes. What they hint at is always read from the tables (DESIGN ruling 16)."""

from orihon.db.pool import Connection

CHANNELS = ("jobs", "library", "sources", "sessions", "media")
"""Every channel of the product."""

PAYLOAD_LIMIT = 7999
"""Bytes that PostgreSQL takes with a notification."""

_NOTIFY = "SELECT pg_notify($1, $2)"


async def notify(db: Connection, channel: str, payload: str = "") -> None:
    """Send a hint when the surrounding transaction commits; equal ones of a transaction are sent once.

    Raises:
        ValueError: no such channel, or a payload too large to send.
    """
    if channel not in CHANNELS:
        raise ValueError(f"There is no channel {channel!r}; there are {', '.join(CHANNELS)}.")
    if len(payload.encode()) > PAYLOAD_LIMIT:
        raise ValueError(f"A notification holds {PAYLOAD_LIMIT} bytes; send a key, not the thing.")
    await db.execute(_NOTIFY, channel, payload)
