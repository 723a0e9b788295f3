"""A page of the listing: its entries (crawler-support 9.5)."""

from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from orihon.sources.adapter import LayoutChanged
from orihon.sources.html.addresses import key_of, resolve
from orihon.sources.html.page import Page
from orihon.sources.html.profile import Listing, Value
from orihon.sources.html.text import Css, every, first
from orihon.sources.html.values import one
from orihon.sources.records import TitleRef

_ITSELF = Value()


def link_and_text(row: LexborNode, link: Css | None, title: Value | None) -> tuple[str, str | None]:
    """The address of a row as it is written, and its name."""
    anchor = first(row, link) if link else row
    if anchor is None:
        return "", None
    if title is None or title.select is None:
        return anchor.attributes.get("href") or "", one(anchor, title or _ITSELF)
    return anchor.attributes.get("href") or "", one(row, title)


def entries(page: Page, listing: Listing) -> tuple[tuple[TitleRef, ...], int]:
    """The entries of a listing page in its order, and how many had no address or no name.

    Raises:
        LayoutChanged: none of the entries can be read, or the key rule does not tell them apart.
    """
    refs = []
    rows = every(page.tree, listing.rows)
    for row in rows:
        written, title = link_and_text(row, listing.link, listing.title)
        url = resolve(page.base, written)
        if url and title:
            refs.append(TitleRef(key=key_of(written, listing.key), title=title, url=url))
    if rows and not refs:
        raise LayoutChanged(
            f"None of the {len(rows)} entries (`{listing.rows.text}`) of {page.url} has both an address and a name. "
            "The markup inside a row has changed; see `listing.link` and `listing.title`."
        )
    _refuse_one_key_for_all(refs, page.url)
    return tuple(refs), len(rows) - len(refs)


def _refuse_one_key_for_all(refs: Sequence[TitleRef], url: str) -> None:
    if len({ref.key for ref in refs}) == 1 and len({ref.url for ref in refs}) > 1:
        raise LayoutChanged(
            f"Every entry of {url} gets the same key `{refs[0].key}`, so titles could not be told apart. "
            "See `listing.key` in the site profile."
        )
