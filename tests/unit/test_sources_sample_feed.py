"""The adapter of the sample site's feed on answers in memory."""

from typing import Any

import msgspec
import pytest
from tests.support.sites import Answers

from orihon.sources import adapter as errors
from orihon.sources.adapter import FeedAdapter
from orihon.sources.preview import preview
from orihon.sources.records import ChapterRef, PageRef
from orihon.sources.registry import open_feed

pytestmark = pytest.mark.anyio

URL = "https://s.example/api/creators/wren"
TOP = f"{URL}/posts?count=2"
BELOW = f"{URL}/posts?count=2&cursor=b1%2Fz"


def attachment(key: str, **other: object) -> dict[str, object]:
    return {"id": key, "name": f"{key}.png", "url": f"/media/{key}.png", "kind": "image", "size": 9} | other


def post(key: str, *attachments: dict[str, object], **other: object) -> dict[str, object]:
    told: dict[str, object] = {
        "id": key, "title": f"Post {key}", "text": "Words.", "published_at": "2026-01-02T03:04:05Z", "edited_at": None,
        "pinned": False, "tags": ["ink"], "attachments": attachments,
    }  # fmt: skip
    return told | other


PAGES: dict[str, object] = {
    URL: {"id": "7", "name": "Wren", "about": "Lamps.", "avatar": "/media/a.png", "posts": "x"},
    TOP: {
        "posts": [post("2", attachment("x"), attachment("z", kind="file", name="z.zip"), attachment("y"))],
        "next": "b1/z",
    },
    BELOW: {"posts": [post("1", title="", tags=[])], "next": None},
}


def feed() -> FeedAdapter:
    return open_feed("sample_feed", URL, {"count": 2})


async def test_a_creator_is_told_like_a_title_without_chapters() -> None:
    told = await feed().creator(Answers(PAGES))
    assert (told.key, told.title, told.cover_url) == ("7", "Wren", "https://s.example/media/a.png")
    assert told.chapters == ()


async def test_a_feed_is_read_page_by_page_to_its_explicit_end() -> None:
    site = Answers(PAGES)
    first = await feed().posts(site, feed().start())
    assert first.next == {"cursor": "b1/z"}
    last = await feed().posts(site, first.next)
    assert last.next is None
    assert site.asked == [TOP, BELOW]
    (newest,) = first.posts
    assert [one.url for one in newest.images] == ["https://s.example/media/x.png", "https://s.example/media/y.png"]
    assert [one.name for one in newest.files] == ["z.zip"]
    assert last.posts[0].title is None
    assert last.posts[0].media == ()


async def test_the_pages_of_a_post_are_found_again_below_where_it_stood() -> None:
    """Fresh addresses, for a page that is damaged; posts slide down as others are published."""
    pages = await feed().pages(Answers(PAGES), ChapterRef(key="2", url=f"{TOP}#2"))
    assert pages == (
        PageRef(number=1, url="https://s.example/media/x.png"),
        PageRef(number=2, url="https://s.example/media/y.png"),
    )
    assert await feed().pages(Answers(PAGES), ChapterRef(key="1", url=f"{TOP}#1")) == ()
    with pytest.raises(errors.LayoutChanged, match="does not show this post"):
        await feed().pages(Answers(PAGES), ChapterRef(key="gone", url=f"{TOP}#gone"))


def renamed(what: dict[str, Any], field: str) -> dict[str, Any]:
    return {("neu" if name == field else name): value for name, value in what.items()}


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        pytest.param({"posts": []}, errors.EndUnproven, "next", id="missing cursor"),
        pytest.param({"posts": [], "next": "b2z"}, errors.EmptyListing, "more follow", id="empty page"),
        pytest.param({"items": [], "next": None}, errors.LayoutChanged, "`posts`", id="renamed list"),
        pytest.param(
            {"posts": [renamed(post("2"), "published_at")], "next": None},
            errors.LayoutChanged, "`published_at`", id="C7 renamed field of a post",
        ),
        pytest.param(
            {"posts": [post("2", renamed(attachment("x"), "url"))], "next": None},
            errors.LayoutChanged, "`url`", id="P14 renamed address of a medium",
        ),
        pytest.param(
            {"posts": [post("2", attachment("x", url="javascript:alert(1)"))], "next": None},
            errors.LayoutChanged, "an address that is none", id="hostile address",
        ),
        pytest.param(b"<!doctype html><form>", errors.LoginRequired, "sign-in", id="P5 HTML in place of data"),
        pytest.param(b'{"posts": [', errors.Transient, "broken data", id="half a document"),
        pytest.param(
            b'{"more": ' + b"[" * 100_000 + b"]" * 100_000 + b', "posts": [], "next": null}',
            errors.LayoutChanged, "recursion", id="deep nesting",
        ),
        pytest.param(b"", errors.Transient, "broken data", id="no bytes"),
        pytest.param(b'{"posts": [], "next": "\xff"}', errors.Transient, "broken data", id="no text"),
    ],
)  # fmt: skip
async def test_what_is_wrong_is_told_by_kind_and_name(answer: object, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        await feed().posts(Answers({TOP: answer}), feed().start())


async def test_one_poisoned_post_is_left_out_and_counted() -> None:
    page = await feed().posts(Answers({TOP: {"posts": [post("2"), {"id": 3}], "next": None}}), feed().start())
    assert ([one.key for one in page.posts], page.dropped) == (["2"], 1)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (rb"C:\\u0000", r"C:\u0000"),
        (rb"a\u0000b\\", "ab\\"),
        (rb"cut \ud83d", "cut \ufffd"),
        (rb"\uDE00 cut", "\ufffd cut"),
        (rb"\ud83d\u0000\ude00 \ud83d\ude00", "\ufffd\ufffd \U0001f600"),
    ],
    ids=["an escape that is none", "NUL", "a cut emoji", "its other half", "halves that do not meet"],
)
async def test_text_that_no_column_takes_costs_no_post(written: bytes, read: str) -> None:
    body = msgspec.json.encode({"posts": [post("2", text="HERE"), post("1")], "next": None}).replace(b"HERE", written)
    page = await feed().posts(Answers({TOP: body}), feed().start())
    assert [one.text for one in page.posts] == [read, "Words."]


@pytest.mark.parametrize(
    "poison",
    [
        b'"published_at":"0001-01-01T00:00:00+14:00"',
        b'"edited_at":"9999-12-31T23:59:59-14:00"',
        b'"title":"\xff"',
    ],
    ids=["a time before all times", "a time after all times", "bytes that are no text"],
)
async def test_a_post_that_no_look_can_read_is_left_out_and_counted(poison: bytes) -> None:
    entry = msgspec.json.encode(post("2"))
    body = b'{"posts":[%b,%b],"next":null}' % (entry[:-1] + b"," + poison + b"}", msgspec.json.encode(post("1")))
    page = await feed().posts(Answers({TOP: body}), feed().start())
    assert ([one.key for one in page.posts], page.dropped) == (["1"], 1)


async def test_a_medium_whose_bytes_were_exchanged_has_another_key() -> None:
    async def key(size: int) -> str:
        told = {"posts": [post("2", attachment("x", size=size, name=f"{size}.png"))], "next": None}
        return (await feed().posts(Answers({TOP: told}), feed().start())).posts[0].media[0].key

    assert await key(1) == await key(1)
    assert await key(1) != await key(2)


@pytest.mark.parametrize("cursor", [{"cursor": 5}, {"cursor": ["x"]}])
async def test_a_place_of_another_adapter_is_refused(cursor: dict[str, object]) -> None:
    with pytest.raises(errors.BadCursor):
        await feed().posts(Answers(PAGES), cursor)


@pytest.mark.parametrize(
    ("url", "settings"),
    [("https://s.example/works/", {}), ("ftp://s.example/api/creators/x", {}), (URL, {"count": 0}), (URL, {"size": 1})],
)
def test_what_cannot_be_followed_is_refused(url: str, settings: dict[str, object]) -> None:
    with pytest.raises(errors.BadSettings):
        open_feed("sample_feed", url, settings)


async def test_a_catalogue_is_no_feed() -> None:
    with pytest.raises(errors.BadSettings, match="does not read feeds"):
        open_feed("html", "https://s.example/works/", {"profile": "sample"})


async def test_a_preview_shows_who_posts_and_the_newest_posts() -> None:
    """C20: nothing is fetched but the documents."""
    site = Answers(PAGES)
    seen = await preview(feed(), site)
    assert site.asked == [URL, TOP, BELOW]
    assert seen.title is not None
    assert seen.posts is not None
    assert (seen.title.title, seen.posts.count, seen.posts.images, seen.posts.files) == ("Wren", 2, 2, 1)
    failed = await preview(feed(), Answers({URL: PAGES[URL], TOP: {"posts": []}}))
    assert failed.failure is not None
    assert (failed.failure.step, failed.failure.kind) == ("posts", "EndUnproven")
    assert failed.title is not None
