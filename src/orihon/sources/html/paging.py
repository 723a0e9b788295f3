"""Whether a list goes on after this page, from what the page itself shows (DESIGN ruling 14)."""

from typing import NamedTuple

from selectolax.lexbor import LexborNode

from orihon.sources.adapter import EndUnproven, LayoutChanged
from orihon.sources.html.addresses import origin, resolve
from orihon.sources.html.page import Page
from orihon.sources.html.profile import Paging
from orihon.sources.html.text import Css, every, first, words

_ANYTHING = Css("*")


class Shown(NamedTuple):
    """What a pager shows: whether this page is the last; this and the last page's number where they are told."""

    ends: bool
    last: int | None
    page: int | None = None


def shown(page: Page, paging: Paging, number: int) -> Shown:
    """What the pager of page `number` (counted from 1) proves.

    Raises:
        EndUnproven: there is no pager, or it does not tell.
    """
    pager = first(page.tree, paging.pager)
    if pager is None:
        raise EndUnproven(
            f"{page.url} has no pagination object (`{paging.pager.text}`), so nothing proves that the list ends here. "
            "If the site has moved it, give `paging.pager` a new selector."
        )
    if paging.end:
        return Shown(ends=first(page.tree, paging.end) is not None, last=None)
    last = _last_said(pager, paging) if paging.says else max(_numbers(pager), default=None)
    if last is None:
        what = f"does not say “{paging.says.text}”" if paging.says else "shows no page number"
        raise EndUnproven(
            f"The pagination object (`{paging.pager.text}`) of {page.url} {what}, so nothing proves that the list ends."
        )
    said = _page_said(pager, paging)
    # A source may begin in the middle of a list that is reached by links: there the site's own number counts.
    reached = said if said is not None and paging.by == "link" else number
    return Shown(ends=reached >= last, last=last, page=said)


def refuse_another(page: Page, shown: Shown, number: int) -> None:
    """A link to the next page led to that page, and not back.

    Raises:
        LayoutChanged: the pager says that this is another page than page `number`.
    """
    if number > 1 and shown.page not in (None, number):
        raise LayoutChanged(
            f"The link to page {number} led to {page.url}, which says that it is page {shown.page}: the list leads in "
            "a circle, or has changed while it was walked. It is tried again later."
        )


def shrunk(shown: Shown, number: int) -> bool:
    """Whether page `number` may be empty because the list has shrunk while it was walked.

    Only the page behind the last one may, and not where the pager takes it for another page: then it is that of a site
    that says it has nothing, and such a page proves nothing.
    """
    return shown.last == number - 1 and shown.page in (None, number)


def next_link(page: Page, link: Css) -> str:
    """The address of the next page, on the same site.

    Raises:
        EndUnproven: the link is missing although the pager shows that the list goes on.
        LayoutChanged: it leads elsewhere, or back to this page.
    """
    element = first(page.tree, link)
    if element is None:
        raise EndUnproven(f"{page.url} shows that the list goes on, but has no link to the next page (`{link.text}`).")
    written = element.attributes.get("href") or ""
    url = resolve(page.base, written)
    if url is None or origin(url) != origin(page.url) or url == page.url.partition("#")[0]:
        raise LayoutChanged(
            f"The link to the next page (`{link.text}`) of {page.url} leads to “{written[:200]}”, which is not another "
            "page of the same site."
        )
    return url


def _page_said(pager: LexborNode, paging: Paging) -> int | None:
    found = paging.says and paging.says.within(words(pager))
    return int(found["page"]) if found and found.get("page", "").isdecimal() else None


def _last_said(pager: LexborNode, paging: Paging) -> int | None:
    found = paging.says and paging.says.within(words(pager))
    return int(found["last"]) if found else None


def _numbers(pager: LexborNode) -> set[int]:
    texts = {words(element) for element in every(pager, _ANYTHING)}
    return {int(text) for text in texts if text.isascii() and text.isdigit() and len(text) <= 9}
