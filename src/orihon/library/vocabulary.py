"""People, genres and tags of a work or a chapter, and the copies of their names that lists read.

Names are shared vocabulary: one row per name whatever its casing, the first casing stays (DESIGN ruling 10).
"""

import unicodedata
from collections.abc import Iterable, Sequence
from uuid import UUID

from orihon.db.pool import Connection

# Names are inserted in one order, so that two walks that share names cannot lock each other out. Which names are one is
# for the database to say, whose lower case is not Python's (`İ`, `Σ`).
_PEOPLE = """
    WITH named AS (
        SELECT DISTINCT ON (lower(name)) name, position
          FROM unnest($2::text[]) WITH ORDINALITY AS n (name, position) ORDER BY lower(name), position
    ), made AS (
        INSERT INTO people (name) SELECT name FROM named ORDER BY lower(name)
        ON CONFLICT ((lower(name))) DO UPDATE SET name = people.name
        RETURNING id, name
    )
    INSERT INTO work_people (work_id, person_id, role, position)
    SELECT $1, made.id, $3, named.position
      FROM made JOIN named ON lower(named.name) = lower(made.name)
"""

_GENRES = """
    WITH made AS (
        INSERT INTO genres (name)
        SELECT DISTINCT ON (lower(name)) name
          FROM unnest($2::text[]) WITH ORDINALITY AS n (name, position) ORDER BY lower(name), position
        ON CONFLICT ((lower(name))) DO UPDATE SET name = genres.name
        RETURNING id
    )
    INSERT INTO work_genres (work_id, genre_id) SELECT $1, id FROM made
"""

_TAGS = """
    WITH made AS (
        INSERT INTO tags (kind, name)
        SELECT DISTINCT ON (lower(name)) 'general', name
          FROM unnest($2::text[]) WITH ORDINALITY AS n (name, position) ORDER BY lower(name), position
        ON CONFLICT (kind, (lower(name))) DO UPDATE SET name = tags.name
        RETURNING id
    )
    INSERT INTO work_tags (work_id, tag_id) SELECT $1, id FROM made
"""

_CUT_TAGS = "DELETE FROM chapter_tags WHERE chapter_id = $1 AND origin = 'source' RETURNING tag_id"

_NEW_TO_WORK = """
    SELECT EXISTS (SELECT FROM unnest($2::uuid[]) AS n (tag_id)
                    WHERE NOT EXISTS (SELECT FROM work_tags wt WHERE wt.work_id = $1 AND wt.tag_id = n.tag_id))
"""

_CHAPTER_TAGS = """
    WITH named AS (
        SELECT DISTINCT ON (lower(name)) name, position
          FROM unnest($2::text[]) WITH ORDINALITY AS n (name, position) ORDER BY lower(name), position
    ), made AS (
        INSERT INTO tags (kind, name) SELECT 'general', name FROM named ORDER BY lower(name)
        ON CONFLICT (kind, (lower(name))) DO UPDATE SET name = tags.name
        RETURNING id, name
    )
    INSERT INTO chapter_tags (chapter_id, tag_id, origin, position)
    SELECT $1, made.id, 'source', named.position
      FROM made JOIN named ON lower(named.name) = lower(made.name)
    RETURNING tag_id
"""

# The tags of a feed are those of its posts, the most used first.
_GATHER = """
    WITH used AS (
        SELECT ct.tag_id, count(*) AS posts
          FROM chapters c JOIN chapter_tags ct ON ct.chapter_id = c.id
         WHERE c.work_id = $1 GROUP BY ct.tag_id
    ), gone AS (
        DELETE FROM work_tags WHERE work_id = $1 AND NOT tag_id IN (SELECT tag_id FROM used)
    ), found AS (
        INSERT INTO work_tags (work_id, tag_id) SELECT $1, tag_id FROM used ON CONFLICT DO NOTHING
    )
    UPDATE works
       SET tags = (SELECT coalesce(array_agg(name ORDER BY posts DESC, lower(name)), '{}')
                     FROM (SELECT t.name, u.posts FROM used u JOIN tags t ON t.id = u.tag_id
                            ORDER BY u.posts DESC, lower(t.name) LIMIT $2) AS most)
     WHERE id = $1
"""

_COPY_AUTHORS = """
    UPDATE works
       SET (authors, sort_author) = (
           SELECT coalesce(array_agg(p.name ORDER BY wp.position), '{}'),
                  fold((array_agg(p.name ORDER BY wp.position))[1])
             FROM work_people wp JOIN people p ON p.id = wp.person_id
            WHERE wp.work_id = $1 AND wp.role = 'author')
     WHERE id = $1
"""

_COPY_GENRES = """
    UPDATE works
       SET genres = (SELECT coalesce(array_agg(g.name ORDER BY lower(g.name)), '{}')
                       FROM work_genres wg JOIN genres g ON g.id = wg.genre_id WHERE wg.work_id = $1)
     WHERE id = $1
"""

_COPY_TAGS = """
    UPDATE works
       SET tags = (SELECT coalesce(array_agg(t.name ORDER BY lower(t.name)), '{}')
                     FROM work_tags wt JOIN tags t ON t.id = wt.tag_id WHERE wt.work_id = $1)
     WHERE id = $1
"""


LONGEST_NAME = 200
"""Characters of a name; an index could not hold just any text that a site calls a name."""


MOST_NAMES = 1000
"""Names of one kind that a work or a chapter has; a list of names has no end that a site could not exceed."""


def spelled(names: Iterable[str]) -> list[str]:
    """Names with single blanks, without empty ones, cut where too long or too many; accents composed, so that a name
    has one spelling however it was typed.
    """
    composed = (unicodedata.normalize("NFC", written) for written in names)
    return [name for written in composed if (name := " ".join(written.split())[:LONGEST_NAME].rstrip())][:MOST_NAMES]


async def set_people(db: Connection, work_id: UUID, *, authors: Sequence[str], artists: Sequence[str]) -> None:
    """Replace who made a work, in the order given. The first author is what lists sort by."""
    await db.execute("DELETE FROM work_people WHERE work_id = $1", work_id)
    for role, names in (("author", authors), ("artist", artists)):
        await db.execute(_PEOPLE, work_id, spelled(names), role)
    await db.execute(_COPY_AUTHORS, work_id)


async def set_genres(db: Connection, work_id: UUID, names: Sequence[str]) -> None:
    """Replace a work's genres."""
    await db.execute("DELETE FROM work_genres WHERE work_id = $1", work_id)
    await db.execute(_GENRES, work_id, spelled(names))
    await db.execute(_COPY_GENRES, work_id)


async def set_tags(db: Connection, work_id: UUID, names: Sequence[str]) -> None:
    """Replace a work's tags as its source tells them."""
    await db.execute("DELETE FROM work_tags WHERE work_id = $1", work_id)
    await db.execute(_TAGS, work_id, spelled(names))
    await db.execute(_COPY_TAGS, work_id)


MOST_SHOWN = 40
"""Tags of a feed that its card shows, of all those of its posts."""


async def set_chapter_tags(db: Connection, work_id: UUID, chapter_id: UUID, names: Sequence[str]) -> None:
    """Replace a post's tags as its source tells them, in its order; what people say of it stays.

    The tags of a feed are those of its posts. They are gathered anew, which reads them all, where one comes that the
    feed had not, or one goes.
    """
    before = {record["tag_id"] for record in await db.fetch(_CUT_TAGS, chapter_id)}
    after = {record["tag_id"] for record in await db.fetch(_CHAPTER_TAGS, chapter_id, spelled(names))}
    if before - after or await db.fetchval(_NEW_TO_WORK, work_id, list(after - before)):
        await db.execute(_GATHER, work_id, MOST_SHOWN)
