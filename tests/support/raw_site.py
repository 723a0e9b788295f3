"""A server that speaks raw bytes, so that it can break off, drip, lie and repeat itself."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import msgspec


class Request(msgspec.Struct):
    """What the server was asked."""

    path: str
    headers: dict[str, str]
    connection: int


Answer = Callable[[Request, asyncio.StreamWriter], Awaitable[None]]


def reply(body: bytes = b"", status: int = 200, length: int | None = None, **headers: str) -> bytes:
    """An answer as bytes; `length` may lie. Underscores in header names become hyphens."""
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body) if length is None else length}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


class Site:
    """A server whose every path answers as a test says: fixed bytes, or a coroutine that writes."""

    def __init__(self) -> None:
        self.routes: dict[str, bytes | Answer | list[bytes]] = {}
        self.requests: list[Request] = []
        self.connections = 0
        self.origin = ""

    @property
    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        connection = self.connections
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = dict(line.split(": ", 1) for line in head[1:] if line)
                request = Request(head[0].split(" ")[1], headers, connection)
                self.requests.append(request)
                answer = self.routes.get(request.path.partition("?")[0], reply(b"no such path", 404))
                if isinstance(answer, list):
                    answer = answer.pop(0) if len(answer) > 1 else answer[0]
                if isinstance(answer, bytes):
                    writer.write(answer)
                    if wants_close(answer):
                        break
                else:
                    await answer(request, writer)
                await writer.drain()
        writer.close()


def wants_close(answer: bytes) -> bool:
    """Answers that promise more than they hold end the connection: that is how a body breaks off."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next((int(x.split(b":")[1]) for x in head.split(b"\r\n") if x.startswith(b"Content-Length")), 0)
    return length > len(body) and b" 304 " not in head


@asynccontextmanager
async def serving() -> AsyncIterator[Site]:
    """A site on a port of its own while the block runs."""
    site = Site()
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield site
    finally:
        server.close()
