"""The page of a chapter: its images (crawler-daemon-reader 8.1, crawler-core 8.8)."""

import re

from orihon.sources.adapter import LayoutChanged, Transient
from orihon.sources.html.addresses import resolve
from orihon.sources.html.page import Page
from orihon.sources.html.profile import Reader, Value
from orihon.sources.html.text import every
from orihon.sources.html.values import attribute, one
from orihon.sources.records import PageRef

_WHOLE = re.compile(r"[0-9]{1,6}(?![0-9])")


def announced(page: Page, value: Value) -> int:
    """How many pages the site says that the chapter has.

    Raises:
        LayoutChanged: it does not say where the profile looks.
    """
    text = one(page.tree, value)
    found = _WHOLE.search(text or "")
    if found is None:
        raise LayoutChanged(
            f"{page.url} does not say how many pages the chapter has where `reader.count` looks. The markup has "
            "changed; see the site profile."
        )
    return int(found[0])


def refuse_other_count(pages: tuple[PageRef, ...], said: int, url: str) -> None:
    """Whole or nothing: pages that the site announces and does not show are missing, not gone (gallery-dl #9292).

    Raises:
        Transient: another number of pages than announced.
    """
    if len(pages) != said:
        raise Transient(
            f"{url} announces {said} pages and shows {len(pages)}. The page is probably incomplete; it is tried again."
        )


def images(page: Page, table: Reader) -> list[PageRef]:
    """The images of one document, in its order.

    An image without an address, or without a number where the profile asks for one, is none of the pages. Without
    such a rule the number is 0 here and comes from the order (`numbered`).
    """
    found = []
    for node in every(page.tree, table.images):
        number = 0
        if table.number:
            match = table.number.whole(attribute(node, (table.number_attr,)) or "")
            if match is None:
                continue
            number = int(match["digits"])
        urls = (resolve(page.base, attribute(node, (name,)) or "") for name in table.attr)
        if url := next(filter(None, urls), None):
            found.append(PageRef(number=number, url=url, referer=page.url))
    return found


def numbered(found: list[PageRef], table: Reader, url: str) -> tuple[PageRef, ...]:
    """The pages of a chapter in order, numbered from 1, no number twice.

    Raises:
        LayoutChanged: there are none, or one number has two addresses.
    """
    if not found:
        raise LayoutChanged(
            f"{url} shows no page images (`{table.images.text}`). A chapter is never taken for empty: the markup has "
            "changed, or the images need a script; see `reader` in the site profile."
        )
    if table.number is None:
        return tuple(
            PageRef(number=place, url=ref.url, referer=ref.referer) for place, ref in enumerate(found, start=1)
        )
    kept: dict[int, PageRef] = {}
    for ref in sorted(found, key=lambda ref: ref.number):
        known = kept.setdefault(ref.number, ref)
        if known.url != ref.url:
            raise LayoutChanged(f"Page {ref.number} of {url} has two addresses: {known.url} and {ref.url}.")
    # A site that counts from 0 keeps its order; stored pages count from 1.
    shift = 1 if 0 in kept else 0
    return tuple(
        PageRef(number=number + shift, url=ref.url, referer=ref.referer) for number, ref in sorted(kept.items())
    )
