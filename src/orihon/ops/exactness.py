"""A library beside the site that it follows: works, chapters, order, pages, bytes; no doubles and no halves.

The site tells what it offers in a manifest, as the sample site does at `/manifest.json`.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from orihon.db.pool import Connection


class Image(msgspec.Struct, frozen=True):
    """An image that the site offers."""

    sha256: str


class Chapter(msgspec.Struct, frozen=True):
    """A chapter that the site offers, its pages in order."""

    key: str
    number: Decimal | None
    pages: tuple[Image, ...]


class Work(msgspec.Struct, frozen=True):
    """A title that the site offers, its chapters newest first."""

    slug: str
    title: str
    alt_titles: tuple[str, ...]
    authors: tuple[str, ...]
    genres: tuple[str, ...]
    status: str | None
    direction: str
    cover: Image | None
    chapters: tuple[Chapter, ...]


class Attachment(msgspec.Struct, frozen=True):
    """A file of a post. `lost`: it cannot be had, whoever asks."""

    kind: Literal["image", "file"]
    name: str
    lost: bool
    sha256: str | None = None


class Post(msgspec.Struct, frozen=True):
    """A post that a creator offers, its attachments in order."""

    id: str
    title: str
    text: str
    tags: tuple[str, ...]
    attachments: tuple[Attachment, ...]


class Creator(msgspec.Struct, frozen=True):
    """A creator, with posts newest first, each once."""

    id: str
    url: str
    name: str
    posts: tuple[Post, ...]


class Manifest(msgspec.Struct, frozen=True):
    """What a site offers."""

    works: tuple[Work, ...]
    creators: tuple[Creator, ...] = ()


class BadManifest(Exception):
    """What the site answered is no manifest."""


def manifest(body: bytes) -> Manifest:
    """Read a manifest.

    Raises:
        BadManifest: it is something else.
    """
    try:
        return msgspec.json.decode(body, type=Manifest)
    except msgspec.MsgspecError as error:
        raise BadManifest(f"The site's manifest cannot be read: {error}") from error


_SOURCES = "SELECT id, url, kind FROM sources WHERE kind IN ('catalogue', 'feed') AND removed_at IS NULL"

_WORKS = """
    SELECT s.key, w.id, w.title, w.alt_titles, w.authors, w.genres, w.status, w.reading_direction, w.chapter_count,
           encode(m.sha256, 'hex') AS cover
      FROM source_works s
      JOIN works w ON w.id = s.work_id
      LEFT JOIN media m ON m.id = w.cover_media_id
     WHERE s.source_id = ANY ($1) AND s.dropped_at IS NULL
"""

_CHAPTERS = """
    SELECT sc.key, c.number, c.page_count,
           (SELECT coalesce(array_agg(encode(m.sha256, 'hex') ORDER BY p.number), '{}')
              FROM pages p JOIN media m ON m.id = p.media_id WHERE p.chapter_id = c.id) AS pages
      FROM chapters c
      JOIN source_chapters sc ON sc.chapter_id = c.id AND sc.source_id = ANY ($2) AND sc.dropped_at IS NULL
     WHERE c.work_id = $1
  ORDER BY c.sort_key, c.number, c.created_at, c.id
"""


_POSTS = """
    SELECT sc.key, c.title, c.body, c.page_count,
           (SELECT coalesce(jsonb_agg(jsonb_build_array(p.number, encode(m.sha256, 'hex')) ORDER BY p.number), '[]')
              FROM pages p JOIN media m ON m.id = p.media_id WHERE p.chapter_id = c.id) AS pages,
           (SELECT coalesce(jsonb_agg(jsonb_build_array(a.name, encode(m.sha256, 'hex')) ORDER BY a.position), '[]')
              FROM attachments a LEFT JOIN media m ON m.id = a.media_id WHERE a.chapter_id = c.id) AS files,
           ARRAY(SELECT lower(t.name) FROM chapter_tags ct JOIN tags t ON t.id = ct.tag_id
                  WHERE ct.chapter_id = c.id AND ct.origin = 'source' ORDER BY ct.position) AS tags
      FROM source_chapters sc JOIN chapters c ON c.id = sc.chapter_id
     WHERE sc.source_id = $1 AND sc.dropped_at IS NULL
  ORDER BY c.sort_key, c.number, c.created_at, c.id
"""


class Followed(msgspec.Struct, frozen=True):
    """The sources that follow a site: its catalogue, and its creators by the path of their address."""

    catalogues: tuple[UUID, ...]
    feeds: Mapping[str, UUID]

    def __bool__(self) -> bool:
        return bool(self.catalogues or self.feeds)


async def followed(db: Connection, origin: str) -> Followed:
    """The sources that follow something of this origin (`scheme://host[:port]`)."""
    ours = [record for record in await db.fetch(_SOURCES) if origin_of(record["url"]) == origin]
    return Followed(
        catalogues=tuple(record["id"] for record in ours if record["kind"] == "catalogue"),
        feeds={urlsplit(record["url"]).path: record["id"] for record in ours if record["kind"] == "feed"},
    )


def origin_of(url: str) -> str:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


async def differences(db: Connection, offered: Manifest, sources: Followed) -> AsyncIterator[str]:
    """Every way in which what these sources brought is not what their site offers, in words."""
    if sources.catalogues:
        async for fault in _catalogue(db, offered, sources.catalogues):
            yield fault
    creators = {creator.url: creator for creator in offered.creators}
    for path, source_id in sources.feeds.items():
        if (creator := creators.get(path)) is None:
            yield f"creator {path} is not on the site"
            continue
        for fault in _feed(creator, await db.fetch(_POSTS, source_id)):
            yield fault


async def _catalogue(db: Connection, offered: Manifest, sources: Sequence[UUID]) -> AsyncIterator[str]:
    held = await db.fetch(_WORKS, sources)
    for key, times in Counter(record["key"] for record in held).items():
        if times > 1:
            yield f"work {key} is held {times} times"
    works = {record["key"]: record for record in held}
    wanted = {work.slug: work for work in offered.works}
    for key in sorted(wanted.keys() - works.keys()):
        yield f"work {key} is missing"
    for key in sorted(works.keys() - wanted.keys()):
        yield f"work {key} is not on the site"
    for key in sorted(wanted.keys() & works.keys()):
        for fault in _work(wanted[key], works[key]):
            yield fault
        for fault in _chapters(wanted[key], await db.fetch(_CHAPTERS, works[key]["id"], sources)):
            yield fault


def _work(offered: Work, held: Any) -> Iterator[str]:
    facts = {
        "title": offered.title,
        "alt_titles": list(offered.alt_titles),
        "authors": list(offered.authors),
        "genres": sorted(offered.genres, key=str.lower),
        "status": offered.status and offered.status.lower(),
        "reading_direction": offered.direction,
        "chapter_count": len(offered.chapters),
        "cover": offered.cover and offered.cover.sha256,
    }
    for name, value in facts.items():
        if held[name] != value:
            yield f"work {offered.slug}: {name} is {held[name]!r}, the site says {value!r}"


def _chapters(offered: Work, held: Sequence[Any]) -> Iterator[str]:
    order = [chapter.key for chapter in reversed(offered.chapters)]
    if (keys := [record["key"] for record in held]) != order:
        yield f"work {offered.slug}: its chapters are {keys}, the site lists {order}"
    chapters = {record["key"]: record for record in held}
    for chapter in offered.chapters:
        if (record := chapters.get(chapter.key)) is None:
            continue
        place = f"{offered.slug}/{chapter.key}"
        if record["number"] != chapter.number:
            yield f"{place}: number {_plain(record['number'])}, the site says {_plain(chapter.number)}"
        pages = [page.sha256 for page in chapter.pages]
        if record["pages"] != pages:
            yield f"{place}: its {len(record['pages'])} pages are not the site's {len(pages)}"
        if record["page_count"] != len(record["pages"]):
            yield f"{place}: page_count is {record['page_count']}, and there are {len(record['pages'])} pages"


def _feed(offered: Creator, held: Sequence[Any]) -> Iterator[str]:
    order = [post.id for post in reversed(offered.posts)]
    if (keys := [record["key"] for record in held]) != order:
        yield f"creator {offered.name}: the posts are {keys}, the site has {order}"
    posts = {record["key"]: record for record in held}
    for post in offered.posts:
        if (record := posts.get(post.id)) is None:
            continue
        images = [one for one in post.attachments if one.kind == "image"]
        facts = {
            "title": post.title or None,
            "body": post.text or None,
            "pages": [[number, one.sha256] for number, one in enumerate(images, 1) if not one.lost],
            "files": [[one.name, one.sha256] for one in post.attachments if one.kind == "file"],
            "tags": [tag.lower() for tag in post.tags],
            "page_count": sum(not one.lost for one in images),
        }
        for name, value in facts.items():
            if record[name] != value:
                yield f"creator {offered.name}, post {post.id}: {name} is {record[name]!r}, the site says {value!r}"


def _plain(number: Decimal | None) -> str:
    return "none" if number is None else f"{number.normalize():f}"
