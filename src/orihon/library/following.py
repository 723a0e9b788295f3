"""What sources say about works: which title is which work, what its list of chapters holds, what vanished.

Identity is (source, key) for works and (source, work key, chapter key) for chapters, never a title or a number:
sites reuse numbers (uploaders, notices), and merging them loses chapters (crawler-core 8.7).
"""

import hashlib
import unicodedata
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.library import titles, tombstones, vocabulary
from orihon.library.signatures import unsigned
from orihon.library.tombstones import COVER_IS_BURIED, Buried
from orihon.library.visibility import WorkKind
from orihon.sources.records import ChapterRef, Post, Title


class KnownTitle(msgspec.Struct, frozen=True, kw_only=True):
    """What we hold of a title of a source. `has_cover`: it shows one, or the source's own was deleted here."""

    work_id: UUID
    metadata_hash: bytes | None
    has_cover: bool


class KeptWork(msgspec.Struct, frozen=True, kw_only=True):
    """What keeping what a source says about a work did."""

    work_id: UUID
    new: bool
    updated: bool
    wants_cover: bool


class KeptTitle(msgspec.Struct, frozen=True, kw_only=True):
    """What keeping a title did. `chapters_new` counts entries that were not known, `chapters_back` those that had
    vanished and are listed again.
    """

    work_id: UUID
    new: bool
    updated: bool
    wants_cover: bool
    chapters_new: int
    chapters_dropped: int
    chapters_back: int


def metadata_hash(title: Title) -> bytes:
    """Changes with every field but the chapters; the cover's address is a field (crawler-daemon-reader 12.3).

    Not with how accents are spelled: a site that serves one title from two systems would be edited for ever. Nor with
    the signature of the cover's address, which is new each time.
    """
    cover_url = None if title.cover_url is None else unsigned(title.cover_url)
    return digest(msgspec.structs.replace(title, chapters=(), cover_url=cover_url))


def digest(told: Title | Post) -> bytes:
    """A hash of what a source tells, whether its accents are composed or not."""
    text = msgspec.json.encode(told, order="deterministic").decode()
    return hashlib.sha256(unicodedata.normalize("NFC", text).encode()).digest()


def vanished(live: AbstractSet[str], listed: AbstractSet[str]) -> frozenset[str]:
    """Keys to mark as dropped. An empty listing proves nothing, so it drops nothing (DESIGN ruling 14)."""
    return frozenset(live - listed) if listed else frozenset()


def positions(listed: Sequence[ChapterRef]) -> dict[str, int]:
    """Position of each key, counted from the oldest entry, so that a new chapter moves none.

    Lists stand newest first. A key that is listed twice keeps its newest place.
    """
    unique: dict[str, None] = {}
    for chapter in listed:
        unique.setdefault(chapter.key)
    return {key: len(unique) - 1 - index for index, key in enumerate(unique)}


def reading_order(listed: Sequence[str], before: Sequence[str]) -> list[str]:
    """Chapters that are listed, and those that were: each of these behind the one that it followed `before`.

    All oldest first. Positions close up where a chapter vanishes, so it cannot keep its own: it would stand among
    others.
    """
    here = set(listed)
    behind: dict[str | None, list[str]] = {}
    last = None
    for key in before:
        if key in here:
            last = key
        else:
            behind.setdefault(last, []).append(key)
    return [*behind.get(None, ()), *(one for key in listed for one in (key, *behind.get(key, ())))]


# The lock keeps two walks that meet the same title for the first time from making two works of it.
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text || ' ' || $2, 0))"

_KNOWN = f"""
    SELECT s.work_id, s.metadata_hash, w.cover_media_id IS NOT NULL OR {COVER_IS_BURIED} AS has_cover
      FROM source_works s
      JOIN works w ON w.id = s.work_id
     WHERE s.source_id = $1 AND s.key = $2
"""

_LIVE_CHAPTERS = """
    SELECT count(*) FROM source_chapters WHERE source_id = $1 AND work_key = $2 AND dropped_at IS NULL
"""


async def known_title(db: Connection, source_id: UUID, key: str) -> KnownTitle | None:
    """What is held of a title, or None when it was never kept."""
    record = await db.fetchrow(_KNOWN, source_id, key)
    return KnownTitle(**record) if record else None


_TOLD = "SELECT told::text FROM source_works WHERE source_id = $1 AND key = $2"


async def last_told(db: Connection, source_id: UUID, key: str) -> Title | None:
    """What a source last told of a title, its chapters left out; None when that is not known."""
    told = await db.fetchval(_TOLD, source_id, key)
    try:
        return None if told is None else msgspec.json.decode(told, type=Title)
    except msgspec.ValidationError:
        # Told to a program whose titles were made otherwise; it is told anew now.
        return None


async def live_chapters(db: Connection, source_id: UUID, key: str) -> int:
    """How many chapters the source last listed for a title."""
    count: int = await db.fetchval(_LIVE_CHAPTERS, source_id, key)
    return count


async def keep_work(db: Connection, source_id: UUID, title: Title, *, kind: WorkKind) -> KeptWork:
    """Keep what a source says about a work, its chapters left aside. Idempotent; in the caller's transaction.

    Fields that a person edited keep their value.

    Raises:
        Buried: a person deleted it.
    """
    await db.execute(_LOCK, source_id, title.key)
    known = await known_title(db, source_id, title.key)
    if known is None and await tombstones.works(db, source_id, [title.key]):
        raise Buried(title.title)
    told = metadata_hash(title)
    changed = known is None or known.metadata_hash != told
    if known is None:
        work_id: UUID = await db.fetchval("SELECT uuidv7()")
        await db.execute(_INSERT_WORK, work_id, kind, title.title, title.reading_direction, source_id)
    else:
        work_id = known.work_id
    if changed:
        await _tell(db, work_id, source_id, title, kind)
    await _seen(db, source_id, title, work_id, told)
    return KeptWork(
        work_id=work_id,
        new=known is None,
        updated=known is not None and changed,
        wants_cover=title.cover_url is not None and (known is None or changed or not known.has_cover),
    )


async def keep_title(db: Connection, source_id: UUID, title: Title) -> KeptTitle:
    """Keep a title and its chapter list as the source tells them now. Idempotent.

    Runs in the caller's transaction. Nothing that people did is touched: fields that a person edited keep their
    value, chapters that vanished are marked and kept.
    """
    kept = await keep_work(db, source_id, title, kind="manga")
    new, dropped, back = await _sync_chapters(db, source_id, kept.work_id, title)
    if new or kept.new or kept.updated:
        await _touch(db, kept.work_id)
    return KeptTitle(
        work_id=kept.work_id,
        new=kept.new,
        updated=kept.updated,
        wants_cover=kept.wants_cover,
        chapters_new=new,
        chapters_dropped=dropped,
        chapters_back=back,
    )


_INSERT_WORK = """
    INSERT INTO works (id, kind, title, reading_direction, primary_source_id)
    VALUES ($1, $2, $3, coalesce($4, 'rtl'), $5)
"""

# A field whose origin is a person keeps what the person wrote until it is released (DESIGN section 5);
# a second source never overwrites the primary one.
_TELL = """
    UPDATE works
       SET title             = CASE WHEN origins ->> 'title' LIKE 'person:%' THEN title ELSE $3 END,
           alt_titles        = CASE WHEN origins ->> 'alt_titles' LIKE 'person:%' THEN alt_titles ELSE $4 END,
           description       = CASE WHEN origins ->> 'description' LIKE 'person:%' THEN description ELSE $5 END,
           status            = CASE WHEN origins ->> 'status' LIKE 'person:%' THEN status ELSE $6 END,
           reading_direction = CASE WHEN origins ->> 'reading_direction' LIKE 'person:%' THEN reading_direction
                                    ELSE coalesce($7, reading_direction) END
     WHERE id = $1 AND primary_source_id = $2
 RETURNING id
"""


async def _tell(db: Connection, work_id: UUID, source_id: UUID, title: Title, kind: WorkKind) -> None:
    told = await db.fetchval(
        _TELL,
        work_id,
        source_id,
        title.title,
        list(title.alt_titles),
        title.description,
        title.status,
        title.reading_direction,
    )
    if told is None:
        return
    await titles.refresh(db, work_id)
    await vocabulary.set_people(db, work_id, authors=title.authors, artists=title.artists)
    await vocabulary.set_genres(db, work_id, title.genres)
    if kind != "feed":
        # Those of a feed are the tags of its posts (`vocabulary.set_chapter_tags`).
        await vocabulary.set_tags(db, work_id, title.tags)


# A signature that changes with each answer is no other cover; the hash knows (`metadata_hash`).
_SEEN = """
    INSERT INTO source_works (source_id, key, work_id, url, metadata_hash, cover_url, told, seen_walk)
    VALUES ($1, $2, $3, $4, $5, $6, $7, (SELECT whole_walk FROM sources WHERE id = $1))
    ON CONFLICT (source_id, key) DO UPDATE
       SET url = excluded.url, metadata_hash = excluded.metadata_hash, cover_url = excluded.cover_url,
           told = excluded.told,
           cover_error = CASE WHEN source_works.cover_url IS DISTINCT FROM excluded.cover_url THEN NULL
                              ELSE source_works.cover_error END,
           cover_sha256 = CASE WHEN source_works.cover_url IS DISTINCT FROM excluded.cover_url
                                AND source_works.metadata_hash IS DISTINCT FROM excluded.metadata_hash THEN NULL
                               ELSE source_works.cover_sha256 END,
           last_seen_at = now(), dropped_at = NULL, missed_at = NULL,
           seen_walk = coalesce(excluded.seen_walk, source_works.seen_walk)
"""


async def _seen(db: Connection, source_id: UUID, title: Title, work_id: UUID, told: bytes) -> None:
    alone = msgspec.structs.replace(title, chapters=(), chapters_dropped=0)
    await db.execute(_SEEN, source_id, title.key, work_id, title.url, told, title.cover_url, alone)


_SOURCE_CHAPTERS = """
    SELECT s.key, s.chapter_id, s.dropped_at IS NOT NULL AS dropped
      FROM source_chapters s JOIN chapters c ON c.id = s.chapter_id
     WHERE s.source_id = $1 AND s.work_key = $2
  ORDER BY c.sort_key, c.number, c.created_at, c.id
"""

_NEW_CHAPTERS = """
    INSERT INTO chapters (id, work_id, number, title, sort_key)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::numeric[], $4::text[], $5::numeric[])
"""

_LINK_CHAPTERS = """
    INSERT INTO source_chapters (source_id, work_key, key, chapter_id, url, position)
    SELECT $1, $2, * FROM unnest($3::text[], $4::uuid[], $5::text[], $6::integer[])
"""

_REFRESH_LINKS = """
    UPDATE source_chapters s
       SET url = n.url, position = n.position, dropped_at = NULL
      FROM unnest($3::text[], $4::text[], $5::integer[]) AS n (key, url, position)
     WHERE s.source_id = $1 AND s.work_key = $2 AND s.key = n.key
       AND (s.url, s.position, s.dropped_at IS NULL) IS DISTINCT FROM (n.url, n.position, true)
"""

_REFRESH_CHAPTERS = """
    UPDATE chapters c
       SET number = n.number, title = n.title, sort_key = n.sort_key, updated_at = now()
      FROM unnest($1::uuid[], $2::numeric[], $3::text[], $4::numeric[]) AS n (id, number, title, sort_key)
     WHERE c.id = n.id AND (c.number, c.title, c.sort_key) IS DISTINCT FROM (n.number, n.title, n.sort_key)
"""

_MOVE_CHAPTERS = """
    UPDATE chapters c SET sort_key = n.sort_key
      FROM unnest($1::uuid[], $2::numeric[]) AS n (id, sort_key)
     WHERE c.id = n.id AND c.sort_key <> n.sort_key
"""

_DROP_LINKS = """
    UPDATE source_chapters
       SET dropped_at = now()
     WHERE source_id = $1 AND work_key = $2 AND key = ANY ($3) AND dropped_at IS NULL
"""


async def _sync_chapters(db: Connection, source_id: UUID, work_id: UUID, title: Title) -> tuple[int, int, int]:
    """Make the chapter list match; returns how many are new, how many vanished, and how many came back."""
    records = await db.fetch(_SOURCE_CHAPTERS, source_id, title.key)
    known = {record["key"]: record["chapter_id"] for record in records}
    live = {record["key"] for record in records if not record["dropped"]}
    placed = positions(title.chapters)
    listed = _first_of_each(title.chapters)
    # Where its list puts it, whatever its number says.
    order = reading_order([chapter.key for chapter in reversed(listed)], list(known))
    sort_key = {key: Decimal(place) for place, key in enumerate(order)}

    # Oldest first: jobs and identifiers are made in reading order.
    fresh = [chapter for chapter in reversed(listed) if chapter.key not in known]
    if fresh:
        buried = await tombstones.chapters(db, source_id, title.key, [chapter.key for chapter in fresh])
        fresh = [chapter for chapter in fresh if chapter.key not in buried]
    ids = await _new_ids(db, len(fresh))
    await db.execute(
        _NEW_CHAPTERS,
        ids,
        [work_id] * len(fresh),
        [chapter.number for chapter in fresh],
        [chapter.title for chapter in fresh],
        [sort_key[chapter.key] for chapter in fresh],
    )
    await db.execute(
        _LINK_CHAPTERS,
        source_id,
        title.key,
        [chapter.key for chapter in fresh],
        ids,
        [chapter.url for chapter in fresh],
        [placed[chapter.key] for chapter in fresh],
    )
    stale = [chapter for chapter in listed if chapter.key in known]
    await db.execute(
        _REFRESH_LINKS,
        source_id,
        title.key,
        [chapter.key for chapter in stale],
        [chapter.url for chapter in stale],
        [placed[chapter.key] for chapter in stale],
    )
    await db.execute(
        _REFRESH_CHAPTERS,
        [known[chapter.key] for chapter in stale],
        [chapter.number for chapter in stale],
        [chapter.title for chapter in stale],
        [sort_key[chapter.key] for chapter in stale],
    )
    absent = [key for key in known if key not in placed]
    await db.execute(_MOVE_CHAPTERS, [known[key] for key in absent], [sort_key[key] for key in absent])
    gone = vanished(live, placed.keys())
    await db.execute(_DROP_LINKS, source_id, title.key, list(gone))
    return len(fresh), len(gone), sum(chapter.key not in live for chapter in stale)


def _first_of_each(chapters: Iterable[ChapterRef]) -> list[ChapterRef]:
    unique: dict[str, ChapterRef] = {}
    for chapter in chapters:
        unique.setdefault(chapter.key, chapter)
    return list(unique.values())


async def _new_ids(db: Connection, count: int) -> list[UUID]:
    records = await db.fetch("SELECT uuidv7() AS id FROM generate_series(1, $1)", count)
    return [record["id"] for record in records]


_TOUCH = """
    UPDATE works
       SET chapter_count = (SELECT count(*) FROM chapters WHERE work_id = $1), updated_at = now()
     WHERE id = $1
"""


async def _touch(db: Connection, work_id: UUID) -> None:
    await db.execute(_TOUCH, work_id)
