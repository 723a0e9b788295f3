"""Turning pages by key in headless Chromium: how much of a frame a turn to a page that is at hand takes.

A turn is timed from its key press to the end of the first frame that shows the new page: the key's handlers, and then
everything that the frame runs on the page's thread. Waiting for the screen's next beat is nobody's work and left out.
`page_turn_presented_p95_ms` is what Chromium itself tells from the key to the picture on screen, with that wait, in
steps of 8 ms.
"""

import asyncio
import statistics
from collections.abc import AsyncIterator, Set

from playwright.async_api import Page, async_playwright
from tests.support import titles

from bench import harness, served
from bench.harness import Missing, Row, Wrong
from bench.serving import kept
from orihon.db.pool import connect
from orihon.samplesite.catalogue import DrawnPage
from orihon.samplesite.drawing import draw
from orihon.samplesite.series import all_series

ROWS = ("page_turn_p95_ms", "page_turn_presented_p95_ms")

PAGES = 24
ROUNDS = 3
FRAME_MS = 1000 / 60
READING_MS = 400
"""Between two turns; faster than anybody reads."""
AT_HAND_MS = 1500
"""Before the first turn: what is not loaded yet is not at hand."""

_WATCH = """() => {
    window.turns = [];
    window.presented = [];
    const shown = () => document.querySelector('[data-testid=reader-page] img');
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (entry.name === 'keydown') window.presented.push(entry.duration);
    }).observe({type: 'event', durationThreshold: 16});
    addEventListener('keydown', (event) => {
        const before = shown();
        const from = performance.now();
        // A task right behind this one: all handlers of the key have run, and what they queued.
        const handled = new MessageChannel();
        let worked = 0;
        handled.port1.onmessage = () => (worked = performance.now() - from);
        handled.port2.postMessage(0);
        const frame = () => {
            const began = performance.now();
            const image = shown();
            if (image === before) return requestAnimationFrame(frame);
            const ended = new MessageChannel();
            ended.port1.onmessage = () => window.turns.push({
                took: worked + performance.now() - began, ready: image.complete && image.naturalWidth > 0,
            });
            ended.port2.postMessage(0);
        };
        requestAnimationFrame(frame);
    }, {capture: true});
}"""


async def turns(page: Page, address: str) -> tuple[list[float], list[float]]:
    """Read a chapter to its end: milliseconds of each turn, and as Chromium tells them (16: at most that)."""
    await page.goto(address)
    await page.wait_for_function("() => document.querySelector('[data-testid=reader-page] img')?.complete")
    await page.wait_for_timeout(AT_HAND_MS)
    await page.evaluate(_WATCH)
    for _ in range(PAGES - 1):
        await page.wait_for_timeout(READING_MS)
        await page.keyboard.press("j")
    await page.wait_for_timeout(READING_MS)
    found = await page.evaluate("window.turns")
    if len(found) != PAGES - 1 or not all(turn["ready"] for turn in found):
        raise Wrong(f"{len(found)} of {PAGES - 1} turns were seen, or a page was shown before it was there")
    told = [float(duration) for duration in await page.evaluate("window.presented")]
    return [float(turn["took"]) for turn in found], told + [16.0] * (PAGES - 1 - len(told))


def p95(values: list[float]) -> float:
    """The value that one in twenty is above."""
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


async def run(names: Set[str]) -> AsyncIterator[Row]:
    """Measure."""
    chromium = harness.program("chromium")
    if not (harness.ROOT / "src" / "orihon" / "web" / "index.html").is_file():
        raise Missing("the web app is not built (make web)")
    data = harness.folder("page_turn", empty=True)
    series = all_series()[0]
    async with harness.postgres() as postgres:
        dsn = await harness.database(postgres, "page_turn")
        db = await connect(dsn)
        await titles.seed(db, 1)
        work = await db.fetchval("SELECT id FROM works")
        chapter = await db.fetchval(
            "INSERT INTO chapters (work_id, number, sort_key, page_count) VALUES ($1, 1, 1, $2) RETURNING id",
            work,
            PAGES,
        )
        for number in range(1, PAGES + 1):
            drawn = await asyncio.to_thread(draw, DrawnPage(series.slug, "bench", "Bench", number, PAGES))
            medium = await kept(db, data, drawn)
            await db.execute(
                "INSERT INTO pages (chapter_id, number, media_id) VALUES ($1, $2, $3)", chapter, number, medium.id
            )
        await db.close()
        async with served.ours(dsn, data) as origin, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            context = await browser.new_context(viewport={"width": 1440, "height": 900})
            page = await context.new_page()
            address = f"{origin}/read/{work}/{chapter}?page=1"
            rounds = [await turns(page, address) for _ in range(ROUNDS + 1)][1:]
            await browser.close()
    for name, each in zip(ROWS, zip(*rounds, strict=True), strict=True):
        if name in names:
            values = [p95(values) for values in each]
            yield Row(
                name=name, value=p95([value for values in each for value in values]), unit="ms",
                ours=p95([value for values in each for value in values]), reference=FRAME_MS, n=len(values),
                min=min(values), max=max(values),
            )  # fmt: skip
