"""Waiting for something that another process or the system brings about."""

import asyncio
from collections.abc import Awaitable, Callable


async def eventually(holds: Callable[[], object | Awaitable[object]], *, seconds: float = 20.0) -> None:
    """Look until `holds` does; fails after `seconds`."""
    event = asyncio.Event()
    async with asyncio.timeout(seconds):
        while True:
            found = holds()
            if await found if isinstance(found, Awaitable) else found:
                return
            try:
                async with asyncio.timeout(0.02):
                    await event.wait()
            except TimeoutError:
                continue
