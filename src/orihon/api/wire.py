"""Small answers by raw ASGI, for what does not go through the framework."""

from collections.abc import Iterable, Mapping

import msgspec
from litestar.types import Send

from orihon.api.errors import ApiError

Headers = Iterable[tuple[bytes, bytes]]


def header(headers: Headers, name: bytes) -> str | None:
    """The first header of this (lower-case) name."""
    for key, value in headers:
        if key == name:
            return value.decode("latin-1")
    return None


async def body(
    send: Send, status: int, content: bytes, headers: list[tuple[bytes, bytes]], *, head: bool = False
) -> None:
    """Send a whole answer; for HEAD all of it but the body."""
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [*headers, (b"content-length", str(len(content)).encode())],
        }
    )
    await send({"type": "http.response.body", "body": b"" if head else content, "more_body": False})


async def unchanged(send: Send, headers: Headers) -> None:
    """304 with the headers that the whole answer would have had, but for those about its body."""
    kept = [pair for pair in headers if pair[0] not in {b"content-type", b"content-length"}]
    await send({"type": "http.response.start", "status": 304, "headers": kept})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def error(send: Send, answer: ApiError, *, head: bool = False, more: Mapping[str, str] | None = None) -> None:
    """Send an error's envelope."""
    headers = [
        (b"content-type", b"application/json"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        *((key.lower().encode(), value.encode("latin-1")) for key, value in {**answer.headers, **(more or {})}.items()),
    ]
    await body(send, answer.status, msgspec.json.encode(answer.body), headers, head=head)
