"""The first view of the catalogue in headless Chromium on loopback: its JavaScript, and when its largest part is drawn.

`orihon serve` as it is, with a library of covers. Each round opens the address in a browser that has nothing of it. The
view before the first round has the thumbnails made, as an earlier visitor would have: `first_view_lcp_unmade_s`.
"""

import asyncio
from collections.abc import AsyncIterator, Set
from pathlib import Path

from playwright.async_api import Browser, Request, async_playwright
from tests.support import titles

from bench import harness, served
from bench.harness import ROUNDS, Missing, Row, Wrong
from bench.serving import kept
from orihon.db.pool import Connection, connect
from orihon.db.server import running
from orihon.library.covers import set_cover
from orihon.samplesite.catalogue import DrawnCover
from orihon.samplesite.drawing import draw
from orihon.samplesite.series import all_series

ROWS = ("first_view_js_kb", "first_view_lcp_s", "first_view_lcp_unmade_s")

WORKS = 500
COVERS = 72
"""Works at the top of the list that have a cover, each one of its own."""

SETTLED = 1.5
"""Seconds after the last picture is there, in which anything larger would still be drawn."""

# Asked for before the page's own scripts run, so that nothing is missed.
_WATCH = """
    window.largest = [];
    new PerformanceObserver(list => { for (const entry of list.getEntries()) window.largest.push(entry.startTime); })
        .observe({type: 'largest-contentful-paint', buffered: true});
"""

_COVERS_SHOWN = """
    () => { const shown = [...document.images].filter(one => one.getBoundingClientRect().top < innerHeight);
            return shown.length > 3 && shown.every(one => one.complete && one.naturalWidth > 0); }
"""


async def fill(db: Connection, data: Path) -> None:
    """Titles, the newest with covers as they come from a site."""
    await titles.seed(db, WORKS)
    newest = await db.fetch("SELECT id FROM works ORDER BY updated_at DESC, id DESC LIMIT $1", COVERS)
    drawn = [DrawnCover(one.slug, version) for version in range(COVERS) for one in all_series()][:COVERS]
    for record, cover in zip(newest, drawn, strict=True):
        medium = await kept(db, data, await asyncio.to_thread(draw, cover))
        await set_cover(db, record["id"], medium.id, origin="bench")


async def look(browser: Browser, url: str) -> tuple[float, float]:
    """Open the address as a stranger: seconds to the largest paint, and KB of JavaScript as they went over the wire."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900})
    scripts: list[Request] = []
    try:
        page = await context.new_page()
        page.on("requestfinished", lambda one: scripts.append(one) if one.resource_type == "script" else None)
        await page.add_init_script(_WATCH)
        await page.goto(url, wait_until="load")
        await page.wait_for_function(_COVERS_SHOWN, timeout=30_000)
        await asyncio.sleep(SETTLED)
        largest = await page.evaluate("window.largest")
        bodies = [(await script.sizes())["responseBodySize"] for script in scripts]
    finally:
        await context.close()
    if not largest or not bodies:
        raise Wrong("Chromium told no largest paint, or loaded no script")
    return max(largest) / 1000, sum(bodies) / 1000


async def run(names: Set[str]) -> AsyncIterator[Row]:
    """Measure."""
    chromium = harness.program("chromium")
    if not (harness.ROOT / "src" / "orihon" / "web" / "index.html").is_file():
        raise Missing("the web app is not built (make web)")
    data = harness.folder("first_view", empty=True) / "data"
    async with served.serve(data) as (origin, _):
        dsn = await running(data / "postgres")
        if dsn is None:
            raise Wrong("the database of `orihon serve` is not to be found")
        db = await connect(dsn)
        await fill(db, data)
        await db.execute("SELECT pg_notify('library', '')")
        await db.close()
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            unmade, _ = await look(browser, origin)
            rounds = [await look(browser, origin) for _ in range(ROUNDS)]
            await browser.close()
    found = {
        "first_view_js_kb": harness.figure("first_view_js_kb", [script for _, script in rounds], "KB"),
        "first_view_lcp_s": harness.figure("first_view_lcp_s", [largest for largest, _ in rounds], "s"),
        "first_view_lcp_unmade_s": harness.figure("first_view_lcp_unmade_s", [unmade], "s"),
    }
    for name in ROWS:
        if name in names:
            yield found[name]
