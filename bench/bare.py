"""The references over HTTP: applications that do one thing and nothing else, for granian."""

import os
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import asyncpg
import msgspec

_SQL = (Path(__file__).parent / "sql" / "list_floor.sql").read_text()


async def page(scope: Any, receive: Any, send: Any) -> None:
    """Send the file that BENCH_FILE names, whatever is asked."""
    if scope["type"] != "http":
        await _live(receive, send)
        return
    await send({"type": "http.response.start", "status": 200, "headers": _JPEG})
    await send({"type": "http.response.pathsend", "path": _FILE})


_FILE = os.environ.get("BENCH_FILE", "")
_JPEG = [
    (b"content-type", b"image/jpeg"),
    (b"content-length", str(Path(_FILE).stat().st_size if _FILE else 0).encode()),
]


class Listing:
    """Fifty titles below the place that the address names, read from BENCH_DSN."""

    def __init__(self) -> None:
        self._pool: asyncpg.Pool[asyncpg.Record] | None = None
        self._encoder = msgspec.json.Encoder()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await _live(receive, send)
            return
        if self._pool is None:
            self._pool = await asyncpg.create_pool(os.environ["BENCH_DSN"], min_size=8, max_size=8)
        asked = parse_qs(scope["query_string"].decode())
        place = (msgspec.convert(asked["t"][0], datetime), asked["id"][0])
        records = await self._pool.fetch(_SQL, *place)
        body = self._encoder.encode({"items": [dict(record) for record in records]})
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})


listing = Listing()


async def _live(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
