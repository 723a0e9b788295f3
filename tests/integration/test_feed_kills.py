"""Posts and kills: whatever was written stands for rows that are there (DESIGN rulings 15 and 22)."""

import importlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.feeds import MEDIA, POSTS, follow, same
from tests.support.line import Line, line

from orihon.db.pool import Pool
from orihon.jobs.leases import LeaseLost
from orihon.jobs.payloads import CheckMedium
from orihon.samplesite.creators import Creators

pytestmark = pytest.mark.anyio


@pytest.fixture
async def made(pool: Pool, tmp_path: Path) -> AsyncIterator[Line]:
    """One creator with seven posts of two images each, on three pages."""
    async with line(pool, tmp_path, titles=0, creators=Creators.plain(POSTS, MEDIA)) as opened:
        yield opened


async def test_a_worker_that_lost_its_lease_keeps_nothing_of_a_post(
    made: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DESIGN ruling 22."""
    await follow(made)
    await steal_at(made, monkeypatch)
    (ran, *_) = await made.drain(most=1)
    assert isinstance(ran.error, LeaseLost)
    assert await made.pool.fetchval("SELECT count(*) FROM chapters") == 0
    assert await made.pool.fetchval("SELECT count(*) FROM source_media") == 0


async def steal_at(made: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another worker takes the job when the first image arrives."""
    keep_all = made.storage.keep_all

    async def stolen(files: Any) -> None:
        await keep_all(files)
        await made.pool.execute("UPDATE jobs SET lease_generation = lease_generation + 1")

    monkeypatch.setattr(made.storage, "keep_all", stolen)


class Killed(BaseException):
    """The process ends here."""


SEAMS: list[tuple[str, str]] = [
    ("orihon.storage.local.LocalStorage", "keep_all"),
    ("orihon.media.store", "keep_all"),
    ("orihon.library.posts", "keep"),
    ("orihon.library.ledger", "write"),
    ("orihon.ingest.journal", "checkpoint"),
    ("orihon.ingest.journal", "close"),
]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("where", "name"), SEAMS, ids=[f"{where}.{name}".removeprefix("orihon.") for where, name in SEAMS]
)
async def test_a_kill_between_any_two_steps_loses_and_doubles_nothing(
    made: Line, monkeypatch: pytest.MonkeyPatch, where: str, name: str, after: bool
) -> None:
    """Ruling 15: whatever was written stands for rows that are there, and the next run goes on from it."""
    target = _target(where)
    real: Callable[..., Any] = getattr(target, name)
    calls = 0

    async def dies(*arguments: Any, **named: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3 and not after:
            raise Killed
        answer = await real(*arguments, **named)
        if calls == 3 and after:
            raise Killed
        return answer

    source = await follow(made)
    monkeypatch.setattr(target, name, dies)
    for _ in range(3):
        try:
            await made.drain(only=lambda payload: not isinstance(payload, CheckMedium))
        except Killed:
            await made.pool.execute("UPDATE walks SET outcome = NULL, ended_at = NULL WHERE ended_at > now()")
            await made.pool.execute(
                "UPDATE jobs SET state = 'pending', leased_until = NULL, scheduled_at = now() WHERE state = 'running'"
            )
    monkeypatch.setattr(target, name, real)
    await made.retry_now()
    await made.drain()
    await made.walk_again(source)
    assert calls >= 3 or name == "close"
    await same(made)
    assert await made.pool.fetchval("SELECT count(*) FROM source_media WHERE media_id IS NOT NULL") == 14
    assert await made.pool.fetchval("SELECT count(*) FROM source_failures") == 0
    assert await made.pool.fetchval("SELECT count(*) FROM media WHERE state = 'verified'") == 14


def _target(where: str) -> Any:
    module, _, name = where.rpartition(".")
    return getattr(importlib.import_module(module), name)
