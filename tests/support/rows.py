"""What the tests of the fault rows look at."""

from tests.support.exactness import differences
from tests.support.line import Line, Ran

TITLES, PER_PAGE = 12, 3
"""Of the long list."""


async def rounds(made: Line, most: int = 9) -> list[Ran]:
    """Drain, and let what failed try again at once, until nothing waits."""
    ran: list[Ran] = []
    for _ in range(most):
        ran += await made.drain()
        if not await made.pool.fetchval("SELECT count(*) FROM jobs WHERE state = 'pending'"):
            break
        await made.retry_now()
    return ran


def errors(ran: list[Ran]) -> list[type[Exception]]:
    """What the jobs failed with."""
    return [type(one.error) for one in ran if one.error is not None]


async def wrong(made: Line) -> list[str]:
    """How the library differs from the site; nothing if it is exactly right."""
    return await differences(made.pool, await made.manifest(), made.data)


async def held(made: Line) -> int:
    """Titles that the source shows and the library holds."""
    count: int = await made.pool.fetchval("SELECT count(*) FROM source_works WHERE dropped_at IS NULL")
    return count


async def outcomes(made: Line) -> list[str]:
    """How the chunks of walks ended, oldest first."""
    return [row["outcome"] for row in await made.pool.fetch("SELECT outcome FROM walks ORDER BY started_at, id")]
