"""The creators' feed: a cursor-paged JSON API. It is an invention of this sample site and stands for no platform.

* `GET /api/creators` -> `{"creators": [Creator]}`;
* `GET /api/creators/<slug>` -> Creator: `{"id", "slug", "name", "about", "avatar": url | null, "posts": url}`;
* `GET /api/creators/<slug>/posts?cursor=&count=` -> `{"posts": [Post], "next": cursor | null}`, newest first. `next` is
  always there; only null says that the feed ends here. `count` is 1 to 50, 10 if left out, and more is taken for 50;
  nonsense in `count` or `cursor` answers 400. A cursor is opaque, keeps its meaning while posts are published or
  deleted, and asks for what stands below the page that gave it;
* Post: `{"id", "title": may be "", "text", "published_at", "edited_at": null if never, "pinned", "tags": [text],
  "attachments": [Attachment]}`; times are RFC 3339 in UTC. A pinned post stands on top of the first page **and** in its
  own place further down (both times with `"pinned": true`), above `count`: the first page may be that much longer;
* Attachment: `{"id", "name", "url", "kind": "image" | "file", "size": bytes, "width", "height"}`, the last two for
  images only. `id` stays when the file is renamed or its address changes; `url` is relative to the host;
* errors are `{"error": text}` with their status: 404 for who is not there.

`GET /media/<slug>/<post id>/<attachment id>/<name>` sends the bytes, with validators and ranges as the catalogue's
images have them.
"""

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import quote

import msgspec
from aiohttp import web

from orihon.samplesite import paper
from orihon.samplesite.catalogue import Media, Packed, Swatch
from orihon.samplesite.creators import LOST_SIZE, Attachment, Creator, Creators, Post
from orihon.samplesite.delivery import deliver
from orihon.samplesite.pictures import Pictures
from orihon.samplesite.small import SWATCH_BYTES

COUNT = 10
MOST = 50


class ApiError(Exception):
    """An error that is answered as JSON."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status

    def answer(self) -> web.Response:
        """The error as the API says it."""
        return _json({"error": str(self)}, self.status)


class Feed:
    """The handlers, over creators that may post at any time."""

    def __init__(self, creators: Creators, pictures: Pictures) -> None:
        self._creators = creators
        self._pictures = pictures

    def add_to(self, app: web.Application) -> None:
        """Add the routes."""
        app.router.add_get("/api/creators", self._all)
        app.router.add_get("/api/creators/{slug}", self._one)
        app.router.add_get("/api/creators/{slug}/posts", self._posts)
        app.router.add_get("/media/{slug}/avatar/{name}", self._avatar)
        app.router.add_get("/media/{slug}/{post}/{attachment}/{name}", self._file)

    async def _all(self, _: web.Request) -> web.StreamResponse:
        return _json({"creators": [_creator(creator) for creator in self._creators.all]})

    async def _one(self, request: web.Request) -> web.StreamResponse:
        return _json(_creator(self._asked(request)))

    async def _posts(self, request: web.Request) -> web.StreamResponse:
        creator = self._asked(request)
        below, count = _below(request.query.get("cursor")), _count(request.query.get("count"))
        if below is None:
            top, start = list(creator.pinned), 0
        else:
            top, start = [], _first_below(creator.posts, below)
        shown = creator.posts[start : start + count]
        more = start + count < len(creator.posts)
        return _json(
            {
                "posts": [await self._post(creator, post) for post in (*top, *shown)],
                "next": cursor(shown[-1]) if more else None,
            }
        )

    async def _post(self, creator: Creator, post: Post) -> Mapping[str, object]:
        return {
            "id": post.id,
            "title": post.title,
            "text": post.text,
            "published_at": _time(post.published),
            "edited_at": None if post.edited is None else _time(post.edited),
            "pinned": post.pinned,
            "tags": post.tags,
            "attachments": [await self._attachment(creator, post, one) for one in post.attachments],
        }

    async def _attachment(self, creator: Creator, post: Post, one: Attachment) -> Mapping[str, object]:
        told: dict[str, object] = {
            "id": one.id,
            "name": one.name,
            "url": attachment_url(creator, post, one),
            "kind": one.kind,
            "size": LOST_SIZE,
        }
        if one.content is not None:
            told["size"] = await self._weight(one.content) if one.claims is None else one.claims
            size = None if isinstance(one.content, Packed) else paper.size(one.content)
            if size is not None:
                told["width"], told["height"] = size
        return told

    async def _weight(self, content: Media) -> int:
        return SWATCH_BYTES if isinstance(content, Swatch) else len((await self._pictures.get(content)).body)

    async def _avatar(self, request: web.Request) -> web.StreamResponse:
        creator = self._asked(request)
        if creator.avatar is None or avatar_url(creator) != request.path:
            raise ApiError(404, "There is no such avatar.")
        return deliver(request, await self._pictures.get(creator.avatar), None)

    async def _file(self, request: web.Request) -> web.StreamResponse:
        creator = self._asked(request)
        try:
            post = creator.post(request.match_info["post"])
        except KeyError as error:
            raise ApiError(404, "There is no such post.") from error
        for one in post.attachments:
            if one.id == request.match_info["attachment"] and one.name == request.match_info["name"]:
                if one.content is None:
                    break
                return deliver(request, await self._pictures.get(one.content), None)
        raise ApiError(404, "There is no such file.")

    def _asked(self, request: web.Request) -> Creator:
        try:
            return self._creators.creator(request.match_info["slug"])
        except KeyError as error:
            raise ApiError(404, "There is no such creator.") from error


def creator_url(creator: Creator) -> str:
    """What a source follows."""
    return f"/api/creators/{creator.slug}"


def avatar_url(creator: Creator) -> str | None:
    """The picture of a creator, if there is one."""
    if creator.avatar is None:
        return None
    return f"/media/{creator.slug}/avatar/avatar.{paper.suffix(creator.avatar)}"


def attachment_url(creator: Creator, post: Post, attachment: Attachment) -> str:
    """Where the bytes of an attachment are."""
    return f"/media/{creator.slug}/{post.id}/{attachment.id}/{quote(attachment.name)}"


def cursor(post: Post) -> str:
    """Asks for the posts below this one."""
    return f"b{post.number:x}z"


def _below(text: str | None) -> int | None:
    if not text:
        return None
    digits = text[1:-1]
    if text[0] != "b" or text[-1] != "z" or not digits or len(digits) > 12 or set(digits) - set("0123456789abcdef"):
        raise ApiError(400, "This cursor was never given.")
    return int(digits, 16)


def _count(text: str | None) -> int:
    if text is None:
        return COUNT
    if not (text.isascii() and text.isdecimal() and len(text) < 10 and int(text)):
        raise ApiError(400, f"count is a number from 1 to {MOST}.")
    return min(int(text), MOST)


def _first_below(posts: list[Post], number: int) -> int:
    """The place of the first post with a smaller number, by halving: numbers fall from place to place."""
    low, high = 0, len(posts)
    while low < high:
        middle = (low + high) // 2
        if posts[middle].number < number:
            high = middle
        else:
            low = middle + 1
    return low


def _creator(creator: Creator) -> Mapping[str, object]:
    return {
        "id": creator.id,
        "slug": creator.slug,
        "name": creator.name,
        "about": creator.about,
        "avatar": avatar_url(creator),
        "posts": f"{creator_url(creator)}/posts",
    }


def _time(when: datetime) -> str:
    return when.isoformat().replace("+00:00", "Z")


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), status=status, content_type="application/json")
