"""Within everybody's reach: a finger, a keyboard, a screen reader, somebody who is lost or has nothing yet."""

import re

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from tests.e2e.conftest import PASSWORD, USERNAME, Demo, sign_in
from tests.e2e.steps import open_title, readable_title

pytestmark = pytest.mark.e2e

FINGER_PX = 44
"""WCAG 2.2, 2.5.5, and the guidelines of both makers of phones."""

TOO_SMALL = """(least) => [...document.querySelectorAll('button, select, header a, nav a, fieldset label')]
    .filter((element) => element.checkVisibility())
    .map((element) => [element.ariaLabel || element.textContent.trim(), element.getBoundingClientRect()])
    .filter(([, box]) => box.height > 1 && (box.height < least || box.width < least))
    .map(([name, box]) => `${name}: ${Math.round(box.width)} x ${Math.round(box.height)}`)"""


def test_a_finger_finds_everything(browser: Browser, demo: Demo) -> None:
    context = browser.new_context(
        base_url=demo.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    answer = page.request.post(
        "/api/v1/auth/login", data={"username": USERNAME, "password": PASSWORD}, headers={"Origin": demo.url}
    )
    assert answer.ok
    for address in ("/", "/sources"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(page.get_by_role("link", name=re.compile("chapter|works")).first).to_be_visible()
        assert page.evaluate(TOO_SMALL, FINGER_PX) == [], address
    open_title(page, readable_title(page))
    page.get_by_role("link", name=re.compile("Start reading|Continue reading|Read again")).click()
    page.get_by_role("button", name="How to read").click()
    expect(page.get_by_role("radio", name="Whole page")).to_be_visible()
    assert page.evaluate(TOO_SMALL, FINGER_PX) == []
    context.close()


@pytest.mark.parametrize("address", ["/nowhere", "/title/00000000-0000-7000-8000-000000000000"])
def test_whoever_is_lost_is_told_so(context: BrowserContext, address: str) -> None:
    # A page of its own: the browser says 404 in its console, rightly.
    page = context.new_page()
    page.goto(address)
    expect(page.get_by_role("heading", name="Nothing here")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("There is nothing at this address.")
    page.get_by_role("link", name="Go to the library").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Library")


def test_signing_in_leads_back_to_where_it_was_asked_for(page: Page) -> None:
    page.goto("/sources")
    page.get_by_role("main").get_by_role("link", name="Sign in").click()
    page.get_by_role("textbox", name="Name").fill(USERNAME)
    page.get_by_role("textbox", name="Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sources")


def test_whoever_is_signed_in_is_not_asked_to_sign_in(page: Page) -> None:
    sign_in(page)
    page.goto("/sign-in?next=/sources")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sources")


def test_a_card_of_the_shelf_says_the_page_in_words(page: Page) -> None:
    sign_in(page)
    open_title(page, readable_title(page))
    page.get_by_role("link", name=re.compile("Start reading|Continue reading|Read again")).click()
    expect(page.get_by_test_id("page-indicator")).to_contain_text("Page")
    page.keyboard.press("Home")
    page.keyboard.press("j")
    expect(page.get_by_test_id("page-indicator")).to_contain_text("Page 2 /")
    page.goto("/")
    card = page.get_by_role("region", name="Continue reading").get_by_role("link").first
    expect(card).to_have_accessible_name(re.compile(r"\bPage 2 of \d+$"))


def test_the_keyboard_goes_on_after_a_source_is_removed(page: Page) -> None:
    sign_in(page)
    made = page.request.post(
        "/api/v1/sources",
        data={
            "adapter": "html",
            "url": "https://comics.invalid/",
            "settings": {"profile": "sample"},
            "content": "wanted",
            "interval_seconds": 3600,
        },
        headers={"Origin": page.url.rsplit("/", 1)[0]},
    )
    assert made.ok, made.text()
    page.goto("/sources")
    page.get_by_role("button", name="Remove comics.invalid").focus()
    page.keyboard.press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Remove").press("Enter")
    expect(page.get_by_role("article", name="comics.invalid")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_be_focused()


def test_a_profile_that_is_refused_says_so_in_sight(context: BrowserContext) -> None:
    page = context.new_page()
    sign_in(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/sources")
    page.get_by_role("button", name="Add a source").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Address of the list of titles").fill("https://comics.invalid/")
    dialog.get_by_label("How the site is built").select_option("A profile of my own")
    dialog.get_by_label("Text of the profile").fill("= nonsense")
    # The browser says 400 in its console, rightly; the dialog says it in words.
    with page.expect_response("**/sources/check") as answer:
        dialog.get_by_role("button", name="Try it out").click()
    assert answer.value.status in {400, 422}
    expect(dialog.get_by_text("is not TOML")).to_be_in_viewport()


def test_the_menu_closes_when_somebody_signs_out(page: Page) -> None:
    sign_in(page)
    page.get_by_role("button", name="Account and settings").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    expect(page.get_by_text("You read as a guest")).to_be_hidden()


def swipe(page: Page, start: int, end: int) -> None:
    """A finger that moves sideways over the middle of the page, as the browser itself is told of it."""
    touch = page.context.new_cdp_session(page)
    touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": start, "y": 420}]})
    for step in range(1, 9):
        at = start + (end - start) * step / 8
        touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": at, "y": 420}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    touch.detach()


def test_a_swipe_turns_the_page_and_leaves_the_reader_open(browser: Browser, demo: Demo) -> None:
    """At the end of a chapter, too. A browser that takes the finger for itself goes back in its history instead."""
    context = browser.new_context(
        base_url=demo.url, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    open_title(page, readable_title(page))
    right_to_left = "Right to left" in page.get_by_role("main").inner_text()
    on, back = ((60, 330), (330, 60)) if right_to_left else ((330, 60), (60, 330))
    page.get_by_role("link", name="Start reading").click()
    indicator = page.get_by_test_id("page-indicator")
    expect(indicator).to_contain_text("Page 1 /")
    swipe(page, *on)
    expect(indicator).to_contain_text("Page 2 /")
    swipe(page, *back)
    expect(indicator).to_contain_text("Page 1 /")
    page.keyboard.press("End")
    swipe(page, *on)
    expect(page.get_by_test_id("reader-end")).to_be_visible()
    swipe(page, *back)
    expect(page.get_by_test_id("reader-end")).to_be_hidden()
    context.close()
