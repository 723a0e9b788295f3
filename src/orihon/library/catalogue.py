"""The catalogue: works in an order, page by page.

Pages are cut by offset, or by a cursor that names the last row seen, which costs the same however deep it is and does
not slip when rows arrive meanwhile.
"""

import base64
import binascii
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import asyncpg
import msgspec

from orihon.db.pool import Connection
from orihon.library import cards, visibility
from orihon.library.visibility import WorkKind
from orihon.sources.records import Status

Sort = Literal["updated", "created", "title", "author"]
Order = Literal["asc", "desc"]

NATURAL: dict[Sort, Order] = {"updated": "desc", "created": "desc", "title": "asc", "author": "asc"}
"""The order of a sort when nobody asks for one."""


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """The last row of a page: what the list is sorted by, its key there, and its id."""

    sort: Sort
    order: Order
    key: str
    id: UUID


class BadCursor(ValueError):
    """A cursor that this list did not give out."""


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked of the catalogue. `after` stands instead of `offset`."""

    kind: WorkKind = "manga"
    status: Status | None = None
    sort: Sort = "updated"
    order: Order = "desc"
    limit: int = 50
    offset: int = 0
    after: Cursor | None = None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """Cards as one JSON array, and the cursor of the last one when more follow."""

    cards: bytes
    next: Cursor | None


def encode(cursor: Cursor) -> str:
    """A cursor for an address."""
    return base64.urlsafe_b64encode(msgspec.json.encode(cursor)).decode().rstrip("=")


def decode(text: str, *, sort: Sort, order: Order) -> Cursor:
    """A cursor from an address.

    Raises:
        BadCursor: not of a list in this order.
    """
    try:
        raw = base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)
        cursor = msgspec.json.decode(raw, type=Cursor)
    except (UnicodeError, binascii.Error, msgspec.MsgspecError) as error:
        raise BadCursor("This is no place in the list.") from error
    if (cursor.sort, cursor.order) != (sort, order):
        raise BadCursor("This is a place in a list of another order.")
    if _DATED[sort]:
        _moment(cursor.key)
    elif "\0" in cursor.key:
        raise BadCursor("This is no place in the list.")
    return cursor


def _moment(key: str) -> datetime:
    try:
        return msgspec.convert(key, datetime)
    except msgspec.ValidationError as error:
        raise BadCursor("This is no place in the list.") from error


# What a list is sorted by. Works without an author stand last in both directions.
_KEYS: dict[tuple[Sort, Order], str] = {
    ("updated", "asc"): "w.updated_at",
    ("updated", "desc"): "w.updated_at",
    ("created", "asc"): "w.created_at",
    ("created", "desc"): "w.created_at",
    ("title", "asc"): "fold(w.title)",
    ("title", "desc"): "fold(w.title)",
    ("author", "asc"): r"coalesce(w.sort_author, U&'\+10FFFF')",
    ("author", "desc"): "coalesce(w.sort_author, '')",
}

_DATED: dict[Sort, bool] = {"updated": True, "created": True, "title": False, "author": False}

# The rows of the page are chosen from an index alone; only they are joined and made into cards. How many they are
# stands in the text: of a number that it is told later the planner assumes a tenth of the table, and so it would plan
# each page anew, for a third of the time that a page takes.
_PAGE = cards.paged(
    """
    SELECT {card} AS card, w.key, w.id, row_number() OVER (ORDER BY w.key {order}, w.id {order}) AS n
      FROM (SELECT w.*, {key} AS key FROM works w
             WHERE {where}
          ORDER BY {key} {order}, w.id {order} LIMIT {length} + 1 {skip}) w
      LEFT JOIN media m ON m.id = w.cover_media_id
  ORDER BY w.key {order}, w.id {order}
    """,
    length="{length}",
)

# The tally has the columns that decide what the catalogue lists, and a few hundred rows at most.
_TOTAL = "SELECT coalesce(sum(w.works), 0)::bigint FROM work_tally w WHERE {where}"


def statement(listing: Listing) -> tuple[str, list[Any]]:
    """The query of a page and its arguments."""
    key = _KEYS[listing.sort, listing.order]
    arguments: list[Any] = []
    where, skip = [visibility.listed(listing.kind)], ""
    if listing.status is not None:
        arguments.append(listing.status)
        where.append(f"w.status = ${len(arguments)}")
    if listing.after is not None:
        last = _moment(listing.after.key) if _DATED[listing.sort] else listing.after.key
        arguments += [last, listing.after.id]
        comparison = "<" if listing.order == "desc" else ">"
        kind = "timestamptz" if _DATED[listing.sort] else "text"
        place = f"${len(arguments) - 1}::{kind}, ${len(arguments)}"
        where.append(f"({key}, w.id) {comparison} ({place})")
    elif listing.offset:
        arguments.append(listing.offset)
        skip = f"OFFSET ${len(arguments)}"
    sql = _PAGE.format(
        card=cards.JSON,
        key=key,
        order=listing.order.upper(),
        where=" AND ".join(where),
        length=listing.limit,
        skip=skip,
    )
    return sql, arguments


async def page(db: Connection, listing: Listing) -> Part:
    """One page of the catalogue, in one statement."""
    sql, arguments = statement(listing)
    found = await db.fetchrow(sql, *arguments)
    if found is None:
        raise AssertionError("an aggregate gives one row")
    return Part(cards=found["cards"], next=_cursor(listing, found) if found["more"] else None)


def _cursor(listing: Listing, last: asyncpg.Record) -> Cursor:
    key = last["key"]
    return Cursor(listing.sort, listing.order, key.isoformat() if isinstance(key, datetime) else key, last["id"])


async def total(db: Connection, status: Status | None, kind: WorkKind = "manga") -> int:
    """How many works of a kind the catalogue lists, of a status or in all."""
    where = visibility.listed(kind) if status is None else f"{visibility.listed(kind)} AND w.status = $1"
    count: int = await db.fetchval(_TOTAL.format(where=where), *([] if status is None else [status]))
    return count
