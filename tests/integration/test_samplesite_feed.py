"""The creators' feed over HTTP: pages and cursors, pins and edits, files, and a head that moves."""

import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from PIL import Image

from orihon.samplesite import Creators, Given, SampleSite

pytestmark = pytest.mark.anyio


@pytest.fixture
async def web() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


@pytest.fixture
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pictures are drawn once for all tests."""
    return tmp_path_factory.getbasetemp() / "drawn-feed"


async def _json(web: aiohttp.ClientSession, url: str, status: int = 200) -> Any:
    async with web.get(url) as response:
        assert response.status == status
        assert response.content_type == "application/json"
        return await response.json()


async def _walk(web: aiohttp.ClientSession, site: SampleSite, slug: str, count: int = 10) -> list[list[Any]]:
    pages, cursor = [], ""
    while cursor is not None:
        page = await _json(web, f"{site.feed_url(slug)}/posts?count={count}&cursor={cursor}")
        pages.append(page["posts"])
        cursor = page["next"]
    return pages


async def test_a_creator_says_who_they_are_and_where_their_posts_are(drawn: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(drawn) as site:
        known = await _json(web, f"{site.origin}/api/creators")
        assert [one["slug"] for one in known["creators"]] == ["wren-calloway", "haru-mizuno", "ren-kuroda"]
        one = await _json(web, site.feed_url("haru-mizuno"))
        assert one == known["creators"][1]
        assert (one["name"], one["posts"]) == ("水野 はる", "/api/creators/haru-mizuno/posts")
        async with web.get(site.origin + one["avatar"]) as response:
            assert Image.open(io.BytesIO(await response.read())).size == (800, 1200)


async def test_pages_lead_to_every_post_and_null_alone_ends_them(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1, posts=25) as site:
        pages = await _walk(web, site, "creator-1")
        assert [len(page) for page in pages] == [10, 10, 5]
        posts = [post for page in pages for post in page]
        assert [post["title"] for post in posts] == [f"Post {number}" for number in range(25, 0, -1)]
        assert len({post["id"] for post in posts}) == 25
        assert [post["published_at"] for post in posts] == sorted(
            (post["published_at"] for post in posts), reverse=True
        )


@pytest.mark.parametrize(("count", "shown"), [("7", 7), ("50", 50), ("51", 50), ("999999", 50)])
async def test_the_size_of_a_page_is_asked_for_up_to_a_cap(
    tmp_path: Path, web: aiohttp.ClientSession, count: str, shown: int
) -> None:
    async with SampleSite(tmp_path, works=1, posts=60) as site:
        page = await _json(web, f"{site.feed_url('creator-1')}/posts?count={count}")
        assert len(page["posts"]) == shown


@pytest.mark.parametrize(
    "query", ["count=0", "count=-1", "count=x", "cursor=x", "cursor=b-1z", "cursor=1", "cursor=bz"]
)
async def test_nonsense_is_refused_in_json(tmp_path: Path, web: aiohttp.ClientSession, query: str) -> None:
    async with SampleSite(tmp_path, works=1, posts=3) as site:
        assert "error" in await _json(web, f"{site.feed_url('creator-1')}/posts?{query}", 400)


async def test_who_is_not_there_is_said_in_json(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1, posts=3) as site:
        for path in ("", "/posts"):
            assert "error" in await _json(web, site.feed_url("nobody") + path, 404)
        site.creators.remove("creator-1")
        assert "error" in await _json(web, site.feed_url("creator-1"), 404)


async def test_a_pinned_post_stands_on_top_and_in_its_own_place(drawn: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(drawn) as site:
        pages = await _walk(web, site, "wren-calloway")
        assert [len(page) for page in pages] == [11, 10, 10, 10, 8]
        counts = Counter(post["id"] for page in pages for post in page)
        (twice,) = [post for post, times in counts.items() if times == 2]
        assert pages[0][0]["id"] == pages[4][0]["id"] == twice
        assert pages[0][0]["pinned"]
        assert pages[0][0]["published_at"] < pages[0][-1]["published_at"]
        site.creators.pin("wren-calloway", None)
        assert len((await _walk(web, site, "wren-calloway"))[0]) == 10


async def test_an_edit_changes_the_time_of_the_edit_and_adds_an_image(
    tmp_path: Path, web: aiohttp.ClientSession
) -> None:
    async with SampleSite(tmp_path, works=1, posts=5) as site:
        url = f"{site.feed_url('creator-1')}/posts"
        before = (await _json(web, url))["posts"]
        assert before[3]["edited_at"] is None
        site.creators.edit("creator-1", before[3]["id"])
        after = (await _json(web, url))["posts"]
        assert after[3]["edited_at"] > after[3]["published_at"]
        assert [one["id"] for one in after[3]["attachments"]][:-1] == [one["id"] for one in before[3]["attachments"]]
        assert after[:3] + after[4:] == before[:3] + before[4:]


async def test_a_walk_under_way_is_not_moved_by_news_or_deletions(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    """A moving head: cursors hang on posts, not on places."""
    async with SampleSite(tmp_path, works=1, posts=25) as site:
        url = f"{site.feed_url('creator-1')}/posts"
        first = await _json(web, url)
        news = site.creators.publish("creator-1", images=2)
        site.creators.delete("creator-1", first["posts"][-1]["id"])
        second = await _json(web, f"{url}?cursor={first['next']}")
        assert [post["title"] for post in second["posts"]] == [f"Post {number}" for number in range(15, 5, -1)]
        top = await _json(web, url)
        assert (top["posts"][0]["id"], len(top["posts"][0]["attachments"])) == (news.id, 2)


async def test_files_are_what_the_feed_and_the_manifest_say(drawn: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(drawn) as site:
        manifest = await _json(web, f"{site.origin}/manifest.json?creator=haru-mizuno")
        assert manifest["works"] == []
        (creator,) = manifest["creators"]
        told = [post for page in await _walk(web, site, "haru-mizuno") for post in page]
        assert [post["id"] for post in told] == [post["id"] for post in creator["posts"]]
        kinds = Counter()
        for post, listed in zip(told, creator["posts"], strict=True):
            assert (post["text"], post["edited_at"]) == (listed["text"], listed["edited_at"])
            for attachment, kept in zip(post["attachments"], listed["attachments"], strict=True):
                async with web.get(site.origin + attachment["url"]) as response:
                    body = await response.read()
                    assert response.status == 200
                    assert response.content_type == kept["content_type"]
                assert (attachment["id"], attachment["size"]) == (kept["id"], len(body))
                assert hashlib.sha256(body).hexdigest() == kept["sha256"]
                kinds[attachment["kind"]] += 1
                if attachment["kind"] == "image":
                    size = Image.open(io.BytesIO(body)).size
                    assert size == (attachment["width"], attachment["height"])
                else:
                    assert "width" not in attachment
                    assert zipfile.ZipFile(io.BytesIO(body)).testzip() is None
        assert kinds["file"] == 1
        assert kinds["image"] > 40


async def test_the_sample_has_every_case_of_a_feed(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    """What a feed walk must stand (curator 2.3 to 2.6, DESIGN section 7)."""
    posts = [post for creator in Creators.sample().all for post in creator.posts]
    assert sum(post.pinned for post in posts) == 1
    assert any(post.edited for post in posts)
    assert any(not post.attachments for post in posts)
    assert any(not post.title for post in posts)
    assert any(len(post.attachments) > 2 for post in posts)
    assert any(len(one.name.encode()) > 240 for post in posts for one in post.attachments)
    assert [len(creator.posts) for creator in Creators.sample().all] == [48, 24, 3]
    shown = Counter(repr(one.content) for post in posts for one in post.attachments if one.content)
    assert sorted(shown.values())[-3:] == [1, 2, 2], "one picture in two posts, and one twice in a post"
    within = [Counter(repr(one.content) for one in post.attachments).most_common(1) for post in posts]
    assert sum(bool(most) and most[0][1] == 2 for most in within) == 1
    ids = [one.id for post in posts for one in post.attachments]
    assert len(ids) == len(set(ids))
    assert Creators.sample().all == Creators.sample().all


async def test_a_lost_file_is_listed_and_answers_404_for_ever(drawn: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(drawn) as site:
        wren = site.creators.creator("wren-calloway")
        (post,) = [post for post in wren.posts if any(one.content is None for one in post.attachments)]
        told = [one for page in await _walk(web, site, "wren-calloway") for one in page if one["id"] == post.id]
        lost = told[0]["attachments"][-1]
        assert lost["size"] > 0
        assert (await web.get(site.origin + lost["url"])).status == 404
        site.creators.replace("wren-calloway", post.id, lost["id"], Given(b"mended", "image/jpeg"))
        async with web.get(site.origin + lost["url"]) as response:
            assert await response.read() == b"mended"


async def test_tiny_images_are_whole_and_no_two_alike(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1, posts=10) as site:
        (page,) = await _walk(web, site, "creator-1")
        bodies = []
        for post in page:
            for attachment in post["attachments"]:
                async with web.get(site.origin + attachment["url"]) as response:
                    bodies.append(await response.read())
                picture = Image.open(io.BytesIO(bodies[-1]))
                picture.load()
                assert picture.size == (attachment["width"], attachment["height"])
                assert attachment["size"] == len(bodies[-1])
        assert len(set(bodies)) == 20


async def test_ten_thousand_posts_are_walked_in_seconds(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1, creators=Creators.plain(10_000, media=3)) as site:
        pages = await _walk(web, site, "creator-1", count=50)
        assert sum(len(page) for page in pages) == 10_000
        assert site.log.total == 200
