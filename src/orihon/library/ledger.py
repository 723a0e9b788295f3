"""The ledgers of a source's media: what it has shown that was brought, and what could not be.

Keys are the adapter's own, per source, in one table for every platform (DESIGN ruling 8). A row of the seen ledger is
written in the transaction that records its medium (ruling 15).
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from uuid import UUID

import msgspec

from orihon.db.pool import Connection, rows


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """What the ledgers say about a key. `media_id` None although `seen`: it is not in the store any more.

    `buried`: a person deleted it here, and it is asked for no more.
    """

    seen: bool = False
    media_id: UUID | None = None
    attempts: int = 0
    buried: bool = False


UNKNOWN = Entry()


class GivenUp(msgspec.Struct, frozen=True, kw_only=True):
    """A file that could not be brought in `attempts` looks of a source, and what the last one met, in words."""

    error: str
    attempts: int
    first_at: datetime
    last_at: datetime


_LOOK_UP = """
    SELECT k.key, s.key IS NOT NULL AS seen, CASE WHEN t.id IS NULL THEN s.media_id END AS media_id,
           coalesce(f.attempts, 0) AS attempts, t.id IS NOT NULL AS buried
      FROM unnest($2::text[]) AS k (key)
      LEFT JOIN source_media s ON s.source_id = $1 AND s.key = k.key
      LEFT JOIN source_failures f ON f.source_id = $1 AND f.key = k.key
      LEFT JOIN tombstones t ON t.source_id = $1 AND t.kind = 'medium' AND t.work_key IS NULL AND t.key = k.key
     WHERE s.key IS NOT NULL OR f.key IS NOT NULL OR t.id IS NOT NULL
"""

_SEEN = """
    INSERT INTO source_media (source_id, key, media_id)
    SELECT $1, * FROM unnest($2::text[], $3::uuid[])
    ON CONFLICT (source_id, key) DO UPDATE SET media_id = excluded.media_id, seen_at = now()
"""

_MENDED = "DELETE FROM source_failures WHERE source_id = $1 AND key = ANY ($2)"

_FAILED = """
    INSERT INTO source_failures (source_id, key, attempts, error)
    SELECT $1, key, 1, error FROM unnest($2::text[], $3::text[]) AS n (key, error)
    ON CONFLICT (source_id, key) DO UPDATE
       SET attempts = source_failures.attempts + 1, error = excluded.error, last_at = now()
"""

_FAILURES = """
    SELECT error, attempts, first_at, last_at FROM source_failures
     WHERE source_id = $1 AND attempts >= $2 ORDER BY last_at DESC, key LIMIT $3 OFFSET $4
"""

_LOST = "DELETE FROM source_media WHERE source_id = $1 AND key = ANY ($2)"

# A damaged page that came anew shows another medium than the ledger remembers.
_FOLLOW = """
    UPDATE source_media s SET media_id = $3
      FROM source_chapters c
     WHERE c.chapter_id = $1 AND s.source_id = c.source_id AND s.media_id = $2
"""

_WHOLE = """
    SELECT m.id, min(l.storage_key) AS storage_key
      FROM media m JOIN media_locations l ON l.media_id = m.id
     WHERE m.id = ANY ($1) AND m.state = 'verified' GROUP BY m.id
"""


async def look_up(db: Connection, source_id: UUID, keys: Collection[str]) -> dict[str, Entry]:
    """What is known of these keys, in one statement; the unknown are left out."""
    if not keys:
        return {}
    return {
        record["key"]: Entry(
            seen=record["seen"], media_id=record["media_id"], attempts=record["attempts"], buried=record["buried"]
        )
        for record in await db.fetch(_LOOK_UP, source_id, list(keys))
    }


async def write(db: Connection, source_id: UUID, *, seen: Mapping[str, UUID], failed: Mapping[str, str]) -> None:
    """Note what was brought and what could not be, in the transaction that records the media."""
    if seen:
        await db.execute(_SEEN, source_id, list(seen), list(seen.values()))
        await db.execute(_MENDED, source_id, list(seen))
    if failed:
        texts = [text.replace("\x00", " ")[:2000] for text in failed.values()]
        await db.execute(_FAILED, source_id, list(failed), texts)
        # It was asked for although it had been seen, and is not held.
        await db.execute(_LOST, source_id, list(failed))


async def failures(db: Connection, source_id: UUID, *, least: int, limit: int, offset: int) -> list[GivenUp]:
    """What failed in `least` looks and more, the latest first."""
    return rows(GivenUp, await db.fetch(_FAILURES, source_id, least, limit, offset))


async def follow(db: Connection, chapter_id: UUID, before: UUID, after: UUID) -> None:
    """Let the ledgers of a chapter's sources name the medium that took the place of another."""
    await db.execute(_FOLLOW, chapter_id, before, after)


async def verified(db: Connection, media: Collection[UUID]) -> dict[UUID, str]:
    """Those of some media that were decoded whole, and where their bytes should be."""
    if not media:
        return {}
    return {record["id"]: record["storage_key"] for record in await db.fetch(_WHOLE, list(media))}
