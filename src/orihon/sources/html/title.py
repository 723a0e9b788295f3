"""The page of a title: its facts and its chapter list (crawler-daemon-reader 12.3, crawler-support 9.6)."""

from typing import NamedTuple

from orihon.sources.adapter import LayoutChanged
from orihon.sources.html.addresses import key_of, resolve
from orihon.sources.html.listing import link_and_text
from orihon.sources.html.page import Page
from orihon.sources.html.profile import Chapters, Value
from orihon.sources.html.profile import Title as TitleTable
from orihon.sources.html.text import every, first
from orihon.sources.html.values import attribute, many, meant, number_in, one, paragraphs
from orihon.sources.records import ChapterRef, Title, TitleRef

_IMAGE = ("data-src", "data-original", "src")


class ChapterRows(NamedTuple):
    """The chapters that one page lists, in its order, and how many rows have no address."""

    refs: tuple[ChapterRef, ...]
    dropped: int


def facts(page: Page, table: TitleTable, ref: TitleRef) -> Title:
    """What the page says about a title; its chapters are read apart.

    Raises:
        LayoutChanged: the profile says where the name is, and it is not there.
    """
    tree = page.tree

    def texts(value: Value | None) -> tuple[str, ...]:
        return many(tree, value) if value else ()

    name = one(tree, table.name) if table.name else ref.title
    if name is None:
        raise LayoutChanged(
            f"{page.url} has no name where `title.name` says. It is not the page of a title, or its markup has changed."
        )
    status, direction = table.status, table.reading_direction
    # A site that has one direction says it nowhere: the default stands alone, without a selector.
    format_word = one(tree, direction) if direction and direction.select else None
    return Title(
        key=ref.key,
        title=name,
        url=ref.url,
        alt_titles=tuple(text for text in texts(table.alt_titles) if text != name),
        description=paragraphs(tree, table.description) if table.description else None,
        status=meant(one(tree, status), status.words) if status else None,
        reading_direction=(meant(format_word, direction.words) or direction.default) if direction else None,
        authors=texts(table.authors),
        artists=texts(table.artists),
        genres=texts(table.genres),
        tags=texts(table.tags),
        cover_url=_cover(page, table.cover) if table.cover else None,
    )


def _cover(page: Page, value: Value) -> str | None:
    for node in every(page.tree, value.select) if value.select else ():
        for name in value.attr or _IMAGE:
            if url := resolve(page.base, attribute(node, (name,)) or ""):
                return url
    return None


def chapter_rows(page: Page, table: Chapters) -> ChapterRows:
    """The chapters of one page, as listed. Nothing is filtered: notices stay, and so do equal numbers.

    Raises:
        LayoutChanged: no row has an address, or there are no rows and no word that there are none.
    """
    refs = []
    rows = every(page.tree, table.rows)
    for row in rows:
        written, name = link_and_text(row, table.link, table.title)
        url = resolve(page.base, written)
        if url:
            text = one(row, table.number_from) if table.number_from else name
            number = number_in(text, table.number)
            refs.append(ChapterRef(key=key_of(written, table.key), url=url, number=number, title=name))
    if rows and not refs:
        raise LayoutChanged(
            f"None of the {len(rows)} chapter rows (`{table.rows.text}`) of {page.url} has an address. "
            "The markup inside a row has changed; see `title.chapters.link`."
        )
    if not rows and table.none and first(page.tree, table.none) is None:
        raise LayoutChanged(
            f"{page.url} shows neither chapters (`{table.rows.text}`) nor that there are none (`{table.none.text}`)."
        )
    return ChapterRows(tuple(refs), len(rows) - len(refs))


def told_apart(refs: tuple[ChapterRef, ...], url: str) -> tuple[ChapterRef, ...]:
    """The same chapters, one of each key.

    One address listed twice is one chapter, and so is one name at addresses that differ only behind the key. Anything
    else with one key is a fault of the key rule, which would fold chapters into one: a whole list once ended as the
    single chapter `pg-1` (crawler-daemon-reader 12.3).

    Raises:
        LayoutChanged: different chapters get the same key.
    """
    kept: dict[str, ChapterRef] = {}
    for ref in refs:
        known = kept.setdefault(ref.key, ref)
        if known.url != ref.url and (_up_to_key(known), known.title) != (_up_to_key(ref), ref.title):
            raise LayoutChanged(
                f"Two chapters of {url} get the same key `{ref.key}`: {known.url} and {ref.url}. "
                "See `title.chapters.key` in the site profile."
            )
    return tuple(kept.values())


def _up_to_key(ref: ChapterRef) -> str:
    return ref.url.rpartition(ref.key)[0]
