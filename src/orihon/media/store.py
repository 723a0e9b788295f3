"""Store once: one row and one file per distinct content (DESIGN section 5)."""

from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.media.inbound import Probed
from orihon.media.sniff import EXTENSIONS, Format
from orihon.storage.errors import StorageError
from orihon.storage.local import LocalStorage


class Medium(msgspec.Struct, frozen=True, kw_only=True):
    """A medium as its row says."""

    id: UUID
    sha256: bytes
    format: Format
    size: int
    width: int
    height: int
    state: str


# The lock is the sweeper's, too: it removes a file only under it, so a row that is made here is never left without.
_LOCK = "SELECT pg_advisory_xact_lock(('x' || encode(substr($1::bytea, 1, 8), 'hex'))::bit(64)::bigint)"

_KEEP = """
    INSERT INTO media (sha256, format, size, width, height, orientation)
    VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (sha256) DO UPDATE SET kept_at = now()
    RETURNING id, sha256, format, size, width, height, state
"""

_LOCATE = """
    INSERT INTO media_locations (media_id, storage_key) VALUES ($1, $2) ON CONFLICT (storage_key) DO NOTHING
"""


def storage_key(sha256: bytes, kind: Format) -> str:
    """Where bytes of this content lie: `media/ab/cd/<sha256>.<ext>`."""
    name = sha256.hex()
    return f"media/{name[:2]}/{name[2:4]}/{name}.{EXTENSIONS[kind]}"


async def keep(db: Connection, storage: LocalStorage, probed: Probed) -> Medium:
    """Record bytes that were put into the store, in the caller's transaction; equal bytes are one medium.

    Raises:
        StorageError: the file is not there (a sweep took it a moment ago); fetch it again.
    """
    key = storage_key(probed.sha256, probed.format)
    await db.execute(_LOCK, probed.sha256)
    if not await storage.exists(key):
        raise StorageError("A file that was just stored is gone again. It is fetched again by itself.")
    record = await db.fetchrow(
        _KEEP, probed.sha256, probed.format, probed.size, probed.width, probed.height, probed.orientation
    )
    if record is None:
        raise LookupError("An upsert that returns no row.")
    medium = Medium(**record)
    await db.execute(_LOCATE, medium.id, key)
    return medium
