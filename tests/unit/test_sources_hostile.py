"""Whatever a site sends: a record, or an error of the source's own kind, and soon."""

import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from orihon.sources.adapter import Document, SourceError, Unreadable
from orihon.sources.html import dom
from orihon.sources.records import ChapterRef, TitleRef
from orihon.sources.registry import open_adapter

pytestmark = pytest.mark.anyio

FRAGMENTS = [
    line.encode()
    for line in """\
<a id="logo">
<div id="avatar_menu">
<div id="left_side"><ul class="pic_list"><li class="updatesli"><span>
</span>
<a href=
"/manga/foo/"
'
"
>
</a>
<div class="page_nav"><span>17</span>
<div id="manga_info"><h1>
<table id=chapter_table><tr><td><h4>
<a class="chico" href="/uu/ch-1/pg-1/">
Ch.1
</table>
<a id="pic_container">
<img id="page1" src="/1.jpg">
<img id="page99999999999" src="x">
<b>
<i a=1>
<svg><desc>
<template>
<!--
-->
<![CDATA[
]]>
<script>
</script>
<base href='http://['>
&#xD800;&#0;
第一話""".splitlines()
]
PAGES = st.one_of(
    st.binary(max_size=2_000), st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=8))).map(b"".join)
)
TITLE = TitleRef(key="foo", title="Foo", url="https://target.example/manga/foo/")
CHAPTER = ChapterRef(key="ch-1", url="https://target.example/uu/ch-1/pg-1/")


class Sends:
    def __init__(self, body: bytes, content_type: str = "text/html") -> None:
        self.body, self.content_type = body, content_type

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        return Document(url=url, status=200, content_type=self.content_type, body=self.body)


def storable(text: str | None) -> bool:
    """What PostgreSQL takes as text."""
    return text is None or (text.encode("utf-8") is not None and "\x00" not in text)


@pytest.mark.parametrize("prefix", [b"", b'<a id="logo"></a><i id="avatar_menu"></i>'], ids=["bare", "whole"])
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(body=PAGES)
def test_any_bytes_give_a_record_or_an_error_of_the_source(prefix: bytes, body: bytes) -> None:
    adapter = open_adapter("html", "https://target.example/directory/1/", {"profile": "target"})
    sends = Sends(prefix + body)

    async def all_three() -> None:
        try:
            listing = await adapter.listing(sends, adapter.start())
            assert all(ref.key and storable(ref.key) and storable(ref.title) for ref in listing.refs)
        except SourceError:
            pass
        try:
            title = await adapter.title(sends, TITLE)
            assert all(chapter.key and storable(chapter.key + (chapter.title or "")) for chapter in title.chapters)
            assert storable(title.title)
            assert storable(title.description)
        except SourceError:
            pass
        try:
            pages = await adapter.pages(sends, CHAPTER)
            numbers = [page.number for page in pages]
            assert numbers == sorted(set(numbers))
            assert numbers[0] >= 1
        except SourceError:
            pass

    run(all_three())


def run(work: object) -> None:
    """Drive a coroutine that never waits."""
    try:
        work.send(None)  # type: ignore[attr-defined]
    except StopIteration:
        return
    raise AssertionError("an adapter waits for nothing but its fetcher")


HOSTILE = {
    "deep nesting": b"<div>" * 100_000,
    "deep nesting behind end tags that match nothing": b"<div></x>" * 50_000,
    "endless tags": b"<b " * 1_000_000,
    "a tag with endless attributes": b"<div " + b" ".join(b"a%d" % n for n in range(50_000)) + b">",
    "a tag with endless attributes that look like its end": (
        b'<div " ' + b" ".join(b'a%d=">"' % n for n in range(50_000)) + b">"
    ),
    "a tag with endless attributes behind a comment": (
        b'<!-- <a x=" --><div ' + b" ".join(b"a%d" % n for n in range(50_000)) + b'>"'
    ),
    "a tag with endless attributes that hold tags": b"<div " + b" ".join(b'a%d="<a>"' % n for n in range(50_000)),
    "formatting that is opened again in each block": (
        b"<p>" + b"".join(b'<b a="%d">' % n for n in range(1_000)) + b"</p>" + b"<p>x</p>" * 1_000
    ),
    "the same with attributes that hide their end": (
        b"<p>" + b"".join(b'<b a=">%d">' % n for n in range(1_000)) + b"</p>" + b"<p>x</p>" * 1_000
    ),
    "nesting where nothing closes anything": b"<svg>" + b"<td><g>" * 50_000,
    "deep nesting that is closed": b"<span>" * 9_000 + b"a" + b"</span>" * 9_000,
    "text that every element around it has": b"<span>" * 400 + b"a b " * 200_000 + b"</span>" * 400,
    "five megabytes": b"x" * 5_000_000,
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
def test_markup_that_would_cost_minutes_or_gigabytes_is_refused_at_once(body: bytes) -> None:
    begun = time.perf_counter()
    with pytest.raises(Unreadable, match="not read"):
        dom.parse(body, "text/html")
    assert time.perf_counter() - begun < 5


def test_markup_of_a_large_but_honest_list_is_read() -> None:
    row = b'<tr><td><h4><a class="chico" href="/uu/x/pg-1/"><b>Ch.1</b> : A</a></h4><td class=no>x<td>May 20<p>unclosed'
    tree = dom.parse(b'<a id="logo"></a><table>' + row * 5_000, "text/html")
    assert len(tree.css("a.chico")) == 5_000


def test_limits_hold_where_the_parser_is_still_quick() -> None:
    begun = time.perf_counter()
    with pytest.raises(Unreadable, match="nested"):
        dom.parse(b"<div>" * dom.MOST_UNCLOSED, "text/html")
    assert time.perf_counter() - begun < 10


def test_the_texts_of_every_element_of_a_page_within_the_limits_are_soon_read() -> None:
    words, depth = 1_000, dom.MOST_NESTED_TEXT // 4_100
    deep = b"<span>" * 500 + b"a b " * words + b"</span>" * 500
    tree = dom.parse(b"<div>" + deep * (depth // 500) + b"</div>", "text/html")
    begun = time.perf_counter()
    assert sum(len(element.text()) for element in tree.css("span")) > dom.MOST_NESTED_TEXT * 0.8
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize(
    ("body", "content_type", "text"),
    [
        ("日本".encode("cp932"), "text/html; charset=Shift_JIS", "日本"),
        ("日本".encode("euc-jp"), 'text/html; charset="EUC-JP"', "日本"),
        (b"<meta charset=windows-1251>" + "Привет".encode("cp1251"), "text/html", "<meta charset=windows-1251>Привет"),
        ("héros “x”".encode("cp1252"), "text/html; charset=iso-8859-1", "héros “x”"),
        (b"\xef\xbb\xbfh\xc3\xa9", "text/html; charset=iso-8859-1", "hé"),
        ("日本".encode("utf-16"), "text/html", "日本"),
        (b"a\xffb", "", "a\ufffdb"),
        (b"abc", "text/html; charset=zlib", "abc"),
        (b"+AGEAYg-", "text/html; charset=utf-7", "+AGEAYg-"),
        (b"abc", "text/html; charset=no-such", "abc"),
        (b"abc", "text/html; charset=utf-16", "abc"),
    ],
)  # fmt: skip
def test_charset_of_a_page(body: bytes, content_type: str, text: str) -> None:
    assert dom.decode(body, content_type) == text


@given(st.binary(max_size=200), st.text(max_size=60))
def test_decoding_never_fails(body: bytes, label: str) -> None:
    dom.decode(b"<meta charset=" + body, f"text/html; charset={label}")


def test_copies_of_images_for_readers_without_scripts_are_no_pages() -> None:
    tree = dom.parse(b"<img data-src=a><noscript><img src=a></noscript>", "text/html")
    assert isinstance(tree, LexborHTMLParser)
    assert len(tree.css("img")) == 1
