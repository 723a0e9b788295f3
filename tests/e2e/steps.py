"""What several tests do first."""

import re

from playwright.sync_api import Page, expect


def open_title(page: Page, name: str) -> None:
    """Find a title by its name and open it."""
    page.goto("/")
    page.get_by_role("searchbox").fill(name)
    # Until the results are here, the same title may stand on the shelf, whose links lead into the reader.
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Results for “{name}”")
    page.get_by_role("link", name=re.compile(re.escape(name))).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)


def readable_title(page: Page) -> str:
    """The name of a title that has two chapters to read, right to left or left to right."""
    found: str | None = None

    def look() -> str | None:
        answer = page.request.get("/api/v1/mangas?limit=200").json()
        for card in answer["items"]:
            if card["reading_direction"] == "vertical":
                continue
            chapters = page.request.get(f"/api/v1/mangas/{card['id']}/chapters?limit=3").json()["items"]
            if len(chapters) >= 2 and all(chapter["state"] == "ready" for chapter in chapters[:2]):
                return str(card["title"])
        return None

    for _ in range(120):
        found = look()
        if found:
            return found
        page.wait_for_timeout(500)
    raise AssertionError("no title became readable")
