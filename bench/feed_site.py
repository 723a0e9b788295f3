"""The site of the feed rows, a process of its own: one creator's posts as the sample feed's JSON, and no image at all.

Whoever asks for a medium gets 404, so that a walk which asks for one that it has seen shows in its counts.
"""

import asyncio
import sys
from datetime import UTC, datetime, timedelta

import msgspec
import uvloop

from bench.crawl_site import Site

PER_PAGE = 50
MEDIA = 2
"""Images of a post."""

FEED = "/api/creators/bench"

_NEWEST = datetime(2026, 1, 1, tzinfo=UTC)


def post(number: int) -> dict[str, object]:
    """A post as the API tells it; numbers count from the newest."""
    return {
        "id": f"p{number}",
        "title": f"Post {number}",
        "text": "A few words about the picture, as people write them. " * 4,
        "published_at": (_NEWEST - timedelta(hours=number)).isoformat(),
        "edited_at": None,
        "pinned": False,
        "tags": ["ink", "study"],
        "attachments": [
            {
                "id": f"m{number}-{place}",
                "name": f"{place}.jpg",
                "url": f"/media/{number}/{place}.jpg",
                "kind": "image",
                "size": 300_000,
                "width": 1000,
                "height": 1400,
            }
            for place in range(MEDIA)
        ],
    }


def answers(posts: int) -> dict[bytes, tuple[bytes, ...]]:
    """Every answer by request target."""
    found = {FEED.encode(): _json({"id": "1", "name": "Bench", "about": "", "avatar": None})}
    for start in range(0, posts, PER_PAGE):
        end = start + PER_PAGE
        target = f"{FEED}/posts?count={PER_PAGE}" + (f"&cursor={start}" if start else "")
        page = {"posts": [post(number) for number in range(start, end)], "next": str(end) if end < posts else None}
        found[target.encode()] = _json(page)
    return found


def _json(value: object) -> tuple[bytes, ...]:
    body = msgspec.json.encode(value)
    return (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body),)


async def main(posts: int) -> None:
    """Serve until the standard input ends; the address is the one line that is printed."""
    found = answers(posts)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Site(found, 0), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1])))
