"""Every screen at phone and desk width, light and dark: nothing sticks out, and pictures for the README.

`ORIHON_SCREENSHOTS=docs/screenshots` keeps the pictures (`make screenshots`).
"""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.e2e.conftest import PASSWORD, USERNAME, Demo

pytestmark = pytest.mark.e2e

KEPT = os.environ.get("ORIHON_SCREENSHOTS")

ON_SCREEN = """() => {
    const seen = [...document.images].filter((image) => {
        const box = image.getBoundingClientRect();
        return box.top < innerHeight && box.bottom > 0 && box.width > 0;
    });
    return document.querySelector('h1, [data-testid]') && seen.every((image) => image.complete && image.naturalWidth);
}"""


def addresses(page: Page) -> dict[str, str]:
    """Where each screen is; the title is one that can be read."""
    for _ in range(120):
        cards = page.request.get("/api/v1/mangas?sort=title&order=asc&limit=100").json()["items"]
        for card in cards:
            if card["reading_direction"] == "vertical" or not card["cover"] or card["chapter_count"] < 5:
                continue
            chapters = page.request.get(f"/api/v1/mangas/{card['id']}/chapters?limit=2").json()["items"]
            if all(chapter["state"] == "ready" for chapter in chapters):
                return {
                    "library": "/",
                    "title": f"/title/{card['id']}",
                    "reader": f"/read/{card['id']}/{chapters[0]['id']}?page=2",
                    "sources": "/sources",
                }
        page.wait_for_timeout(500)
    raise AssertionError("no title became readable")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_no_screen_is_wider_than_its_window(
    browser: Browser, demo: Demo, tmp_path: Path, width: int, height: int, scheme: str
) -> None:
    context = browser.new_context(
        base_url=demo.url,
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]  # one of two literals
    )
    page = context.new_page()
    answer = page.request.post(
        "/api/v1/auth/login", data={"username": USERNAME, "password": PASSWORD}, headers={"Origin": demo.url}
    )
    assert answer.ok
    folder = Path(KEPT) if KEPT else tmp_path
    for name, address in addresses(page).items():
        page.goto(address)
        expect(page.get_by_role("main")).to_be_visible()
        # Streams never end, so the network is never idle; what is on screen decides.
        page.wait_for_function(ON_SCREEN)
        wider = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wider <= 0, name
        page.screenshot(path=folder / f"{name}-{width}-{scheme}.jpg", type="jpeg", quality=82)
    context.close()
