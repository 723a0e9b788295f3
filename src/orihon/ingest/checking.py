"""The job that decodes a medium in full and writes down what it is (lane `media`)."""

from uuid import UUID

import msgspec

from orihon.db.notify import notify
from orihon.db.pool import Connection
from orihon.jobs import leases, queue, upkeep
from orihon.jobs.handlers import Done, Job, Settled
from orihon.jobs.payloads import CheckMedium, PageRefetch
from orihon.media.decoder import Answer, Damaged, DecoderPool, Seen
from orihon.media.sniff import Format
from orihon.storage.errors import StorageError
from orihon.storage.local import LocalStorage

REFETCHES = 1
"""How often a damaged page is fetched again (DESIGN ruling 20)."""


class _Stored(msgspec.Struct, frozen=True):
    sha256: bytes
    format: Format
    state: str
    damage: str | None
    storage_key: str | None


_STORED = """
    SELECT m.sha256, m.format, m.state, m.damage,
           (SELECT l.storage_key FROM media_locations l WHERE l.media_id = m.id ORDER BY l.created_at LIMIT 1)
               AS storage_key
      FROM media m WHERE m.id = $1
"""

_VERIFIED = """
    UPDATE media
       SET state = 'verified', damage = NULL, width = $2, height = $3, dominant_color = $4, checked_at = now()
     WHERE id = $1
"""

# A file that was damaged on the disk may have come anew.
_MENDED = "UPDATE pages SET damage = NULL, updated_at = now() WHERE media_id = $1 AND damage IS NOT NULL"

_DAMAGED = "UPDATE media SET state = 'damaged', damage = $2, checked_at = now() WHERE id = $1"

_MARK_PAGES = """
    UPDATE pages
       SET damage = coalesce(damage, $2), updated_at = now(),
           refetches = CASE WHEN refetches < $3 THEN refetches + 1 ELSE refetches END
     WHERE media_id = $1
 RETURNING id, old.refetches < $3 AS again
"""


class MediumChecker:
    """Handles `check_medium` jobs."""

    def __init__(self, storage: LocalStorage, decoder: DecoderPool) -> None:
        self._storage = storage
        self._decoder = decoder

    async def __call__(self, job: Job[CheckMedium]) -> Done | Settled:
        """Decode the medium; note size and colour, or mark the pages that show it and ask for them again, once.

        Raises:
            StorageError, DecoderUnavailable: nobody could look at it, which says nothing about it.
        """
        media_id = job.payload.media_id
        async with job.pool.acquire() as db:
            record = await db.fetchrow(_STORED, media_id)
        if record is None or record["state"] == "verified":
            return Done()
        answer = await self._decode(_Stored(**record))
        async with job.pool.acquire() as db, db.transaction():
            await leases.hold(db, job.claim)
            await _note(db, media_id, answer)
            await upkeep.succeed(db, job.claim, job.payload)
        return Settled()

    async def _decode(self, stored: _Stored) -> Answer:
        if stored.damage is not None:
            return Damaged(stored.damage)
        if stored.storage_key is None or not await self._storage.exists(stored.storage_key):
            # A folder that is not mounted, or is being moved, looks like this: no damage (DESIGN ruling 14).
            raise StorageError(
                "The file of this image is not in the store. If the data directory was moved or is not mounted, bring "
                "it back; the image is looked for again."
            )
        return await self._decoder.check(self._storage.path(stored.storage_key), stored.format)


async def _note(db: Connection, media_id: UUID, answer: Answer) -> None:
    match answer:
        case Seen(width=width, height=height, color=color):
            await db.execute(_VERIFIED, media_id, width, height, color)
            await db.execute(_MENDED, media_id)
        case Damaged(reason=reason):
            await db.execute(_DAMAGED, media_id, reason)
            pages = await db.fetch(_MARK_PAGES, media_id, reason, REFETCHES)
            await queue.enqueue_many(db, [PageRefetch(page_id=page["id"]) for page in pages if page["again"]])
            await notify(db, "library", str(media_id))
