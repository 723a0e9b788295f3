"""Posts: the chapters of a feed. A post's images are its pages, numbered by their place in it; files stand beside."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import msgspec

from orihon.db.pool import Connection
from orihon.library import content, vocabulary, whole_walk
from orihon.library.following import digest
from orihon.sources.records import Post


class KnownPost(msgspec.Struct, frozen=True, kw_only=True):
    """What is held of a post. `fingerprint` None: it was not handled to its end yet."""

    chapter_id: UUID
    fingerprint: bytes | None


class Shown(msgspec.Struct, frozen=True):
    """Which media a chapter names: by the numbers of its pages, and by the keys of its files."""

    pages: dict[int, UUID] = {}
    files: dict[str, UUID] = {}

    def of(self, post: Post) -> dict[str, UUID]:
        """The media that stand where a post has its own, by their keys."""
        pages = {one.key: self.pages[number] for number, one in enumerate(post.images, 1) if number in self.pages}
        return pages | {one.key: self.files[one.key] for one in post.files if one.key in self.files}


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def fingerprint(post: Post) -> bytes:
    """Changes with every edit: not with addresses, which expire, nor with being pinned, nor with the time zone in which
    a site happens to tell a time.
    """
    # A list: tuples that are made from a generator gather on the free list of the interpreter, 2,000 of each length.
    media = [msgspec.structs.replace(medium, url="", referer=None) for medium in post.media]
    published, edited = post.published_at.astimezone(UTC), post.edited_at and post.edited_at.astimezone(UTC)
    return digest(
        msgspec.structs.replace(post, url="", pinned=False, media=media, published_at=published, edited_at=edited)
    )


def sort_key(published: datetime) -> Decimal:
    """Where a post stands in its feed: by the date of its publication, in microseconds."""
    since = published - _EPOCH
    return Decimal((since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds)


def are_gone(*, seen: int, unseen: int) -> bool:
    """Whether posts that a walk over the whole feed did not see are gone. When that is most of them, it rather saw a
    part of the feed: an account that lost its rights, a site that answers by halves.
    """
    return 0 < unseen <= seen


_KNOWN = """
    SELECT key, chapter_id, fingerprint FROM source_chapters
     WHERE source_id = $1 AND work_key = $2 AND key = ANY ($3)
"""

_SHOWN = """
    SELECT chapter_id, number, NULL AS key, media_id FROM pages WHERE chapter_id = ANY ($1)
    UNION ALL
    SELECT chapter_id, NULL, key, media_id FROM attachments WHERE chapter_id = ANY ($1) AND media_id IS NOT NULL
"""

_INSERT = """
    INSERT INTO chapters (work_id, title, sort_key, body, published_at, textual)
    VALUES ($1, $2, $3, $4, $5, $6) RETURNING id
"""

_LINK = """
    INSERT INTO source_chapters (source_id, work_key, key, chapter_id, url, fingerprint, seen_walk)
    SELECT $1, $2, $3, $4, $5, $6, whole_walk FROM sources WHERE id = $1
"""

_REFRESH = """
    UPDATE chapters SET title = $2, sort_key = $3, body = $4, published_at = $5, textual = $6, updated_at = now()
     WHERE id = $1
"""

_RELINK = """
    UPDATE source_chapters SET url = $4, fingerprint = $5, dropped_at = NULL
     WHERE source_id = $1 AND work_key = $2 AND key = $3
"""

_COUNT_ONE = "UPDATE works SET chapter_count = chapter_count + 1, updated_at = now() WHERE id = $1"

_HOLDS_ANY = "SELECT EXISTS (SELECT FROM source_chapters WHERE source_id = $1 AND work_key = $2)"

_SEEN = """
    UPDATE source_chapters c
       SET dropped_at = NULL, seen_walk = coalesce(s.whole_walk, c.seen_walk)
      FROM sources s
     WHERE s.id = $1 AND c.source_id = $1 AND c.work_key = $2 AND c.key = ANY ($3)
       AND (c.dropped_at IS NOT NULL OR c.seen_walk IS DISTINCT FROM coalesce(s.whole_walk, c.seen_walk))
"""

_TALLY = """
    SELECT count(*) FILTER (WHERE c.seen_walk = s.whole_walk) AS seen,
           count(*) FILTER (WHERE c.seen_walk IS DISTINCT FROM s.whole_walk) AS unseen
      FROM sources s JOIN source_chapters c ON c.source_id = s.id AND c.work_key = $2 AND c.dropped_at IS NULL
     WHERE s.id = $1 AND s.whole_walk IS NOT NULL
"""

_DROP = """
    UPDATE source_chapters c
       SET dropped_at = now()
      FROM sources s
     WHERE s.id = $1 AND c.source_id = $1 AND c.work_key = $2 AND c.dropped_at IS NULL
       AND c.seen_walk IS DISTINCT FROM s.whole_walk
"""

_CUT_FILES = "DELETE FROM attachments WHERE chapter_id = $1 AND NOT key = ANY ($2)"

# What was brought once stays, whatever a later try says.
_PUT_FILES = """
    INSERT INTO attachments AS held (chapter_id, key, position, name, size, url, media_id, error)
    SELECT $1, * FROM unnest($2::text[], $3::integer[], $4::text[], $5::bigint[], $6::text[], $7::uuid[], $8::text[])
    ON CONFLICT (chapter_id, key) DO UPDATE
       SET position = excluded.position, name = excluded.name, size = excluded.size, url = excluded.url,
           media_id = coalesce(excluded.media_id, held.media_id),
           error = CASE WHEN coalesce(excluded.media_id, held.media_id) IS NULL
                        THEN coalesce(excluded.error, held.error) END
"""


async def known(db: Connection, source_id: UUID, work_key: str, keys: Collection[str]) -> dict[str, KnownPost]:
    """What is held of these posts, in one statement; the unknown are left out."""
    return {
        record["key"]: KnownPost(chapter_id=record["chapter_id"], fingerprint=record["fingerprint"])
        for record in await db.fetch(_KNOWN, source_id, work_key, list(keys))
    }


async def shown(db: Connection, chapters: Collection[UUID]) -> dict[UUID, Shown]:
    """Which media the pages and files of some chapters are, in one statement."""
    found = {chapter_id: Shown(pages={}, files={}) for chapter_id in chapters}
    for record in await db.fetch(_SHOWN, list(chapters)) if chapters else ():
        one = found[record["chapter_id"]]
        if record["key"] is None:
            one.pages[record["number"]] = record["media_id"]
        else:
            one.files[record["key"]] = record["media_id"]
    return found


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Posts that were held before the end of a walk over the whole feed, and not marked: those that it saw, and those
    that it did not.
    """

    seen: int
    unseen: int


async def mark_seen(db: Connection, source_id: UUID, work_key: str, keys: Collection[str]) -> None:
    """A site shows these posts: none is dropped, and the walk that is under way has seen them."""
    await db.execute(_SEEN, source_id, work_key, list(keys))


async def drop_unseen(db: Connection, source_id: UUID, work_key: str) -> Tally:
    """Mark the posts that the walk over the whole feed, which has come to its end, did not see; all of them stay.

    Does nothing after a walk that proves nothing (`whole_walk`), or one that missed most posts (`are_gone`).
    """
    record = await db.fetchrow(_TALLY, source_id, work_key)
    tally = Tally(seen=record["seen"], unseen=record["unseen"]) if record else Tally(seen=0, unseen=0)
    if are_gone(seen=tally.seen, unseen=tally.unseen):
        await db.execute(_DROP, source_id, work_key)
    await whole_walk.proves_nothing(db, source_id)
    return tally


async def any_held(db: Connection, source_id: UUID, work_key: str) -> bool:
    """Whether the source has ever shown a post."""
    held: bool = await db.fetchval(_HOLDS_ANY, source_id, work_key)
    return held


async def keep(
    db: Connection,
    source_id: UUID,
    work_id: UUID,
    work_key: str,
    post: Post,
    *,
    held: KnownPost | None,
    told: bytes | None,
    media: Mapping[str, UUID],
    missing: Mapping[str, str],
) -> UUID:
    """Make a post's chapter show what the post says now, in the caller's transaction; returns the chapter.

    `media` by key are all that is there; a page that is not in it is removed, the others keep their ids. `missing`:
    why, in words, a file is not. `told` is the fingerprint, None while the post was not handled to its end. Nobody
    else keeps posts of this source.
    """
    facts = post.title, sort_key(post.published_at), post.text or None, post.published_at, not post.images
    if held is None:
        chapter_id: UUID = await db.fetchval(_INSERT, work_id, *facts)
        await db.execute(_LINK, source_id, work_key, post.key, chapter_id, post.url, told)
        await db.execute(_COUNT_ONE, work_id)
    else:
        chapter_id = held.chapter_id
        await db.execute(_REFRESH, chapter_id, *facts)
        await db.execute(_RELINK, source_id, work_key, post.key, post.url, told)
    pages = {number: media[one.key] for number, one in enumerate(post.images, 1) if one.key in media}
    await content.replace_pages(db, chapter_id, pages)
    await _keep_files(db, chapter_id, post, media, missing)
    if post.tags or held is not None:
        await vocabulary.set_chapter_tags(db, work_id, chapter_id, post.tags)
    return chapter_id


async def _keep_files(
    db: Connection, chapter_id: UUID, post: Post, media: Mapping[str, UUID], missing: Mapping[str, str]
) -> None:
    files = post.files
    await db.execute(_CUT_FILES, chapter_id, [one.key for one in files])
    if files:
        await db.execute(
            _PUT_FILES,
            chapter_id,
            [one.key for one in files],
            list(range(1, len(files) + 1)),
            [one.name for one in files],
            [one.size for one in files],
            [one.url for one in files],
            [media.get(one.key) for one in files],
            [_stored(missing.get(one.key)) for one in files],
        )


def _stored(text: str | None) -> str | None:
    return text and text.replace("\x00", " ")[:2000]
