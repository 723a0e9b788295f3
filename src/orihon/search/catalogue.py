"""Search in the catalogue: whole titles, beginnings, parts, and what is merely similar, in this order.

Short and non-Latin queries have no useful trigrams, so parts are always looked for, under three characters by an index
of single characters and pairs, and there nothing that is only similar counts (DESIGN ruling 25).
"""

import msgspec

from orihon.db.pool import Connection
from orihon.library import cards, visibility
from orihon.library.catalogue import NATURAL, Order, Sort
from orihon.sources.records import Status

SIMILAR = 0.5
"""Least word similarity. pg_trgm's own 0.6 loses one slip in a word of five or six letters."""

MOST_CANDIDATES = 1000
"""Titles that are ranked. Whole titles and beginnings are found apart and never lost to it."""

LONGEST = 200
"""Characters of a query that count."""


class Query(msgspec.Struct, frozen=True, kw_only=True):
    """What is searched. `sort` None: the best first."""

    text: str
    status: Status | None = None
    sort: Sort | None = None
    order: Order | None = None
    limit: int = 50
    offset: int = 0


# Lateral, each with its own limit, so that whatever the planner believes each branch is one index scan, or does not
# run at all when its condition on `q` is false. The threshold holds for this statement only; `q` is evaluated before
# any branch asks for it.
_CANDIDATES = r"""
    WITH q AS MATERIALIZED (
        SELECT folded, char_length(folded) < 3 AS short,
               '%' || replace(replace(replace(folded, '\', '\\'), '%', '\%'), '_', '\_') || '%' AS part,
               set_config('pg_trgm.word_similarity_threshold', $5, true) AS threshold
          FROM (SELECT fold($1)) AS input (folded) WHERE folded <> ''
    ), hits AS MATERIALIZED (
        SELECT t.* FROM q CROSS JOIN LATERAL (
            SELECT work_id, folded FROM work_titles
             WHERE folded >= q.folded AND folded < q.folded || U&'\+10FFFF' ORDER BY folded LIMIT $4) t
         UNION
        SELECT t.* FROM q CROSS JOIN LATERAL (
            SELECT work_id, folded FROM work_titles WHERE folded LIKE q.part LIMIT $4) t WHERE NOT q.short
         UNION
        SELECT t.* FROM q CROSS JOIN LATERAL (
            SELECT work_id, folded FROM work_titles WHERE short_grams(folded) @> ARRAY[q.folded] LIMIT $4) t
         WHERE q.short
    ), alike AS MATERIALIZED (
        SELECT t.* FROM q CROSS JOIN LATERAL (
            SELECT work_id, folded, word_similarity(q.folded, folded)::numeric AS similarity FROM work_titles
             WHERE q.folded <% folded ORDER BY similarity DESC LIMIT $4) t
         WHERE NOT q.short AND (SELECT count(DISTINCT work_id) FROM hits) < $2::bigint + $3::bigint
    ), found AS (
        SELECT DISTINCT ON (work_id) work_id, rank, similarity, folded
          FROM (SELECT hits.work_id, hits.folded, 1.0 AS similarity,
                       CASE WHEN hits.folded = q.folded THEN 0
                            WHEN starts_with(hits.folded, q.folded) THEN 1
                            WHEN position(' ' || q.folded IN hits.folded) > 0 THEN 2
                            ELSE 3 END AS rank
                  FROM q CROSS JOIN hits
                 UNION ALL
                SELECT work_id, folded, similarity, 4 FROM alike) AS ranked
      ORDER BY work_id, rank, similarity DESC, char_length(folded), folded
    )
"""

_BEST = "f.rank, f.similarity DESC, char_length(f.folded), f.folded, w.id"

_PAGE = """{candidates}
    SELECT {card}::text AS card, w.id
      FROM (SELECT w.*, row_number() OVER (ORDER BY {order}) AS place
              FROM found f JOIN works w ON w.id = f.work_id
             WHERE {where}
          ORDER BY place LIMIT $2::bigint OFFSET $3::bigint) w
      LEFT JOIN media m ON m.id = w.cover_media_id
  ORDER BY w.place
"""

_KEYS: dict[Sort, str] = {
    "updated": "w.updated_at",
    "created": "w.created_at",
    "title": "fold(w.title)",
    "author": "w.sort_author",
}


def statement(*, sort: Sort | None, order: Order | None, with_status: bool) -> str:
    """The query: $1 text, $2 rows, $3 offset, $4 candidates, $5 threshold, $6 status where asked."""
    where = f"{visibility.WORKS} AND w.status = $6" if with_status else visibility.WORKS
    by = _BEST if sort is None else f"{_KEYS[sort]} {(order or NATURAL[sort]).upper()} NULLS LAST, w.id"
    return _PAGE.format(candidates=_CANDIDATES, card=cards.JSON, order=by, where=where)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Cards as one JSON array, and whether more follow."""

    cards: bytes
    more: bool


async def search(db: Connection, query: Query) -> Found:
    """One page of what fits a text, in one statement. A text without letters or digits to fold finds nothing."""
    text = query.text[:LONGEST].replace("\0", " ")
    status: list[Status] = [] if query.status is None else [query.status]
    sql = statement(sort=query.sort, order=query.order, with_status=bool(status))
    candidates = max(MOST_CANDIDATES, query.offset + query.limit + 1)
    records = await db.fetch(sql, text, query.limit + 1, query.offset, candidates, str(SIMILAR), *status)
    return Found(cards=cards.joined(records[: query.limit]), more=len(records) > query.limit)
