"""Answers that are kept until the library changes."""

import asyncio

import pytest

from orihon.api.answers import Answers
from orihon.db.notify import Notice

pytestmark = pytest.mark.anyio


class Hints:
    """The part of a bus that the cache uses: one channel, told by hand."""

    def __init__(self) -> None:
        self.connected = True
        self._callbacks: list[object] = []

    def listen(self, channel: str, callback: object) -> object:
        assert channel == "library"
        self._callbacks.append(callback)
        return None

    def tell(self) -> None:
        for callback in self._callbacks:
            callback(Notice("library", "x"))  # type: ignore[operator]  # a plain callback


class Maker:
    def __init__(self) -> None:
        self.made = 0
        self.go = asyncio.Event()
        self.go.set()

    async def __call__(self) -> bytes:
        self.made += 1
        number = self.made
        await self.go.wait()
        return b"answer %d" % number


@pytest.fixture
async def make() -> Maker:
    return Maker()


@pytest.fixture
def hints() -> Hints:
    return Hints()


def cache(hints: Hints, **options: object) -> Answers:
    return Answers(hints, **options)  # type: ignore[arg-type]  # only `listen` and `connected` are used


async def test_an_answer_is_kept_until_a_hint(hints: Hints, make: Maker) -> None:
    answers = cache(hints)
    first = await answers.get("a", make)
    assert await answers.get("a", make) is first
    hints.tell()
    second = await answers.get("a", make)
    assert (second.body, second.etag != first.etag) == (b"answer 2", True)


async def test_an_answer_is_not_believed_for_long_since_hints_can_be_lost(hints: Hints, make: Maker) -> None:
    now = [0.0]
    answers = cache(hints, seconds=5.0, clock=lambda: now[0])
    await answers.get("a", make)
    now[0] = 4.9
    assert (await answers.get("a", make)).body == b"answer 1"
    now[0] = 5.1
    assert (await answers.get("a", make)).body == b"answer 2"


async def test_nothing_is_kept_while_no_hints_arrive(hints: Hints, make: Maker) -> None:
    answers = cache(hints)
    hints.connected = False
    await answers.get("a", make)
    assert (await answers.get("a", make)).body == b"answer 2"


async def test_an_answer_that_a_hint_overtook_is_not_kept(hints: Hints, make: Maker) -> None:
    answers = cache(hints)
    make.go.clear()
    asked = asyncio.create_task(answers.get("a", make))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    hints.tell()
    later = asyncio.create_task(answers.get("a", make))
    await asyncio.sleep(0)
    make.go.set()
    assert [(await asked).body, (await later).body] == [b"answer 1", b"answer 2"]
    assert (await answers.get("a", make)).body == b"answer 2"


async def test_what_many_ask_at_once_is_made_once(hints: Hints, make: Maker) -> None:
    answers = cache(hints)
    make.go.clear()
    asked = [asyncio.create_task(answers.get("a", make)) for _ in range(3)]
    await asyncio.sleep(0)
    make.go.set()
    assert {(await each).body for each in asked} == {b"answer 1"}
    assert make.made == 1


@pytest.mark.parametrize("leaver", [0, 1])
async def test_one_that_leaves_spoils_nothing_for_the_others(hints: Hints, make: Maker, leaver: int) -> None:
    answers = cache(hints)
    make.go.clear()
    asked = [asyncio.create_task(answers.get("a", make)) for _ in range(3)]
    await asyncio.sleep(0)
    asked.pop(leaver).cancel()
    await asyncio.sleep(0)
    make.go.set()
    bodies = {(await each).body for each in asked}
    assert len(bodies) == 1
    assert make.made == (2 if leaver == 0 else 1)


async def test_a_failure_is_told_to_all_that_wait_and_is_not_kept(hints: Hints, make: Maker) -> None:
    answers = cache(hints)
    go = asyncio.Event()

    async def fail() -> bytes:
        await go.wait()
        raise OSError("gone")

    asked = [asyncio.create_task(answers.get("a", fail)) for _ in range(2)]
    await asyncio.sleep(0)
    go.set()
    for each in asked:
        with pytest.raises(OSError, match="gone"):
            await each
    assert (await answers.get("a", make)).body == b"answer 1"


async def test_the_least_recently_used_leave_first(hints: Hints, make: Maker) -> None:
    answers = cache(hints, most_bytes=len(b"answer 1") * 2)
    await answers.get("a", make)
    await answers.get("b", make)
    await answers.get("a", make)
    await answers.get("c", make)
    assert (await answers.get("a", make)).body == b"answer 1"
    assert (await answers.get("b", make)).body == b"answer 4"


async def test_what_fails_is_told_and_not_kept(hints: Hints, make: Maker) -> None:
    answers = cache(hints)

    async def fail() -> bytes:
        raise LookupError("no")

    with pytest.raises(LookupError):
        await answers.get("a", fail)
    assert (await answers.get("a", make)).body == b"answer 1"
