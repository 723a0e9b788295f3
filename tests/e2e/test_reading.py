"""What a person does with the demo: watch it fill, search, read, come back."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.e2e.conftest import COMICS, Demo, sign_in
from tests.e2e.steps import open_title, readable_title

pytestmark = pytest.mark.e2e


ENOUGH = 24
"""So many titles the sample site has at least."""
A_WHILE_MS = 90_000


def from_on(count: int) -> re.Pattern[str]:
    """A number of two digits from `count` on, or one of three and more, standing alone."""
    numbers = "|".join(str(number) for number in range(count, 100))
    return re.compile(rf"\b({numbers}|\d{{3,}})\b")


def test_a_wrong_password_is_said_in_words(page: Page) -> None:
    page.goto("/sign-in")
    page.get_by_role("textbox", name="Name").fill("reader")
    page.get_by_role("textbox", name="Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("do not fit together")


def test_the_library_fills_while_one_watches(page: Page) -> None:
    sign_in(page)
    page.goto("/")
    expect(page.get_by_role("link", name=re.compile("chapter")).first).to_be_visible()
    counted = page.get_by_role("status").filter(has_text="title")
    expect(counted).to_contain_text(from_on(ENOUGH), timeout=A_WHILE_MS)
    expect(page.locator("[data-index]").first).to_have_attribute("aria-setsize", from_on(ENOUGH))


def test_search_finds_by_part_of_a_title_and_says_when_nothing_fits(page: Page) -> None:
    name = readable_title(page)
    page.goto("/")
    page.get_by_role("searchbox").fill(name[:5].lower())
    expect(page.get_by_role("link", name=re.compile(re.escape(name))).first).to_be_visible()
    page.get_by_role("searchbox").fill("zzqqxx nothing is called this")
    expect(page.get_by_text("No title matches")).to_be_visible()
    page.get_by_role("link", name="Look among the creators").click()
    expect(page.get_by_text("No creator matches")).to_be_visible()
    expect(page.get_by_role("link", name="Look among the titles")).to_be_visible()


def test_search_finds_a_title_by_who_made_it(page: Page) -> None:
    name = readable_title(page)
    cards = page.request.get("/api/v1/mangas?limit=200").json()["items"]
    author = next(card["authors"][0] for card in cards if card["title"] == name)
    page.goto("/")
    page.get_by_role("searchbox").fill(author)
    expect(page.get_by_role("heading", level=1)).to_have_text(f"Results for “{author}”")
    expect(page.get_by_role("link", name=re.compile(re.escape(name))).first).to_be_visible()


def read_to_the_end(page: Page) -> int:
    """Turn pages with the keyboard until the end of the chapter is shown; returns how many pages there were."""
    indicator = page.get_by_test_id("page-indicator")
    expect(indicator).to_contain_text("Page 1 /")
    count = int((indicator.text_content() or "").rpartition("/")[2])
    for number in range(2, count + 1):
        page.keyboard.press("j")
        expect(indicator).to_have_text(f"Page {number} / {count}")
        expect(page.get_by_test_id("reader-page").get_by_role("img")).to_have_js_property("complete", True)
    page.keyboard.press("j")
    return count


def test_reading_a_chapter_to_its_end_and_on_into_the_next(page: Page) -> None:
    """E2E-1, E2E-2, for a guest."""
    open_title(page, readable_title(page))
    page.get_by_role("link", name="Start reading").click()
    expect(page).to_have_url(re.compile("/read/"))
    first = page.url.split("?")[0]
    read_to_the_end(page)
    page.get_by_test_id("reader-end").get_by_role("button", name="Read on").click()
    expect(page.get_by_test_id("page-indicator")).to_contain_text("Page 1 /")
    expect(page).not_to_have_url(re.compile(re.escape(first)))
    expect(page.get_by_test_id("reader-page")).to_be_visible()


def test_continuous_mode_stacks_the_pages_and_leads_on(page: Page) -> None:
    """E2E-3, E2E-4, E2E-5."""
    open_title(page, readable_title(page))
    page.get_by_role("link", name=re.compile("Start reading|Continue")).click()
    expect(page.get_by_test_id("reader-page")).to_be_visible()
    page.get_by_test_id("reader-mode-continuous").click()
    strip = page.get_by_test_id("reader-continuous")
    expect(strip).to_be_visible()
    expect(page.get_by_test_id("page-indicator")).to_contain_text("pages")
    page.get_by_role("button", name="How to read").click()
    page.get_by_test_id("reader-gap").select_option("24")
    expect(strip).to_have_attribute("style", re.compile("gap: 24px"))
    page.get_by_label("Stop at the end of a chapter").uncheck()
    page.reload()
    expect(strip).to_be_visible()
    first = page.url.split("?")[0]
    expect(strip.get_by_role("img").first).to_be_visible()
    for _ in range(200):
        page.mouse.wheel(0, 1500)
        page.wait_for_timeout(50)
        if page.url.split("?")[0] != first:
            break
    assert page.url.split("?")[0] != first, "scrolling leads on into the next chapter"
    expect(strip).to_be_visible()


def test_the_same_page_opens_again_after_a_restart(page: Page, demo: Demo) -> None:
    sign_in(page)
    open_title(page, readable_title(page))
    page.get_by_role("link", name=re.compile("Start reading|Continue")).click()
    indicator = page.get_by_test_id("page-indicator")
    expect(indicator).to_contain_text("Page 1 /")
    title = page.url
    with page.expect_response(lambda answer: "/me/progress" in answer.url and answer.request.method == "PUT"):
        page.keyboard.press("j")
        page.keyboard.press("j")
        expect(indicator).to_contain_text("Page 3 /")
    demo.stop()
    demo.start()
    page.goto("/title/" + title.split("/read/")[1].split("/")[0])
    page.get_by_role("link", name=re.compile("Continue reading.*page 3")).click()
    expect(indicator).to_contain_text("Page 3 /")


def test_a_guests_place_is_kept_and_handed_over_at_sign_in(page: Page) -> None:
    open_title(page, readable_title(page))
    page.get_by_role("link", name=re.compile("Start reading|Continue|Read again")).click()
    indicator = page.get_by_test_id("page-indicator")
    expect(indicator).to_contain_text("Page")
    page.keyboard.press("End")
    expect(page.get_by_test_id("reader-page")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading", name="Continue reading")).to_be_visible()
    sign_in(page)
    page.goto("/")
    expect(page.get_by_role("heading", name="Continue reading")).to_be_visible()


def comic(page: Page, name: str) -> tuple[dict[str, object], dict[str, object]]:
    """A real comic and its first chapter, once that can be read."""
    for _ in range(120):
        for card in page.request.get(f"/api/v1/mangas?search={name}").json()["items"]:
            if card["title"].lower().startswith(name):
                chapters = page.request.get(f"/api/v1/mangas/{card['id']}/chapters?limit=1").json()["items"]
                if chapters and chapters[0]["state"] == "ready":
                    return card, chapters[0]
        page.wait_for_timeout(500)
    raise AssertionError(f"{name} did not become readable")


@pytest.mark.skipif(not COMICS.is_dir(), reason="needs the shared fixtures folder beside the checkout")
@pytest.mark.parametrize(("name", "direction"), [("haruko", "rtl"), ("blanche", "ltr"), ("webtoon", "vertical")])
def test_real_comics_read_the_way_they_are_made(page: Page, name: str, direction: str) -> None:
    card, chapter = comic(page, name)
    assert card["reading_direction"] == direction
    page.goto(f"/read/{card['id']}/{chapter['id']}")
    if direction == "vertical":
        expect(page.get_by_test_id("reader-continuous")).to_be_visible()
        return
    indicator = page.get_by_test_id("page-indicator")
    expect(indicator).to_contain_text("Page 1 /")
    page.keyboard.press("ArrowLeft" if direction == "rtl" else "ArrowRight")
    expect(indicator).to_contain_text("Page 2 /")


def test_sources_show_what_happens_and_can_be_paused(page: Page) -> None:
    sign_in(page)
    page.goto("/sources")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sources")
    page.get_by_role("button", name="Pause").first.click()
    expect(page.get_by_role("button", name="Resume").first).to_be_visible()
    page.get_by_role("button", name="Resume").first.click()
    expect(page.get_by_role("button", name="Pause").first).to_be_visible()


def test_everything_can_be_reached_by_keyboard(page: Page) -> None:
    readable_title(page)
    page.goto("/")
    expect(page.get_by_role("link", name=re.compile("chapter")).first).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox")).to_be_focused()
    page.keyboard.press("Escape")
    reached = page.locator('[data-card][tabindex="0"]')
    reached.focus()
    expect(reached).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator('[data-index="1"] a')).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/title/"))


def test_the_first_view_asks_for_the_list_once_and_at_once(page: Page) -> None:
    """`first.js` asks before the program is there; with other addresses, all would be asked twice."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/api/v1/" in request.url else None)
    page.goto("/")
    expect(page.locator("[data-card]").first).to_be_visible()
    for wanted in ("/auth/me", "/mangas?"):
        assert len([url for url in asked if wanted in url]) == 1, asked
