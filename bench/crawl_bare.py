"""The reference of `crawl_vs_bare_download`: aiohttp, 8 streams to disk, nothing else. `crawl_bare.py LIST FOLDER`."""

import asyncio
import sys
import time
from pathlib import Path

import aiohttp
import uvloop

STREAMS = 8


async def main(addresses: list[str], folder: Path) -> None:
    """Fetch every address into the folder and print the seconds that it took."""
    folder.mkdir()
    waiting = iter(addresses)

    async def stream(session: aiohttp.ClientSession) -> None:
        for address in waiting:
            async with session.get(address) as answer:
                answer.raise_for_status()
                with (folder / address.rpartition("/")[2]).open("wb") as file:
                    async for chunk in answer.content.iter_any():
                        file.write(chunk)

    started = time.perf_counter()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=STREAMS)) as session:
        await asyncio.gather(*(stream(session) for _ in range(STREAMS)))
    print(time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    # The loop that the worker runs on, too, so that the ratio is the price of the bookkeeping.
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(Path(sys.argv[1]).read_text().split(), Path(sys.argv[2])))
