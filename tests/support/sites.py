"""Sites that a test makes itself: answers in memory, and a server on loopback."""

import hashlib
import io
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import msgspec
from aiohttp import web
from PIL import Image

from orihon.sources.adapter import Document


class Answers:
    """A fetcher for adapters: by address an answer as JSON, or as bytes when it is none. `asked` keeps the order."""

    def __init__(self, answers: Mapping[str, object]) -> None:
        self._answers = dict(answers)
        self.asked: list[str] = []

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        self.asked.append(url)
        answer = self._answers[url]
        body = answer if isinstance(answer, bytes) else msgspec.json.encode(answer)
        return Document(url=url, status=200, content_type="application/json", body=body)


@asynccontextmanager
async def served(app: web.Application) -> AsyncIterator[str]:
    """The application on a free port; its origin, as `support.line.engine` wants it."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def picture(seed: str) -> bytes:
    """A small PNG, another one for each seed."""
    made = io.BytesIO()
    Image.frombytes("RGB", (4, 2), hashlib.sha256(seed.encode()).digest()[:24]).save(made, "PNG")
    return made.getvalue()
