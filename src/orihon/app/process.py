"""What every process of ours begins and ends with."""

import asyncio
import gc
import signal
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import structlog
import uvloop

from orihon.config import ConfigError, Settings
from orihon.db import pool as pools
from orihon.db.pool import Pool
from orihon.runtime import pulse

log = structlog.get_logger(__name__)


def database_of(settings: Settings) -> str:
    """The address of the database.

    Raises:
        ConfigError: none was given to this process.
    """
    if settings.database_url is None:
        raise ConfigError("DATABASE_URL is not set; `orihon serve` brings its own database.")
    return settings.database_url


@asynccontextmanager
async def pool(dsn: str, *, size: int, patience: float, most_idle: float) -> AsyncIterator[Pool]:
    """A pool of at most `size` connections (see `open_pool`), which are cut when the block is left."""
    opened = await pools.open_pool(dsn, size=size, patience=patience, most_idle=most_idle)
    try:
        yield opened
    finally:
        opened.terminate()


def run_until_told(work: Coroutine[Any, Any, None]) -> int:
    """Run until the work ends or SIGTERM or SIGINT cancels it; cancelled work drains."""
    # What the imports made stays until the end: the collector need not walk through it again and again.
    gc.freeze()

    async def main() -> None:
        task = asyncio.ensure_future(work)
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, task.cancel)
        async with pulse.beating():
            try:
                await task
            except asyncio.CancelledError:
                log.info("stopped")

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main())
    return 0
