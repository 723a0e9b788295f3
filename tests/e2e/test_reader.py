"""The reader's promises: the place is never lost, the strip stops and scrolls as asked."""

import re

import pytest
from playwright.sync_api import Page, Request, expect
from tests.e2e.conftest import sign_in
from tests.e2e.steps import open_title, readable_title

pytestmark = pytest.mark.e2e

HANDED_OVER_MS = 2000
"""What the server knows of a place is never older, while somebody turns pages."""


def start_reading(page: Page) -> int:
    """Open the first chapter of a title at its first page; returns how many pages it has."""
    open_title(page, readable_title(page))
    page.get_by_role("link", name=re.compile("Start reading|Continue reading|Read again")).click()
    indicator = page.get_by_test_id("page-indicator")
    expect(indicator).to_contain_text("Page")
    page.keyboard.press("Home")
    expect(indicator).to_contain_text("Page 1 /")
    return int((indicator.text_content() or "").rpartition("/")[2])


def test_turning_pages_fast_does_not_put_off_keeping_the_place(page: Page) -> None:
    sign_in(page)
    count = start_reading(page)
    sent: list[Request] = []
    page.on("request", lambda asked: sent.append(asked) if asked.method == "PUT" else None)
    pause = 2 * HANDED_OVER_MS // count
    for _ in range(count - 1):
        page.keyboard.press("j")
        page.wait_for_timeout(pause)
    assert sent, "the server heard nothing while pages were turned"


def test_a_guests_place_is_in_the_browser_at_every_turn(page: Page) -> None:
    """A browser that is killed loses nothing."""
    start_reading(page)
    for number in (2, 3, 4):
        page.keyboard.press("j")
        kept = page.evaluate("JSON.parse(localStorage.getItem('orihon.place')).place.page")
        assert kept == number
