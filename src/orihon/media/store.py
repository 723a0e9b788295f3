"""Store once: one row and one file per distinct content (DESIGN section 5)."""

import re
from collections.abc import Iterable
from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.media.inbound import Judged
from orihon.media.sniff import EXTENSIONS, Kind
from orihon.storage.errors import Vanished
from orihon.storage.local import AREA, LocalStorage


class Medium(msgspec.Struct, frozen=True, kw_only=True):
    """A medium as its row says. One that is no image (`file`) has no pixels, and needs no further check."""

    id: UUID
    sha256: bytes
    format: Kind
    size: int
    width: int | None
    height: int | None
    state: str


LOCK = 0x6F7269686F6E0001
"""Advisory lock over the store: shared by those who make rows for files, alone for the sweeper that removes files.

So a row is made either before a removal, and seen by it, or after, and then the missing file is noticed here.
"""

_SHARE = "SELECT pg_advisory_xact_lock_shared($1)"

# Bytes that arrive again are judged again: what was missing or broken on the disk is whole now, and what was taken for
# no image while fewer pixels were accepted may be one.
_KEEP = """
    WITH arrived AS (
        SELECT * FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::integer[], $5::integer[], $6::smallint[],
                             $7::text[])
               AS a (sha256, format, size, width, height, orientation, storage_key)
    ), kept AS (
        INSERT INTO media AS m (sha256, format, size, width, height, orientation, state)
        SELECT sha256, format, size, width, height, orientation,
               CASE format WHEN 'file' THEN 'verified' ELSE 'probed' END
          FROM arrived
        ON CONFLICT (sha256) DO UPDATE
           SET kept_at = now(), damage = NULL,
               (format, width, height, orientation, state) = (
                   SELECT m.format, m.width, m.height, m.orientation,
                          CASE m.state WHEN 'damaged' THEN 'probed' ELSE m.state END WHERE m.format <> 'file'
                   UNION ALL
                   SELECT excluded.format, excluded.width, excluded.height, excluded.orientation, excluded.state
                    WHERE m.format = 'file')
        RETURNING id, sha256, format, size, width, height, state
    ), located AS (
        INSERT INTO media_locations (media_id, storage_key)
        SELECT kept.id, arrived.storage_key FROM kept JOIN arrived USING (sha256)
        ON CONFLICT (storage_key) DO NOTHING
    )
    SELECT * FROM kept
"""


def storage_key(sha256: bytes, kind: Kind) -> str:
    """Where bytes of this content lie: `media/ab/<sha256>.<ext>`."""
    name = sha256.hex()
    return f"{AREA}/{name[:2]}/{name}.{EXTENSIONS[kind]}"


_KEY = re.compile(AREA + r"/[0-9a-f]{2}/[0-9a-f]{64}\.[a-z]+")


def is_storage_key(key: str) -> bool:
    """Whether `storage_key` may have made this; what people put beside the store is theirs."""
    return _KEY.fullmatch(key) is not None


async def keep(db: Connection, storage: LocalStorage, probed: Judged) -> Medium:
    """Record bytes that were put into the store; see `keep_all`."""
    return (await keep_all(db, storage, [probed]))[probed.sha256]


async def keep_all(db: Connection, storage: LocalStorage, arrived: Iterable[Judged]) -> dict[bytes, Medium]:
    """Record bytes that were put into the store, in the caller's transaction, by SHA-256; equal bytes are one medium.

    Raises:
        Vanished: a file is not there (a sweep took it a moment ago); fetch it again.
    """
    # One order for every transaction, so that two that store the same media never wait for each other.
    distinct = sorted({one.sha256: one for one in arrived}.values(), key=lambda one: one.sha256)
    keys = [storage_key(one.sha256, one.format) for one in distinct]
    await db.execute(_SHARE, LOCK)
    if await storage.missing(keys):
        raise Vanished("A file that was just stored is gone again. It is fetched again by itself.")
    records = await db.fetch(
        _KEEP,
        [one.sha256 for one in distinct],
        [one.format for one in distinct],
        [one.size for one in distinct],
        [one.width for one in distinct],
        [one.height for one in distinct],
        [one.orientation for one in distinct],
        keys,
    )
    return {record["sha256"]: Medium(**record) for record in records}
