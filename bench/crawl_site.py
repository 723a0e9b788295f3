"""The site of the crawl rows, a process of its own: reader pages in the sample profile's markup, and their images.

Each image is a real JPEG of about 300 KB with a comment of its own, so that no two hash alike. Everything is in memory
and a request costs one dictionary look-up, so that the downloader is what is measured.
"""

import asyncio
import sys

import pyvips
import uvloop

CHAPTERS, PAGES = 50, 30
SIZE = 300_000
"""About how many bytes an image has."""


def drawing() -> bytes:
    """A JPEG with as many bytes as `SIZE`, within a few per cent."""
    noise = pyvips.Image.gaussnoise(1000, 1400, sigma=40, mean=128).cast("uchar")
    sizes: list[bytes] = [noise.jpegsave_buffer(Q=quality) for quality in range(1, 60)]
    return min(sizes, key=lambda data: abs(len(data) - SIZE))


def comment(text: str) -> bytes:
    """A JPEG comment segment."""
    data = text.encode()
    return b"\xff\xfe" + (len(data) + 2).to_bytes(2, "big") + data


def image_path(chapter: int, page: int) -> str:
    """Where a page's image is."""
    return f"/img/c{chapter:02}-p{page:02}.jpg"


def reader_path(chapter: int) -> str:
    """Where a chapter is read."""
    return f"/read/work-{chapter // 10}/{chapter}/"


def _head(kind: str, length: int) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


def answers() -> dict[bytes, tuple[bytes, ...]]:
    """Every answer by request target, as the pieces to send."""
    found: dict[bytes, tuple[bytes, ...]] = {}
    jpeg = drawing()
    start, rest = jpeg[:2], jpeg[2:]
    for chapter in range(CHAPTERS):
        images = ""
        for page in range(PAGES):
            path = image_path(chapter, page)
            own = comment(path)
            found[path.encode()] = (_head("image/jpeg", len(jpeg) + len(own)) + start + own, rest)
            images += f'<img id="page{page + 1}" src="{path}">'
        body = (
            '<html><body><a id="logo" href="/">Sample</a><p class="page-count">30 pages</p>'
            f'<a id="pic_container">{images}</a></body></html>'
        ).encode()
        found[reader_path(chapter).encode()] = (_head("text/html; charset=utf-8", len(body)) + body,)
    return found


_MISSING = (b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",)


class Site(asyncio.Protocol):
    """One connection; requests are answered in order after `delay` seconds."""

    def __init__(self, found: dict[bytes, tuple[bytes, ...]], delay: float) -> None:
        self._found = found
        self._delay = delay
        self._buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport: asyncio.WriteTransport = transport  # type: ignore[assignment]  # a TCP server's is one

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            request, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            target = request.split(b" ", 2)[1]
            if self._delay:
                asyncio.get_running_loop().call_later(self._delay, self._answer, target)
            else:
                self._answer(target)

    def _answer(self, target: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.writelines(self._found.get(target, _MISSING))


async def main(delay: float) -> None:
    """Serve until the standard input ends; the address is the one line that is printed."""
    found = answers()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Site(found, delay), "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    print(f"http://{host}:{port}", flush=True)
    await loop.run_in_executor(None, sys.stdin.buffer.read)


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(float(sys.argv[1])))
