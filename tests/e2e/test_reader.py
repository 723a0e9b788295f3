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


def open_strip(page: Page) -> int:
    """The same as one strip; returns how many pages it has."""
    count = start_reading(page)
    page.get_by_test_id("reader-mode-continuous").click()
    expect(page.get_by_test_id("reader-continuous")).to_be_visible()
    # E2E-6: the indicator of a strip counts its pages, and says nothing else.
    expect(page.get_by_test_id("page-indicator")).to_have_text(f"{count} pages")
    return count


def test_a_strip_stops_at_the_end_of_a_chapter_until_asked_to_go_on(page: Page) -> None:
    count = open_strip(page)
    first = page.url.split("?")[0]
    end = page.get_by_test_id("reader-end")
    for _ in range(8 * count):
        page.mouse.wheel(0, 3000)
        page.wait_for_timeout(50)
    expect(end).to_be_in_viewport()
    expect(page).to_have_url(re.compile(re.escape(first)))
    end.get_by_role("button", name="Read on").click()
    expect(page).not_to_have_url(re.compile(re.escape(first)))
    expect(page.get_by_test_id("reader-continuous").get_by_role("img").first).to_be_in_viewport()


def test_keys_scroll_a_strip_by_a_screen_and_turn_no_page(page: Page) -> None:
    """E2E-4."""
    open_strip(page)
    page.evaluate("scrollTo(0, 0)")
    for key, back in (("Space", "Shift+Space"), ("PageDown", "PageUp")):
        for pressed, screens in ((key, 1), (key, 2), (back, 1), (back, 0)):
            page.keyboard.press(pressed)
            page.wait_for_function("y => Math.abs(scrollY - y) < 2", arg=round(screens * 0.85 * 900))
    direction = page.evaluate("document.querySelector('.thread').classList.contains('rtl') ? 'rtl' : 'ltr'")
    on, back = ("ArrowLeft", "ArrowRight") if direction == "rtl" else ("ArrowRight", "ArrowLeft")
    for pressed, screens in ((on, 1), (back, 0)):
        page.keyboard.press(pressed)
        page.wait_for_function("y => Math.abs(scrollY - y) < 2", arg=round(screens * 0.85 * 900))


def test_a_strip_offers_no_fit_that_means_nothing_there(page: Page) -> None:
    start_reading(page)
    page.get_by_role("button", name="How to read").click()
    expect(page.get_by_role("radio", name="Whole page")).to_be_checked()
    page.keyboard.press("Escape")
    page.get_by_test_id("reader-mode-continuous").click()
    page.get_by_role("button", name="How to read").click()
    expect(page.get_by_role("radio", name="Height")).to_be_checked()
    expect(page.get_by_role("radio", name="Whole page")).to_have_count(0)


def test_a_finished_chapter_makes_room_for_the_next_one_on_the_shelf(page: Page) -> None:
    start_reading(page)
    page.keyboard.press("End")
    title = page.url.split("/read/")[1].split("/")[0]
    finished = page.url.split("?")[0]
    page.goto("/")
    card = page.get_by_role("region", name="Continue reading").get_by_role("link").first
    expect(card).to_contain_text("Next: ")
    card.click()
    expect(page.get_by_test_id("page-indicator")).to_contain_text("Page 1 /")
    expect(page).to_have_url(re.compile(f"/read/{title}/"))
    expect(page).not_to_have_url(re.compile(re.escape(finished)))
