"""Sending files by raw ASGI."""

import asyncio
from pathlib import Path
from typing import Any, BinaryIO

from litestar.types import Send

HeaderList = list[tuple[bytes, bytes]]

PIECE = 1024 * 1024
"""Bytes that are held in memory where the server cannot send the file by itself."""


async def whole(scope: Any, send: Send, path: str, headers: HeaderList, size: int, *, head: bool) -> None:
    """Send a file by path-send, with which the server's native code reads it; in pieces where it cannot."""
    await send(
        {
            "type": "http.response.start",
            "status": 200,
            "headers": [*headers, (b"content-length", b"%d" % size)],
        }
    )
    if head:
        await send({"type": "http.response.body", "body": b"", "more_body": False})
    elif "http.response.pathsend" in (scope.get("extensions") or {}):
        await send({"type": "http.response.pathsend", "path": path})  # type: ignore[arg-type]  # newer than Litestar's types
    else:
        await _pieces(send, path, 0, size)


async def span(send: Send, path: str, headers: HeaderList, size: int, *, first: int, last: int) -> None:
    """Send the bytes from `first` to `last` of a file (206). Path-send knows no ranges."""
    length = last - first + 1
    told = [(b"content-length", b"%d" % length), (b"content-range", b"bytes %d-%d/%d" % (first, last, size))]
    await send({"type": "http.response.start", "status": 206, "headers": [*headers, *told]})
    await _pieces(send, path, first, length)


async def _pieces(send: Send, path: str, first: int, length: int) -> None:
    file: BinaryIO = await asyncio.to_thread(Path(path).open, "rb")
    try:
        await asyncio.to_thread(file.seek, first)
        while length > 0:
            piece = await asyncio.to_thread(file.read, min(PIECE, length))
            if not piece:
                raise ConnectionResetError("The file became shorter while it was sent.")
            length -= len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": length > 0})
    finally:
        file.close()
