"""The walk engine on a list in memory."""

from collections.abc import Iterable

import pytest

from orihon.ingest.rules import Outcome
from orihon.ingest.walk import (
    MOST_REPEATED,
    Counts,
    Cut,
    Failed,
    Kept,
    Limits,
    Page,
    Result,
    Skipped,
    TimeIsUp,
    run_chunk,
)
from orihon.sources.adapter import LayoutChanged
from orihon.sources.records import Cursor

pytestmark = pytest.mark.anyio


class ListedLine:
    """Pages of keys; what happens to a key is looked up, by default it is kept."""

    steady = False

    def __init__(self, pages: Iterable[str], results: dict[str, list[Result]] | None = None) -> None:
        self.pages = [page.split() for page in pages]
        self.results = results or {}
        self.kept: list[str] = []
        self.following: dict[int, int | None] = {}

    def start(self) -> Cursor:
        return {"page": 1}

    def key(self, item: str) -> str:
        return item

    def label(self, item: str) -> str:
        return item.upper()

    async def page(self, cursor: Cursor) -> Page[str]:
        number = int(str(cursor["page"]))
        last = number == len(self.pages)
        following = self.following.get(number, None if last else number + 1)
        return Page(items=self.pages[number - 1], next=None if following is None else {"page": following})

    async def keep(self, item: str, counts: Counts, time_is_up: TimeIsUp) -> Result:
        self.kept.append(item)
        planned = self.results.get(item)
        return planned.pop(0) if planned else Kept()


class Notebook:
    """A journal in memory."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.checkpoints: list[tuple[Cursor, Cursor | None]] = []
        self.labels: list[str] = []
        self.stop_at = stop_at
        self.asked = 0

    async def stop_asked(self) -> bool:
        self.asked += 1
        return self.asked == self.stop_at

    async def at(self, counts: Counts, label: str) -> None:
        self.labels.append(label)

    async def checkpoint(self, resume: Cursor, following: Cursor | None, counts: Counts) -> None:
        self.checkpoints.append((resume, following))


class Clock:
    """Time that passes by a second at each look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


async def walk(
    line: ListedLine,
    notebook: Notebook | None = None,
    *,
    seconds: float = 99,
    items: int | None = None,
    failures: int = 10,
) -> tuple[Outcome, Counts]:
    counts = Counts()
    outcome = await run_chunk(
        line,
        notebook or Notebook(),
        None,
        limits=Limits(seconds=seconds, items=items, failures=failures),
        counts=counts,
        clock=Clock(),
    )
    return outcome, counts


async def test_it_walks_to_the_end_and_checkpoints_every_page() -> None:
    line, notebook = ListedLine(["a b", "c", "d"]), Notebook()
    outcome, counts = await walk(line, notebook)
    assert outcome is Outcome.END_OF_LIST
    assert line.kept == ["a", "b", "c", "d"]
    assert notebook.checkpoints == [({"page": 1}, {"page": 2}), ({"page": 2}, {"page": 3}), ({"page": 3}, None)]
    assert (counts.pages, counts.discovered) == (3, 4)


async def test_it_stops_at_the_item_that_proves_the_rest() -> None:
    line, notebook = ListedLine(["a b c", "d"], {"b": [Kept(proves_rest=True)]}), Notebook()
    assert (await walk(line, notebook))[0] is Outcome.CAUGHT_UP
    assert line.kept == ["a", "b"]
    assert notebook.checkpoints == []


async def test_an_item_that_slid_to_the_next_page_is_kept_once() -> None:
    line = ListedLine(["a b", "b c"])
    _, counts = await walk(line)
    assert line.kept == ["a", "b", "c"]
    assert counts.discovered == 3


async def test_a_list_that_shows_the_same_page_for_ever_is_a_failure_and_not_walked_on() -> None:
    line, notebook = ListedLine(["a b c", *["b c a"] * 50]), Notebook()
    with pytest.raises(LayoutChanged, match="read already"):
        await walk(line, notebook)
    assert len(notebook.checkpoints) == MOST_REPEATED
    assert line.kept == ["a", "b", "c"]


async def test_a_list_that_grows_by_two_pages_while_it_is_read_is_walked_to_its_end() -> None:
    line = ListedLine(["a b", "b a", "a b", "b c", "b", "c", "d"])
    assert (await walk(line))[0] is Outcome.END_OF_LIST
    assert line.kept == ["a", "b", "c", "d"]


async def test_a_failed_item_that_shows_up_again_is_tried_again() -> None:
    line = ListedLine(["a b", "b c"], {"b": [Failed("time-out"), Kept()]})
    _, counts = await walk(line)
    assert line.kept == ["a", "b", "b", "c"]
    assert (counts.discovered, counts.failed) == (4, 1)


async def test_nine_failures_a_skip_and_nine_more_do_not_trip_a_breaker_of_ten() -> None:
    """AN-22."""
    keys = [f"k{n}" for n in range(19)]
    results: dict[str, list[Result]] = {key: [Failed("down")] for key in keys}
    results["k9"] = [Skipped("partial")]
    outcome, counts = await walk(ListedLine([" ".join(keys)], results))
    assert outcome is Outcome.END_OF_LIST
    assert (counts.failed, counts.skipped) == (18, 1)


async def test_failures_in_a_row_trip_the_breaker() -> None:
    results: dict[str, list[Result]] = {key: [Failed("down")] for key in "abcd"}
    line = ListedLine(["a b c d"], results)
    assert (await walk(line, failures=3))[0] is Outcome.BREAKER
    assert line.kept == ["a", "b", "c"]


async def test_a_limit_of_three_on_a_larger_catalogue() -> None:
    """AN-23."""
    line = ListedLine(["a b", "c d"])
    outcome, counts = await walk(line, items=3)
    assert (outcome, counts.discovered) == (Outcome.LIMIT, 3)


async def test_a_pause_is_seen_before_the_next_page() -> None:
    """AN-24, for a pause by a person."""
    line, notebook = ListedLine(["a", "b", "c"]), Notebook(stop_at=2)
    assert (await walk(line, notebook))[0] is Outcome.STOPPED
    assert line.kept == ["a"]
    assert notebook.checkpoints == [({"page": 1}, {"page": 2})]


async def test_a_full_time_box_ends_the_chunk_after_its_page() -> None:
    line = ListedLine(["a", "b", "c"])
    assert (await walk(line, seconds=2))[0] is Outcome.CONTINUED
    assert line.kept == ["a", "b"]


async def test_a_line_that_is_out_of_time_ends_the_chunk_at_the_page_being_walked() -> None:
    """C5: the checkpoint stays that of the page that was entered."""
    line, notebook = ListedLine(["a", "b c", "d"], {"c": [Cut()]}), Notebook()
    outcome, counts = await walk(line, notebook)
    assert outcome is Outcome.CONTINUED
    assert line.kept == ["a", "b", "c"]
    assert notebook.checkpoints == [({"page": 1}, {"page": 2})]
    assert (counts.pages, counts.discovered, counts.entered) == (2, 2, 2)


async def test_a_page_that_is_entered_again_is_counted_once() -> None:
    """C10: what was counted before the cut is handled again, and counted no more."""
    line = ListedLine(["a b c"], {"c": [Cut()]})
    _, counts = await walk(line)
    outcome = await run_chunk(
        line, Notebook(), {"page": 1}, limits=Limits(seconds=99, items=3, failures=10), counts=counts, clock=Clock()
    )
    assert outcome is Outcome.END_OF_LIST
    assert line.kept == ["a", "b", "c", "a", "b", "c"]
    assert (counts.pages, counts.discovered, counts.entered) == (1, 3, 0)


async def test_a_budget_that_is_used_up_ends_the_walk() -> None:
    assert (await walk(ListedLine(["a b"], {"b": [Cut(Outcome.LIMIT)]})))[0] is Outcome.LIMIT


async def test_a_line_whose_cursors_are_steady_resumes_at_the_page_that_follows() -> None:
    """C8: the last cursor entered; nothing is read twice to be safe."""
    line, notebook = ListedLine(["a", "b"]), Notebook()
    line.steady = True
    await walk(line, notebook)
    assert notebook.checkpoints == [({"page": 2}, {"page": 2}), ({"page": 2}, None)]


@pytest.mark.parametrize("back_to", [1, 2])
async def test_a_list_that_leads_back_to_itself_is_refused(back_to: int) -> None:
    line = ListedLine(["a", "b", "c"])
    line.following[2] = back_to
    with pytest.raises(LayoutChanged, match="read already"):
        await walk(line)
