"""The pure rules of the html adapter: keys, patterns, values, addresses."""

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from orihon.sources.html.addresses import (
    LONGEST_KEY,
    key_of,
    numbered_path,
    query_number,
    resolve,
    with_path_number,
    with_query_number,
)
from orihon.sources.html.profile import Key, Value
from orihon.sources.html.text import Css, Pattern, every
from orihon.sources.html.values import LONGEST, many, number_in, one, paragraphs

CHAPTER = Key(drop=(Pattern("pg-{digits}"),))


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://x.example/uu/br_chapter-379272/pg-1/", "br_chapter-379272"),
        ("https://x.example/uu/to_chapter-13/pg-1/", "to_chapter-13"),
        ("https://x.example/uu/br_chapter-379272/pg-25/", "br_chapter-379272"),
        ("https://x.example/uu/br_chapter-379272/", "br_chapter-379272"),
        ("https://x.example/uu/br_chapter-379272/pg-1/?ref=x", "br_chapter-379272"),
        ("https://x.example/uu/something/pg-foo/", "pg-foo"),
        ("https://x.example/uu/something/pg-/", "pg-"),
        ("https://x.example/uu/something/pg-١/", "pg-١"),
        ("https://x.example/uu//something//", "something"),
        ("https://x.example/", "https://x.example/"),
        ("https://x.example/pg-1/", "https://x.example/pg-1/"),
        ("?id=3", "?id=3"),
    ],
)
def test_chapter_key_is_the_last_segment_that_is_no_reader_page(url: str, key: str) -> None:
    """crawler-daemon-reader 12.3, its table and its edges."""
    assert key_of(url, CHAPTER) == key


@pytest.mark.parametrize(
    ("url", "rule", "key"),
    [
        ("/manga/bar", Key(), "bar"),
        ("/manga/bar/?page=2#top", Key(), "bar"),
        ("/works/17/a-name-that-changes", Key(after="works"), "17"),
        ("/elsewhere/17", Key(after="works"), "/elsewhere/17"),
        ("/works/", Key(after="works"), "/works/"),
        ("/show.php?id=17&page=2", Key(query="id"), "17"),
        ("/show.php?id=", Key(query="id"), "/show.php?id="),
    ],
)
def test_title_key(url: str, rule: Key, key: str) -> None:
    """crawler-daemon-reader 12.3: the last segment, unless the profile takes another part."""
    assert key_of(url, rule) == key


@pytest.mark.parametrize(
    ("url", "other", "rule"),
    [
        (f"/{'x' * 1_900}/", f"/{'x' * 1_899}y/", CHAPTER),
        (f"/{'進' * 500}/", f"/{'進' * 499}撃/", CHAPTER),
        ("/show?id=a%00b", "/show?id=a%00c", Key(query="id")),
    ],
    ids=["long", "long in bytes", "zero byte"],
)
def test_a_key_that_could_not_be_stored_is_told_apart_by_its_hash(url: str, other: str, rule: Key) -> None:
    key = key_of(url, rule)
    assert len(key.encode()) <= LONGEST_KEY
    assert "\0" not in key
    assert key == key_of(url, rule) != key_of(other, rule)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\x1b[2JBerserk\x07", "[2JBerserk"),
        ("\u202eBerserk\u202c", "Berserk"),
        ("a\u2066b\u2069c\x85d", "abc d"),
        ("\u200fالرداء", "\u200fالرداء"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("\u200b", None),
        ("\u202e", None),
        ("\ufeff\xa0", None),
    ],
    ids=["terminal", "override", "isolate", "mark", "joiner", "zero width", "override alone", "blanks"],
)
def test_a_text_holds_nothing_that_a_terminal_or_the_text_beside_it_obeys(written: str, read: str | None) -> None:
    """A site's words are shown in browsers, logs and terminals; and a name that nobody can see is no name."""
    tree = LexborHTMLParser(f"<h1>{written}</h1>")
    assert one(tree, Value(select=Css("h1"))) == read


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Ch.1", "1"),
        ("Ch.12.5", "12.5"),
        ("Ch.10.50 : Official", "10.50"),
        ("hitaus.", None),
        ("notice. : Officials", None),
        ("Vol.2 Ch.7", "2"),
        ("第１２話", "12"),
        ("Ch.0", "0"),
        ("Ch.1.2.3", "1.2"),
        ("Ch.1.23456", "1"),
        ("Update of 20240105", None),
        ("Ch.1234567", None),
        (None, None),
    ],
)
def test_chapter_number_is_the_first_number_or_none(text: str | None, number: str | None) -> None:
    """DESIGN ruling 1: decimals, and null for notices; what does not fit numeric(9,3) is no number."""
    assert number_in(text, (Pattern("{number}"),)) == (number and Decimal(number))


def test_number_patterns_are_tried_in_order() -> None:
    patterns = (Pattern("Ch.{number}"), Pattern("Chapter {number}"))
    assert number_in("Vol.2 ch.7", patterns) == 7
    assert number_in("CHAPTER   7.5: The 8th", patterns) == Decimal("7.5")
    assert number_in("Notice: back on May 3", patterns) is None


def test_a_dot_in_a_pattern_is_a_dot() -> None:
    assert Pattern("Ch.{number}").within("Chx7") is None


@pytest.mark.parametrize("text", ["", "   ", "x" * 201, "{nmber}", "{digits} {digits}", "{}"])
def test_pattern_that_cannot_be_used_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"placeholder|characters|twice"):
        Pattern(text)


@given(st.text(alphabet="a1. {}()*+?\\[", max_size=60), st.text(alphabet="a1. ", max_size=3000))
def test_no_pattern_runs_away(pattern: str, text: str) -> None:
    """A profile's pattern may hold anything: it is literal text, and bounded."""
    try:
        read = Pattern(pattern)
    except ValueError:
        return
    begun = time.perf_counter()
    read.within(text)
    read.whole(text)
    assert time.perf_counter() - begun < 1


def test_worst_pattern_on_worst_text_is_quick() -> None:
    worst = Pattern("a{any}{digits}{page}{last}b")
    begun = time.perf_counter()
    assert worst.within("a1" * 1000) is None
    assert worst.within("a" + "1" * 1999) is None
    assert time.perf_counter() - begun < 1


HTML = LexborHTMLParser(
    """<main><p class=by>Author: <a>Ko</a>, <a title="Mina Sato">M. S.</a>, <a>Ko</a>, <a> n/a </a></p>
    <p class=alt>Alternative: A; B / C ;; a</p><p class=tag>Tag (a) (12)</p><p class=tag>(3)</p>
    <p class=about>One.<br>Two.</p><p class=about>Three.</p></main>"""
)


def value(**keys: object) -> Value:
    select = keys.pop("select", None)
    return Value(select=Css(str(select)) if select else None, **keys)  # type: ignore[arg-type]


def test_values_are_cleaned_and_told_once() -> None:
    assert many(HTML, value(select=".by a", ignore=("N/A",))) == ("Ko", "M. S.")
    assert many(HTML, value(select=".by a", attr=("title",))) == ("Mina Sato",)
    assert many(HTML, value(select=".alt", label="Alternative:", split=(";", " / "))) == ("A", "B", "C", "a")
    assert one(HTML, value(select=".none")) is None


def test_trailing_count_is_stripped_once() -> None:
    """crawler-daemon-reader 12.3: `Tag (a) (12)` is `Tag (a)`; a count alone is no tag."""
    assert many(HTML, value(select=".tag", strip_count=True)) == ("Tag (a)",)


def test_several_elements_of_a_description_are_paragraphs() -> None:
    assert paragraphs(HTML, value(select=".about")) == "One.Two.\n\nThree."


def test_values_are_bounded() -> None:
    tree = LexborHTMLParser("<p>" + "x" * 10_000 + "</p>" + "".join(f"<b>{n}</b>" for n in range(9_000)))
    assert len(one(tree, value(select="p")) or "") == LONGEST
    assert len(many(tree, value(select="b"))) == 500


def test_an_element_that_two_alternatives_find_is_one_element() -> None:
    tree = LexborHTMLParser("<p class=a><b>1</b></p><b>2</b>")
    assert [node.text() for node in every(tree, Css("b, .a b"))] == ["1", "2"]


@pytest.mark.parametrize(
    ("written", "url"),
    [
        ("/a", "https://x.example/a"),
        (" ../b ", "https://x.example/b"),
        ("//cdn.example/c", "https://cdn.example/c"),
        ("HTTP://Y.example/d#e", "http://y.example/d"),
        ("?page=2", "https://x.example/list/1?page=2"),
        ("", None),
        ("#", None),
        ("javascript:alert(1)", None),
        ("data:image/gif;base64,R0lGOD", None),
        ("http://[", None),
        ("https://", None),
        ("/" + "a" * 3000, None),
    ],
)
def test_address_resolves_or_is_none(written: str, url: str | None) -> None:
    assert resolve("https://x.example/list/1", written) == url


@given(st.text(max_size=200))
def test_any_address_resolves_to_one_that_can_be_fetched_or_to_none(written: str) -> None:
    url = resolve("https://x.example/list/1", written)
    assert url is None or (url.startswith(("http://", "https://")) and url.isascii())
    assert key_of(written, CHAPTER) or not written.strip()


def test_first_numeric_path_segment_is_the_page_number() -> None:
    """crawler-support 9.4: page N is the base address with its first `/N/` segment replaced."""
    assert numbered_path("https://x.example/list/1/of/9/") == 1
    assert with_path_number("https://x.example/list/1/of/9/?a=1", 12) == "https://x.example/list/12/of/9/?a=1"
    assert numbered_path("https://x.example/list/") is None


def test_query_number_keeps_the_other_parameters() -> None:
    assert query_number("https://x.example/list?page=1&sort=", "page") == 1
    assert with_query_number("https://x.example/list?page=1&sort=&q=a+b", "page", 2) == (
        "https://x.example/list?sort=&q=a+b&page=2"
    )
