"""Search in the catalogue: titles that are, begin with, hold or resemble what somebody typed, best first.

Matches come in tiers: the whole title and its beginning, the beginning of a word, anywhere, then what is by somebody of
that name, and at last titles that are merely similar, which forgives a slip of the finger (DESIGN ruling 25). A tier is
looked at only while the ones before it leave room: a short common query (`the`, `a`) costs no more than a rare one.
"""

import msgspec

from orihon.db.pool import Connection
from orihon.library import cards, visibility
from orihon.library.catalogue import NATURAL, Order, Sort
from orihon.library.visibility import WorkKind
from orihon.sources.records import Status

SIMILAR = 0.5
"""Least word similarity. pg_trgm's own 0.6 loses one slip in a word of five or six letters."""

MOST_CANDIDATES = 2000
"""Titles of a tier that are ranked. A word that more titles hold says too little to rank them by."""

LONGEST = 200
"""Characters of a query that count."""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched. `sort` None: the best first; else the matches, at most `MOST_CANDIDATES`, in that order."""

    text: str
    kind: WorkKind = "manga"
    status: Status | None = None
    sort: Sort | None = None
    order: Order | None = None
    limit: int = 50
    offset: int = 0


# Scalar subqueries on one-row tables are worked out once, before the scan that needs them: as bounds they let a branch
# use its index whatever the text is, as conditions they keep it from touching the table at all. Under three characters
# there are no trigrams, so parts go by single characters and pairs, and nothing counts that is only similar.
_CANDIDATES = r"""
    WITH asked AS MATERIALIZED (
        SELECT q, '%' || escaped || '%' AS part, '% ' || escaped || '%' AS word, char_length(q) >= 3 AS long,
               set_config('pg_trgm.word_similarity_threshold', $5, true) AS threshold
          FROM (SELECT fold($1) AS q) AS input,
               LATERAL (SELECT regexp_replace(q, '([\\%_])', '\\\1', 'g') AS escaped) AS safe
         WHERE q <> ''
    ), heads AS MATERIALIZED (
        SELECT t.work_id, t.folded FROM work_titles t {join}
         WHERE t.folded >= (SELECT q FROM asked) AND t.folded < (SELECT q FROM asked) || U&'\+10FFFF'
      ORDER BY t.folded LIMIT $4
    ), holding AS MATERIALIZED (
        (SELECT t.work_id, t.folded FROM work_titles t {join}
          WHERE (SELECT long FROM asked) AND (SELECT count(DISTINCT work_id) FROM heads) < $6
            AND t.folded LIKE (SELECT part FROM asked) LIMIT $4)
        UNION ALL
        (SELECT t.work_id, t.folded FROM work_titles t {join}
          WHERE (SELECT NOT long FROM asked) AND (SELECT count(DISTINCT work_id) FROM heads) < $6
            AND short_grams(t.folded) @> ARRAY[(SELECT q FROM asked)] LIMIT $4)
    ), named AS MATERIALIZED (
        (SELECT p.id, fold(p.name) AS folded FROM people p
          WHERE (SELECT long FROM asked)
            AND (SELECT count(DISTINCT work_id) FROM (TABLE heads UNION ALL TABLE holding) AS held) < $6
            AND fold(p.name) LIKE (SELECT part FROM asked) LIMIT $4)
        UNION ALL
        (SELECT p.id, fold(p.name) FROM people p
          WHERE (SELECT NOT long FROM asked)
            AND (SELECT count(DISTINCT work_id) FROM (TABLE heads UNION ALL TABLE holding) AS held) < $6
            AND short_grams(fold(p.name)) @> ARRAY[(SELECT q FROM asked)] LIMIT $4)
    ), theirs AS MATERIALIZED (
        SELECT t.work_id, n.folded
          FROM named n JOIN work_people t ON t.person_id = n.id {join} LIMIT $4
    ), alike AS MATERIALIZED (
        SELECT t.work_id, t.folded FROM work_titles t {join}
         WHERE (SELECT long AND threshold IS NOT NULL FROM asked)
           AND (SELECT count(DISTINCT work_id)
                  FROM (TABLE heads UNION ALL TABLE holding UNION ALL TABLE theirs) AS held) < $6
           AND (SELECT q FROM asked) <% t.folded LIMIT $4
    ), ranked AS (
        SELECT work_id, folded, CASE WHEN folded = q THEN 0.0 ELSE 1.0 END AS tier FROM heads, asked
        UNION ALL
        SELECT work_id, folded, CASE WHEN folded LIKE word THEN 2.0 ELSE 3.0 END FROM holding, asked
        UNION ALL
        SELECT work_id, folded, 4.0 FROM theirs
        UNION ALL
        SELECT work_id, folded, 6.0 - word_similarity(q, folded) FROM alike, asked
    ), found AS (
        SELECT work_id, min(tier) AS tier, min(folded) AS folded,
               CASE WHEN min(tier) > 1 THEN min(char_length(folded)) ELSE 0 END AS letters
          FROM ranked GROUP BY work_id
      ORDER BY {best}
    )
"""

_BEST = "tier, letters, folded, work_id"

# In this order the matches are sorted before they are joined, so that no more works are read than the page shows.
_PAGE = cards.paged(
    """{candidates}
    SELECT {card} AS card, w.id AS key, w.id, row_number() OVER (ORDER BY {order}) AS n
      FROM (SELECT f.*, w.*
              FROM found f JOIN works w ON w.id = f.work_id
             WHERE {where}
          ORDER BY {order} LIMIT $2::bigint + 1 OFFSET $3::bigint) w
      LEFT JOIN media m ON m.id = w.cover_media_id
  ORDER BY {order}
    """,
    length="$2::bigint",
)

_KEYS: dict[Sort, str] = {
    "updated": "w.updated_at",
    "created": "w.created_at",
    "title": "fold(w.title)",
    "author": "w.sort_author",
}


def statement(*, sort: Sort | None, order: Order | None, with_status: bool, kind: WorkKind = "manga") -> str:
    """The query: $1 text, $2 rows, $3 offset, $4 titles of a tier, $5 threshold, $6 works that are enough,
    $7 status where asked.
    """
    by = _BEST if sort is None else f"{_KEYS[sort]} {(order or NATURAL[sort]).upper()} NULLS LAST, w.id"
    join = "JOIN works w ON w.id = t.work_id AND w.status = $7" if with_status else ""
    candidates = _CANDIDATES.format(join=join, best=_BEST)
    return _PAGE.format(candidates=candidates, card=cards.JSON, order=by, where=visibility.listed(kind))


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Cards as one JSON array, and whether more follow."""

    cards: bytes
    more: bool


async def search(db: Connection, query: Query) -> Found:
    """One page of what fits a text, in one statement. A text without anything to fold finds nothing."""
    text = query.text[:LONGEST].replace("\0", " ")
    status: list[Status] = [] if query.status is None else [query.status]
    sql = statement(sort=query.sort, order=query.order, with_status=bool(status), kind=query.kind)
    last = query.offset + query.limit + 1
    candidates = max(MOST_CANDIDATES, last)
    # In an order of its own a page may need any match.
    enough = last if query.sort is None else candidates
    found = await db.fetchrow(sql, text, query.limit, query.offset, candidates, str(SIMILAR), enough, *status)
    if found is None:
        raise AssertionError("an aggregate gives one row")
    return Found(cards=found["cards"], more=found["more"])
