"""The pages of the site as text.

The markup is described in the package's docstring; profiles are written against it.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from http import HTTPStatus

from orihon.samplesite import paper
from orihon.samplesite.catalogue import Chapter, Image, Work

_DIRECTIONS = {"ltr": "Left to right", "rtl": "Right to left", "vertical": "Vertical strip"}


def work_url(work: Work) -> str:
    """The title page of a work."""
    return f"/works/{work.slug}/"


def chapter_url(work: Work, chapter: Chapter) -> str:
    """The reader page of a chapter."""
    return f"/read/{work.slug}/{chapter.key}/"


def cover_url(work: Work) -> str | None:
    """The cover of a work, if it has one."""
    return None if work.cover is None else f"/img/{work.slug}/{work.cover_name}.{paper.suffix(work.cover)}"


def page_url(work: Work, chapter: Chapter, number: int, image: Image) -> str:
    """The image of a page; `number` counts from 1."""
    return f"/img/{work.slug}/{chapter.key}/{number:03d}.{paper.suffix(image)}"


def listing_url(page: int) -> str:
    """A page of the listing; pages count from 1."""
    return "/works/" if page == 1 else f"/works/page/{page}/"


def listing(works: Sequence[Work], page: int, last: int) -> str:
    """A page of the listing."""
    items = "".join(_listed(work) for work in works)
    found = f'<ul class="works">{items}</ul>' if works else '<p class="no-works">No works yet.</p>'
    return _document("Latest updates", f"<main><h1>Latest updates</h1>{found}{_pagination(page, last)}</main>")


def _listed(work: Work) -> str:
    url = work_url(work)
    cover = cover_url(work)
    image = (
        f'<img src="{escape(cover)}" alt=""{_dimensions(work.cover)} loading="lazy">'
        if cover
        else '<span class="no-cover">No cover</span>'
    )
    latest = ""
    if work.chapters:
        newest = work.chapters[0]
        latest = f'<p class="latest"><a href="{escape(chapter_url(work, newest))}">{escape(newest.label)}</a></p>'
    return (
        f'<li class="work-item"><a class="cover-link" href="{escape(url)}">{image}</a>'
        f'<h2 dir="auto"><a class="title" href="{escape(url)}">{escape(work.title)}</a></h2>'
        f"{latest}<p>{_time(work.updated)}</p></li>"
    )


def _pagination(page: int, last: int) -> str:
    newer = f'<a rel="prev" href="{listing_url(page - 1)}">Newer</a>' if page > 1 else ""
    older = f'<a rel="next" href="{listing_url(page + 1)}">Older</a>' if page < last else ""
    return (
        f'<nav class="pagination" aria-label="Pages">{newer}'
        f'<span>Page <b class="current">{page}</b> of <a class="last" href="{listing_url(last)}">{last}</a></span>'
        f"{older}</nav>"
    )


def title(work: Work) -> str:
    """The title page of a work, with its whole chapter list."""
    cover = cover_url(work)
    image = (
        f'<img class="cover" src="{escape(cover)}" alt="Cover of {escape(work.title)}"{_dimensions(work.cover)}>'
        if cover
        else ""
    )
    facts = "".join(
        (
            _facts("Alternative titles", "alt-titles", work.alt_titles),
            _facts("Authors", "authors", work.authors),
            _facts("Artists", "artists", work.artists),
            _facts("Genres", "genres", work.genres),
            _facts("Tags", "tags", work.tags),
            _fact("Status", "status", work.status),
            _fact("Reading direction", "direction", work.direction and _DIRECTIONS[work.direction]),
            f'<dt>Updated</dt><dd class="updated">{_time(work.updated)}</dd>',
        )
    )
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in (work.description or "").splitlines() if text)
    about = f'<section class="description" dir="auto">{paragraphs}</section>' if paragraphs else ""
    return _document(
        work.title,
        f'<main><article class="work">{image}<h1 class="title" dir="auto">{escape(work.title)}</h1>'
        f'<dl class="facts">{facts}</dl>{about}{_chapters(work)}</article></main>',
    )


def _chapters(work: Work) -> str:
    if not work.chapters:
        return '<p class="no-chapters">No chapters yet.</p>'
    rows = "".join(
        f'<tr><td class="chapter"><a href="{escape(chapter_url(work, chapter))}">{escape(chapter.label)}</a></td>'
        f'<td class="uploader">{escape(chapter.uploader)}</td><td class="date">{_time(chapter.uploaded)}</td></tr>'
        for chapter in work.chapters
    )
    return (
        '<table id="chapters"><thead><tr><th>Chapter</th><th>Uploaded by</th><th>Date</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def reader(work: Work, chapter: Chapter) -> str:
    """The reader page of a chapter, with all its images."""
    place = work.chapters.index(chapter)
    images = "".join(
        f'<img id="page{number}" src="{escape(page_url(work, chapter, number, image))}" alt="Page {number}"'
        f"{_dimensions(image)}>"
        for number, image in enumerate(chapter.pages, start=1)
    )
    older = _neighbour("prev", "Previous chapter", work, place + 1)
    newer = _neighbour("next", "Next chapter", work, place - 1)
    count = len(chapter.pages)
    return _document(
        f"{work.title}, {chapter.label}",
        f'<main class="reader"><h1 dir="auto"><a class="title" href="{escape(work_url(work))}">{escape(work.title)}</a>'
        f' <span class="chapter">{escape(chapter.label)}</span></h1>'
        f'<p class="page-count">{count} {"page" if count == 1 else "pages"}</p>'
        f'<a id="pic_container" href="{escape(work_url(work))}">'
        f'<img class="loading" src="/static/wait.svg" alt="">{images}</a>'
        f'<nav class="chapters" aria-label="Chapters">{older} {newer}</nav></main>',
    )


def _neighbour(relation: str, text: str, work: Work, place: int) -> str:
    if not 0 <= place < len(work.chapters):
        return ""
    return f'<a rel="{relation}" href="{escape(chapter_url(work, work.chapters[place]))}">{text}</a>'


def _dimensions(image: Image | None) -> str:
    size = None if image is None else paper.size(image)
    return "" if size is None else f' width="{size[0]}" height="{size[1]}"'


def error(status: HTTPStatus, text: str) -> str:
    """The page that goes with an error status."""
    return _document(
        status.phrase,
        f'<main class="error"><h1>{status.value} {escape(status.phrase)}</h1><p>{escape(text)}</p></main>',
    )


def _facts(term: str, name: str, values: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(value)}</li>" for value in values)
    return f'<dt>{term}</dt><dd><ul class="{name}" dir="auto">{items}</ul></dd>' if items else ""


def _fact(term: str, name: str, value: str | None) -> str:
    return f'<dt>{term}</dt><dd class="{name}">{escape(value)}</dd>' if value else ""


def _time(when: datetime) -> str:
    return f'<time datetime="{when.isoformat()}">{when:%Y-%m-%d}</time>'


def _document(heading: str, body: str) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(heading)} · Folded Paper</title><link rel="stylesheet" href="/static/site.css"></head><body>'
        '<header><a id="logo" href="/works/">Folded <b>Paper</b></a></header>'
        f"{body}<footer>A sample site: every work here was drawn by a program.</footer></body></html>"
    )
