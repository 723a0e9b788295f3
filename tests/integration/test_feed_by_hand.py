"""A feed that the test serves itself, followed by the real engine: what the tests of a new platform start from."""

import hashlib
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from tests.support.feeds import again, counts, last, walks
from tests.support.line import Engine, engine
from tests.support.sites import picture, served

from orihon.db.pool import Pool
from orihon.library.vocabulary import MOST_NAMES

pytestmark = pytest.mark.anyio


class Platform:
    """One creator of a platform. A test changes `posts` and `answer` as the platform would."""

    def __init__(self) -> None:
        self.posts = [self.post("b", day=2), self.post("a", day=1)]
        self.answer: dict[str, Any] | None = None
        self.asked: Counter[str] = Counter()

    def post(self, key: str, *, day: int) -> dict[str, Any]:
        image = {"id": key, "name": f"{key}.png", "url": f"/media/{key}", "kind": "image", "size": len(picture(key))}
        return {
            "id": key, "title": f"Post {key}", "text": "", "published_at": f"2026-01-{day:02}T00:00:00Z",
            "edited_at": None, "pinned": False, "tags": ["ink"], "attachments": [image],
        }  # fmt: skip

    def app(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/api/creators/wren", self._creator)
        app.router.add_get("/api/creators/wren/posts", self._posts)
        app.router.add_get("/media/{key}", self._medium)
        return app

    async def _creator(self, _: web.Request) -> web.Response:
        return web.json_response({"id": "7", "name": "Wren", "about": None, "avatar": None})

    async def _posts(self, _: web.Request) -> web.Response:
        if self.answer is not None:
            return web.Response(**self.answer)
        return web.json_response({"posts": self.posts, "next": None})

    async def _medium(self, request: web.Request) -> web.Response:
        key = request.match_info["key"]
        self.asked[key] += 1
        return web.Response(body=picture(key), content_type="image/png")


@pytest.fixture
def platform() -> Platform:
    return Platform()


@pytest.fixture
async def origin(platform: Platform) -> AsyncIterator[str]:
    async with served(platform.app()) as origin:
        yield origin


@pytest.fixture
async def made(pool: Pool, tmp_path: Path, origin: str) -> AsyncIterator[Engine]:
    async with engine(pool, tmp_path, origin) as opened:
        yield opened


async def follow(made: Engine, origin: str) -> Any:
    source = await made.follow(adapter="sample_feed", url=f"{origin}/api/creators/wren")
    ran = await made.drain()
    assert [one.error for one in ran if one.error] == []
    return source


async def test_posts_become_chapters_in_order_with_their_images_and_tags(made: Engine, origin: str) -> None:
    await follow(made, origin)
    assert await walks(made.pool) == [("backfill", "end_of_list")]
    held = await made.pool.fetch(
        "SELECT s.key, encode(m.sha256, 'hex') AS hash, t.name AS tag FROM chapters c"
        "  JOIN source_chapters s ON s.chapter_id = c.id JOIN pages p ON p.chapter_id = c.id"
        "  JOIN media m ON m.id = p.media_id JOIN chapter_tags ct ON ct.chapter_id = c.id"
        "  JOIN tags t ON t.id = ct.tag_id ORDER BY c.sort_key, p.number"
    )
    assert [tuple(row) for row in held] == [
        (key, hashlib.sha256(picture(key)).hexdigest(), "ink") for key in ("a", "b")
    ]


async def test_what_is_held_is_not_asked_for_again_and_news_come_alone(
    made: Engine, origin: str, platform: Platform
) -> None:
    source = await follow(made, origin)
    platform.asked.clear()
    await again(made, source, "backfill")
    assert (await counts(made.pool))["unchanged"] == 2
    platform.posts.insert(0, platform.post("c", day=3))
    platform.posts[1] |= {"title": "Edited"}
    await made.walk_again(source)
    told = await counts(made.pool)
    assert (told["new"], told["updated"], told["unchanged"]) == (1, 1, 1)
    assert platform.asked == {"c": 1}


async def test_a_post_twice_on_one_long_page_is_kept_once(made: Engine, origin: str, platform: Platform) -> None:
    """However far the two are apart; the engine remembers the last few hundred keys."""
    platform.posts = [platform.post(str(key), day=1) | {"attachments": []} for key in range(600)]
    platform.posts.append(platform.posts[0])
    await follow(made, origin)
    assert await walks(made.pool) == [("backfill", "end_of_list")]
    assert (await counts(made.pool))["new"] == 600


async def test_tags_without_end_stop_no_feed(made: Engine, origin: str, platform: Platform) -> None:
    platform.posts[0]["tags"] = [f"tag {number}" for number in range(40_000)]
    await follow(made, origin)
    assert (await counts(made.pool))["new"] == 2
    assert await made.pool.fetchval("SELECT count(*) FROM chapter_tags") == MOST_NAMES + 1


@pytest.mark.parametrize(
    ("answer", "outcome", "failure"),
    [
        ({"body": b'{"items": [], "next": null}'}, "failed", "drift"),
        ({"text": "<form>", "content_type": "text/html"}, "failed", "auth"),
        ({"status": 429, "headers": {"Retry-After": "7"}}, "continued", "rate_limited"),
    ],
    ids=["renamed list", "sign-in page", "rate limit"],
)
async def test_what_goes_wrong_has_a_name_and_loses_nothing(
    made: Engine, origin: str, platform: Platform, answer: dict[str, Any], outcome: str, failure: str
) -> None:
    source = await follow(made, origin)
    platform.answer = answer
    await again(made, source, "backfill")
    walk = await last(made.pool)
    assert (walk["outcome"], walk["failure"]) == (outcome, failure)
    assert origin in walk["error"]
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == 2
