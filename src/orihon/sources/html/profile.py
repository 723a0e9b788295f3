"""The declaration of a site profile: every table and key that a profile may have, with its meaning.

The key tables of `docs/site-profiles.md` are made from these declarations (`reference.py`).
"""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from orihon.sources.html.text import Css, Pattern
from orihon.sources.records import Direction, Status

Kind = Literal["listing", "title", "reader"]

# Interstitials of the common bot checks; a site's own layout never has these ids.
CHALLENGES = (
    "#challenge-form",
    "#challenge-running",
    "#challenge-error-title",
    "#challenge-error-text",
    "#cf-challenge-running",
    "#ddos-guard",
    "#sg-captcha-form",
)


class Table(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a profile."""


class Value(Table, frozen=True, kw_only=True):
    """Where a value stands and how it is cleaned. A plain string is short for `{ select = "…" }`."""

    select: Annotated[
        Css | None,
        Meta(
            description="The element that holds it; every one that is found counts where several values are wanted. "
            "May be unset only in a row: what its `link` finds."
        ),
    ] = None
    attr: Annotated[
        tuple[str, ...],
        Meta(description="Attributes that hold it, the first that is not blank counts. Empty: the element's text."),
    ] = ()
    label: Annotated[str | None, Meta(description='Text at its beginning that is no part of it, as "Status:".')] = None
    split: Annotated[tuple[str, ...], Meta(description='Separators between several values, as [";", " / "].')] = ()
    ignore: Annotated[tuple[str, ...], Meta(description='Values that mean "none", as ["-", "N/A"]; in any case.')] = ()
    strip_count: Annotated[bool, Meta(description="Take a number in parentheses off its end, once: `Drama (12)`.")] = (
        False
    )


class StatusWords(Value, frozen=True, kw_only=True):
    """The status, by the site's words for it; with the keys of a value, and:"""

    words: Annotated[
        dict[str, Status],
        Meta(description='The site\'s words and what they mean, as { "On ice" = "hiatus" }; in any case.'),
    ]


class DirectionWords(Value, frozen=True, kw_only=True):
    """The reading direction, by the site's words for it; with the keys of a value, and:"""

    words: Annotated[
        dict[str, Direction],
        Meta(description='The site\'s words and what they mean, as { "Webtoon" = "vertical" }; in any case.'),
    ] = {}
    default: Annotated[
        Direction | None, Meta(description="What holds where the page does not say: `ltr`, `rtl` or `vertical`.")
    ] = None


class Key(Table, frozen=True, kw_only=True):
    """How an address becomes the key of a title or chapter: its last path segment, unless told otherwise.

    A key identifies its title or chapter within the source for ever. Change this rule and everything is new.
    """

    drop: Annotated[
        tuple[Pattern, ...],
        Meta(description='Last segments that are not the key, as ["pg-{digits}"]; the one before is taken.'),
    ] = ()
    after: Annotated[
        str | None, Meta(description="Take the segment after this one: with `works`, `/works/17/a-name` has key `17`.")
    ] = None
    query: Annotated[
        str | None, Meta(description="Take this query parameter: with `id`, `/show.php?id=17` has key `17`.")
    ] = None


class Paging(Table, frozen=True, kw_only=True):
    """How a list that spans several pages goes on, and what proves that it ends.

    The end needs evidence: by default the largest number that `pager` shows, or what it `says`, or an `end` element.
    A page without the `pager` is a failure and never an end.
    """

    pager: Annotated[Css, Meta(description="The element that shows where in the list one is.")]
    by: Annotated[
        Literal["link", "path", "query"],
        Meta(
            description="How to reach the next page: the address of a `link`; the first numeric `path` segment of the "
            "source's address (`/list/1/`); or a `query` parameter. Only a listing may use `path` and `query`."
        ),
    ] = "link"
    link: Annotated[Css | None, Meta(description="The link to the next page (`by` = `link`).")] = None
    query: Annotated[str | None, Meta(description="The parameter's name (`by` = `query`).")] = None
    says: Annotated[
        Pattern | None,
        Meta(description="What the pager says, as `Page {page} of {last}`; needs `{last}`. Else its numbers count."),
    ] = None
    end: Annotated[Css | None, Meta(description="An element that only the last page has. Replaces the numbers.")] = None

    def __post_init__(self) -> None:
        if self.by == "link" and self.link is None:
            raise ValueError('`by` = "link" needs the selector `link`')
        if self.by == "query" and not self.query:
            raise ValueError('`by` = "query" needs the name of the parameter in `query`')
        if self.says and self.end:
            raise ValueError("`says` and `end` are two kinds of evidence; give one")
        if self.says and "last" not in self.says.names:
            raise ValueError("`says` needs {last}, the number of the last page")


class Detect(Table, frozen=True, kw_only=True):
    """What a page is, before anything is read from it. Checked in this order."""

    broken_text: Annotated[
        tuple[str, ...],
        Meta(description="Sentences of the site's page for passing trouble, in any case. Such a page is tried again."),
    ] = ()
    challenge: Annotated[
        tuple[Css, ...],
        Meta(description="Elements of a check for humans. The default knows the common ones; a list replaces it."),
    ] = tuple(Css(css) for css in CHALLENGES)
    login: Annotated[tuple[Css, ...], Meta(description="Elements that only the login page has.")] = ()
    layout: Annotated[
        Css,
        Meta(description="An element that every whole page has, as the site's logo. A page without it is tried again."),
    ]
    logged_in: Annotated[
        Css | None, Meta(description="An element that only people who are signed in see. Unset: no login is needed.")
    ] = None
    login_needed: Annotated[
        tuple[Kind, ...], Meta(description="The pages that must show `logged_in`: `listing`, `title`, `reader`.")
    ] = ("listing", "title", "reader")
    stand_ins: Annotated[
        tuple[Annotated[str, Meta(pattern="^[0-9a-f]{64}$")], ...],
        Meta(description="SHA-256 of pictures that the site shows for removed ones. Such a picture is never a page."),
    ] = ()


class Listing(Table, frozen=True, kw_only=True):
    """The list of titles, newest first."""

    rows: Annotated[Css, Meta(description="One element per entry.")]
    link: Annotated[Css | None, Meta(description="In a row, the link to the title. Unset: the row is the link.")] = None
    title: Annotated[Value | None, Meta(description="In a row, the name. Unset: the text of the link.")] = None
    key: Annotated[Key, Meta(description="How the link's address becomes the title's key.")] = Key()
    paging: Annotated[Paging | None, Meta(description="How the list goes on. Unset: it has one page.")] = None


class Chapters(Table, frozen=True, kw_only=True):
    """The chapter list of a title."""

    rows: Annotated[Css, Meta(description="One element per chapter.")]
    link: Annotated[Css | None, Meta(description="In a row, the link to the chapter. Unset: the row is the link.")] = (
        None
    )
    title: Annotated[Value | None, Meta(description="In a row, the name. Unset: the text of the link.")] = None
    number: Annotated[
        tuple[Pattern, ...],
        Meta(
            description="Where the number stands in that text, the first pattern that fits; none fits: a notice, "
            'without number. As ["Ch.{number}"].'
        ),
    ] = (Pattern("{number}"),)
    number_from: Annotated[
        Value | None, Meta(description="In a row, the text that has the number. Unset: the name.")
    ] = None
    order: Annotated[
        Literal["newest_first", "oldest_first"], Meta(description="How the site orders them, as people see it.")
    ] = "newest_first"
    none: Annotated[
        Css | None,
        Meta(
            description="What the site shows where a title has no chapters. With it, a page with neither is a failure."
        ),
    ] = None
    key: Annotated[Key, Meta(description="How the link's address becomes the chapter's key.")] = Key()
    paging: Annotated[Paging | None, Meta(description="Further pages of the list. Unset: the page has all of it.")] = (
        None
    )

    def __post_init__(self) -> None:
        if any("number" not in pattern.names for pattern in self.number):
            raise ValueError("every pattern of `number` needs {number}")
        _only_links(self.paging)


class Title(Table, frozen=True, kw_only=True):
    """The page of a title."""

    name: Annotated[Value | None, Meta(description="Its name. Unset: as the listing has it.")] = None
    alt_titles: Annotated[Value | None, Meta(description="Other names.")] = None
    description: Annotated[Value | None, Meta(description="What it is about; several elements are paragraphs.")] = None
    status: Annotated[StatusWords | None, Meta(description="Whether it goes on.")] = None
    reading_direction: Annotated[DirectionWords | None, Meta(description="How it is read.")] = None
    authors: Annotated[Value | None, Meta(description="Who wrote it.")] = None
    artists: Annotated[Value | None, Meta(description="Who drew it.")] = None
    genres: Annotated[Value | None, Meta(description="Its genres.")] = None
    tags: Annotated[Value | None, Meta(description="Its tags.")] = None
    cover: Annotated[
        Value | None, Meta(description="The image of its cover; without `attr`: `data-src`, `data-original`, `src`.")
    ] = None
    chapters: Annotated[Chapters, Meta(description="Its chapters.")]

    def __post_init__(self) -> None:
        for key in self.__struct_fields__:
            value = getattr(self, key)
            fixed = isinstance(value, DirectionWords) and value.default is not None
            if isinstance(value, Value) and value.select is None and not fixed:
                raise ValueError(f"`{key}` needs the key `select`")


class Reader(Table, frozen=True, kw_only=True):
    """The pages of a chapter."""

    images: Annotated[
        Css, Meta(description="One image per page. Leave spinners out with `:not(…)`, as `#reader img:not(.loading)`.")
    ]
    attr: Annotated[
        tuple[str, ...],
        Meta(description="Attributes that hold an image's address, the first that is not blank counts."),
    ] = ("data-src", "data-original", "src")
    number: Annotated[
        Pattern | None,
        Meta(description="The page number in `number_attr`, as `page{digits}`; images without are left out. Unset: 1…"),
    ] = None
    number_attr: Annotated[str, Meta(description="The attribute that has the number.")] = "id"
    count: Annotated[
        Value | None,
        Meta(
            description="Where the site says how many pages the chapter has, as `14 pages`: its first whole number. A "
            "chapter that shows more or fewer is not taken, but tried again."
        ),
    ] = None
    paging: Annotated[
        Paging | None, Meta(description="Further documents of the chapter. Unset: one document has all its pages.")
    ] = None

    def __post_init__(self) -> None:
        if self.number and "digits" not in self.number.names:
            raise ValueError("`number` needs {digits}")
        if not self.attr:
            raise ValueError("`attr` needs at least one attribute")
        _only_links(self.paging)


class Profile(Table, frozen=True, kw_only=True):
    """A site profile."""

    name: Annotated[str, Meta(description="What people call it, in a few words.")] = ""
    about: Annotated[str, Meta(description="One sentence for people.")] = ""
    hosts: Annotated[
        tuple[str, ...],
        Meta(
            description='Sites that it is made for, as ["comics.example"], with their subdomains: chosen by itself for '
            "their addresses. Empty: for every site that is built this way."
        ),
    ] = ()
    detect: Annotated[Detect, Meta(description="What a page is.")]
    listing: Annotated[Listing, Meta(description="The list of titles.")]
    title: Annotated[Title, Meta(description="The page of a title.")]
    reader: Annotated[Reader, Meta(description="The pages of a chapter.")]


def _only_links(paging: Paging | None) -> None:
    if paging and paging.by != "link":
        raise ValueError('`paging` here can only go on by a link (`by` = "link")')
