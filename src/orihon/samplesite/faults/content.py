"""Faults of what documents say: lists, cursors, names and addresses. They know the site's own markup and JSON."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from orihon.samplesite import html
from orihon.samplesite.faults import signing
from orihon.samplesite.faults.answer import Answer, Ask, Kind

_ROWS: Mapping[Kind, re.Pattern[str]] = {
    "listing": re.compile(r'<li class="work-item">.*?</li>', re.DOTALL),
    "title": re.compile(r'<tr><td class="chapter">.*?</tr>', re.DOTALL),
    "reader": re.compile(r'<img id="page\d+"[^>]*>'),
}
_EMPTIED = re.compile(r'<table id="chapters">.*?</table>', re.DOTALL)
_PAGINATION = re.compile(r'<nav class="pagination".*?</nav>', re.DOTALL)
_POISON: Mapping[Kind, tuple[re.Pattern[str], str]] = {
    "listing": (re.compile(r'href="[^"]*"'), 'href="javascript:void(0)"'),
    "title": (re.compile(r'href="[^"]*"'), 'href="javascript:void(0)"'),
    "reader": (re.compile(r'src="[^"]*"'), 'src="data:,"'),
}
_NAMES: Mapping[Kind, str] = {"listing": "title", "title": "chapters", "reader": "pic_container"}
_POST_FIELD = "attachments"
_CURRENT = re.compile(r'<b class="current">\d+</b>')
_NEXT = re.compile(r'<a rel="next" href="[^"]*">')


def _with_rows(ask: Ask, answer: Answer, change: Callable[[list[Any]], list[Any]]) -> Answer:
    """The same document with other rows. One that has none, or keeps them, is left alone."""
    if ask.kind == "posts":
        told = msgspec.json.decode(answer.body)
        rows = change(told["posts"])
        return answer if rows == told["posts"] else _told(answer, {**told, "posts": rows})
    pattern = _ROWS.get(ask.kind)
    if pattern is None:
        return answer
    text = answer.body.decode()
    found = list(pattern.finditer(text))
    if not found:
        return answer
    before, after = text[: found[0].start()], text[found[-1].end() :]
    return _text(answer, before + "".join(change([match.group() for match in found])) + after)


def _told(answer: Answer, told: object) -> Answer:
    return answer.but(body=msgspec.json.encode(told))


def _text(answer: Answer, text: str) -> Answer:
    body = text.encode()
    return answer if body == answer.body else answer.but(body=body)


def empty_page(ask: Ask, answer: Answer) -> Answer:
    """The page of a site that has nothing, down to what says so."""
    if ask.kind == "posts":
        return _told(answer, {"posts": [], "next": None})
    if ask.kind == "listing":
        return _text(answer, html.listing([], 1, 1))
    if ask.kind == "title":
        return _text(answer, _EMPTIED.sub('<p class="no-chapters">No chapters yet.</p>', answer.body.decode()))
    return _with_rows(ask, answer, lambda _: [])


def rows_missing(ask: Ask, answer: Answer) -> Answer:
    """The frame of the page, read before its rows were there."""
    return _with_rows(ask, answer, lambda _: [])


def vanished_rows(ask: Ask, answer: Answer) -> Answer:
    """Every second row is gone."""
    return _with_rows(ask, answer, lambda rows: rows[::2])


def changed_order(ask: Ask, answer: Answer) -> Answer:
    """The rows, last first."""
    return _with_rows(ask, answer, lambda rows: rows[::-1])


def missing_cursor(ask: Ask, answer: Answer) -> Answer:
    """Nothing says whether the list goes on."""
    if ask.kind == "posts":
        told = msgspec.json.decode(answer.body)
        del told["next"]
        return _told(answer, told)
    return _text(answer, _PAGINATION.sub("", answer.body.decode())) if ask.kind == "listing" else answer


def repeated_cursor(ask: Ask, answer: Answer) -> Answer:
    """The page that follows is this one, again; the first page of a feed is left alone, since it has no cursor."""
    if ask.kind == "posts":
        told = msgspec.json.decode(answer.body)
        asked = ask.query.get("cursor")
        return _told(answer, {**told, "next": asked}) if asked and told["next"] else answer
    if ask.kind != "listing":
        return answer
    shown = re.search(r"/page/(\d+)/", ask.path)
    page = int(shown[1]) if shown else 1
    if page == 1:
        return answer
    # As the page before it, whose next one is this.
    text = _CURRENT.sub(f'<b class="current">{page - 1}</b>', answer.body.decode())
    return _text(answer, _NEXT.sub(f'<a rel="next" href="{html.listing_url(page - 1)}">', text))


def poisoned_item(ask: Ask, answer: Answer) -> Answer:
    """One row in the middle leads nowhere; one post has its id and null for everything else."""

    def spoil(rows: list[Any]) -> list[Any]:
        place = len(rows) // 2
        return [_spoiled(ask.kind, row) if at == place else row for at, row in enumerate(rows)]

    return _with_rows(ask, answer, spoil)


def _spoiled(kind: Kind, row: Any) -> Any:
    if kind == "posts":
        return {name: value if name == "id" else None for name, value in row.items()}
    pattern, nothing = _POISON[kind]
    return pattern.sub(nothing, row)


def renamed_field(ask: Ask, answer: Answer) -> Answer:
    """A class or id of the markup, or a field of every post, is called otherwise."""
    if ask.kind == "posts":
        name = ask.rule.field or _POST_FIELD
        return _with_rows(
            ask, answer, lambda rows: [{f"{key}_v2" if key == name else key: row[key] for key in row} for row in rows]
        )
    called = ask.rule.field or _NAMES.get(ask.kind)
    if called is None:
        return answer
    return _text(answer, re.sub(rf'\b(class|id)="{re.escape(called)}"', rf'\1="{called}-v2"', answer.body.decode()))


def expired_address(ask: Ask, answer: Answer) -> Answer:
    """Addresses of files are signed, and no longer valid when they are used."""
    if ask.kind == "file":
        return answer
    expires = int(ask.now + ask.seconds(-60))
    return _text(answer, signing.sign_all(answer.body.decode(), expires))
