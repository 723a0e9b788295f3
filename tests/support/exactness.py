"""Compares a library with the site that it follows: works, chapters, order, pages, bytes; no doubles, no halves."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from orihon.db.pool import Pool

_WORKS = """
    SELECT s.key, w.id, w.title, w.alt_titles, w.authors, w.genres, w.status, w.reading_direction, w.chapter_count,
           encode(m.sha256, 'hex') AS cover
      FROM source_works s
      JOIN works w ON w.id = s.work_id
      LEFT JOIN media m ON m.id = w.cover_media_id
     WHERE s.dropped_at IS NULL
"""

_CHAPTERS = """
    SELECT sc.key, c.number, c.title, c.page_count,
           (SELECT coalesce(array_agg(encode(m.sha256, 'hex') ORDER BY p.number), '{}')
              FROM pages p JOIN media m ON m.id = p.media_id WHERE p.chapter_id = c.id) AS pages
      FROM chapters c
      JOIN source_chapters sc ON sc.chapter_id = c.id AND sc.dropped_at IS NULL
     WHERE c.work_id = $1
  ORDER BY c.sort_key, c.number, c.created_at, c.id
"""

_BLOBS = """
    SELECT m.size, encode(m.sha256, 'hex') AS sha256, l.storage_key
      FROM media m LEFT JOIN media_locations l ON l.media_id = m.id
"""


async def differences(pool: Pool, manifest: bytes, data: Path) -> list[str]:
    """Every way in which the library is not the site, in words; empty when it is exactly right."""
    offered = {work["slug"]: work for work in msgspec.json.decode(manifest)["works"]}
    held = await pool.fetch(_WORKS)
    found = [f"work {key} is held {n} times" for key, n in Counter(row["key"] for row in held).items() if n > 1]
    works = {row["key"]: row for row in held}
    found += [f"work {key} is missing" for key in offered.keys() - works.keys()]
    found += [f"work {key} is not on the site" for key in works.keys() - offered.keys()]
    for key in sorted(offered.keys() & works.keys()):
        found += list(_work(key, offered[key], dict(works[key])))
        found += _chapters(key, offered[key]["chapters"], await pool.fetch(_CHAPTERS, works[key]["id"]))
    found += await _store(pool, data)
    found += await _strays(pool)
    return found


def _work(key: str, offered: dict[str, Any], held: dict[str, Any]) -> Iterator[str]:
    facts = {
        "title": offered["title"],
        "alt_titles": list(offered["alt_titles"]),
        "authors": list(offered["authors"]),
        "genres": sorted(offered["genres"], key=str.lower),
        "status": offered["status"] and offered["status"].lower(),
        "reading_direction": offered["direction"],
        "chapter_count": len(offered["chapters"]),
        "cover": offered["cover"] and offered["cover"]["sha256"],
    }
    for name, value in facts.items():
        if held[name] != value:
            yield f"work {key}: {name} is {held[name]!r}, the site says {value!r}"


def _chapters(key: str, offered: list[dict[str, Any]], held: list[Any]) -> list[str]:
    found = []
    order = [chapter["key"] for chapter in reversed(offered)]
    if [row["key"] for row in held] != order:
        found.append(f"work {key}: chapters are {[row['key'] for row in held]}, the site lists {order}")
    chapters = {row["key"]: row for row in held}
    for chapter in offered:
        row = chapters.get(chapter["key"])
        if row is None:
            continue
        number = None if row["number"] is None else f"{row['number'].normalize():f}"
        if number != chapter["number"]:
            found.append(f"{key}/{chapter['key']}: number {number}, the site says {chapter['number']}")
        hashes = [page["sha256"] for page in chapter["pages"]]
        if row["pages"] != hashes:
            found.append(f"{key}/{chapter['key']}: {len(row['pages'])} pages differ from the site's {len(hashes)}")
        if row["page_count"] != len(hashes):
            found.append(f"{key}/{chapter['key']}: page_count {row['page_count']}, the site has {len(hashes)}")
    return found


async def _store(pool: Pool, data: Path) -> list[str]:
    found = []
    for blob in await pool.fetch(_BLOBS):
        if blob["storage_key"] is None:
            found.append(f"medium {blob['sha256']} has no location")
            continue
        path = data / blob["storage_key"]
        if not path.is_file():
            found.append(f"{blob['storage_key']} is missing")
        elif hashlib.sha256(path.read_bytes()).hexdigest() != blob["sha256"]:
            found.append(f"{blob['storage_key']} has other bytes")
    return found


async def _strays(pool: Pool) -> list[str]:
    found = [
        f"job {row['kind']} is {row['state']}: {row['last_error']}"
        for row in await pool.fetch(
            "SELECT kind, state, last_error FROM jobs WHERE state <> 'done' AND kind <> 'sweep'"
        )
    ]
    doubles = await pool.fetchval("SELECT count(*) - count(DISTINCT sha256) FROM media")
    if doubles:
        found.append(f"{doubles} media are held twice")
    return found
