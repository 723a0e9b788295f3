"""Following a creator: added in words, watched while it fills, read with images and as text."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from tests.e2e.conftest import sign_in

pytestmark = pytest.mark.e2e

A_WHILE_MS = 180_000
FILLED_SECONDS = 300


def followed(page: Page, slug: str) -> dict[str, Any]:
    """A creator that the demo follows, as the API tells of it."""
    sources = page.request.get("/api/v1/sources").json()["items"]
    return dict(next(source for source in sources if source["url"].endswith(slug)))


def feed(page: Page, slug: str) -> dict[str, Any]:
    """The same, once all that is posted is here: creators of one site take turns, and the demo has just started."""
    for _ in range(2 * FILLED_SECONDS):
        source = followed(page, slug)
        if source["work_id"] and source["last_walk"] and source["last_walk"]["outcome"] in {"end_of_list", "caught_up"}:
            return source
        page.wait_for_timeout(500)
    raise AssertionError(f"{slug} was not walked to the end")


def post(page: Page, work_id: str, *, images: bool) -> dict[str, Any]:
    """A post with images or without any."""
    posts = page.request.get(f"/api/v1/mangas/{work_id}/chapters?limit=100").json()["items"]
    found = next(one for one in posts if one["state"] == "ready" and (one["page_count"] > 0) is images)
    return dict(page.request.get(f"/api/v1/mangas/{work_id}/chapters/{found['id']}").json())


def unfollow(page: Page, source: dict[str, Any]) -> None:
    answer = page.request.delete(f"/api/v1/sources/{source['id']}", headers={"Origin": page.url})
    assert answer.ok


def asked_for_a_creator(page: Page, address: str) -> Locator:
    """The form, filled in for a creator."""
    page.get_by_role("button", name="Add a source").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("radio", name=re.compile("A creator of the sample site")).check()
    dialog.get_by_label("Address of the creator").fill(address)
    return dialog


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1440, 900)])
def test_a_creator_is_tried_out_followed_and_watched_while_it_fills(page: Page, width: int, height: int) -> None:
    sign_in(page)
    before = followed(page, "ren-kuroda")
    page.set_viewport_size({"width": width, "height": height})
    page.goto("/sources")
    unfollow(page, before)
    dialog = asked_for_a_creator(page, before["url"])
    # What belongs to catalogues is not asked.
    expect(dialog.get_by_label("How the site is built")).to_have_count(0)
    expect(dialog.get_by_text("Which chapters are fetched")).to_have_count(0)
    dialog.get_by_role("textbox", name=re.compile("^Name")).fill("Ren Kuroda")
    dialog.get_by_text("More settings").click()
    dialog.get_by_label("Posts at a time").fill("2")
    dialog.get_by_role("button", name="Try it out").click()
    expect(dialog.get_by_text(re.compile(r"3 posts"))).to_be_visible()
    dialog.get_by_role("button", name="Follow it").click()
    expect(dialog).to_be_hidden()
    card = page.get_by_role("article", name="Ren Kuroda")
    expect(card).to_contain_text("3 of 3", timeout=A_WHILE_MS)
    expect(card).to_contain_text("Posts here")
    expect(card).to_contain_text("Brings every post")
    made = feed(page, "ren-kuroda")
    assert (made["adapter"], made["settings"]) == ("sample_feed", {"count": 2})
    card.get_by_role("link", name="See the posts of Ren Kuroda").click()
    expect(page.get_by_role("heading", name="Posts")).to_be_visible()


def test_a_setting_that_cannot_be_is_refused_in_words(page: Page) -> None:
    sign_in(page)
    page.goto("/sources")
    address = followed(page, "ren-kuroda")["url"] + "-other"
    dialog = asked_for_a_creator(page, address)
    dialog.get_by_text("More settings").click()
    dialog.get_by_label("Posts at a time").fill("900")
    dialog.get_by_role("button", name="Try it out").click()
    expect(dialog.get_by_role("alert").filter(has_text="count")).to_be_visible()
    dialog.get_by_label("Posts at a time").fill("9")
    dialog.get_by_role("button", name="Try it out").click()
    expect(dialog.get_by_role("alert").filter(has_text="The creator could not be read")).to_be_visible()


def test_a_source_has_a_page_that_tells_what_it_did_and_looks_again(page: Page) -> None:
    sign_in(page)
    source = feed(page, "haru-mizuno")
    page.goto("/sources")
    page.get_by_role("link", name=source["name"], exact=True).click()
    expect(page.get_by_role("heading", name="What it did")).to_be_visible()
    walks = page.get_by_role("region", name="What it did").get_by_role("listitem")
    expect(walks.first).to_contain_text("posts looked at")
    page.get_by_role("button", name="Go through everything").click()
    expect(
        walks.filter(has_text="Go through everything").filter(has_text="Looked through everything").first
    ).to_be_visible(timeout=A_WHILE_MS)
    expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Sources")).to_have_attribute(
        "aria-current", "page"
    )


def test_creators_have_their_side_of_the_library_and_posts_stand_newest_first(page: Page) -> None:
    sign_in(page)
    source = feed(page, "wren-calloway")
    page.goto("/")
    expect(page.get_by_role("link", name=re.compile(r"\d+ chapter")).first).to_be_visible()
    page.get_by_role("radio", name="Creators").check()
    card = page.get_by_role("link", name=re.compile(rf"{source['name']}.*48 posts"))
    expect(card).to_be_visible()
    card.click()
    expect(page.get_by_role("heading", level=1)).to_have_text(source["name"])
    # Everything is brought by itself, so there is nothing to keep.
    expect(page.get_by_role("button", name="Keep this title")).to_have_count(0)
    posts = page.request.get(f"/api/v1/mangas/{source['work_id']}/chapters?limit=100").json()["items"]
    assert [one["published_at"] for one in posts] == sorted(one["published_at"] for one in posts)
    expect(page.get_by_test_id("chapter-list").get_by_role("link").first).to_contain_text(posts[-1]["title"])


def test_a_post_shows_its_text_behind_its_pages_and_at_any_time(page: Page) -> None:
    sign_in(page)
    work_id = feed(page, "wren-calloway")["work_id"]
    told = post(page, work_id, images=True)
    page.goto(f"/read/{work_id}/{told['id']}")
    expect(page.get_by_test_id("reader-page").get_by_role("img")).to_have_js_property("complete", True)
    page.get_by_role("button", name="What the post says").click()
    expect(page.get_by_role("dialog").get_by_test_id("post-text")).to_have_text(told["body"])
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    for _ in range(told["page_count"]):
        page.keyboard.press("j")
    end = page.get_by_test_id("reader-end")
    expect(end.get_by_test_id("post-text")).to_have_text(told["body"])
    for tag in told["tags"]:
        expect(end.get_by_role("listitem").filter(has_text=tag)).to_be_visible()


@pytest.mark.parametrize("mode", ["single", "continuous"])
def test_a_post_without_images_is_read_as_text_and_counts_as_read(page: Page, mode: str) -> None:
    sign_in(page)
    work_id = feed(page, "wren-calloway")["work_id"]
    told = post(page, work_id, images=False)
    assert told["page_count"] == 0
    page.goto(f"/read/{work_id}/{told['id']}")
    if mode == "continuous":
        page.get_by_test_id("reader-mode-continuous").click()
    text = page.get_by_test_id("reader-text").first
    expect(text.get_by_test_id("post-text")).to_have_text(told["body"])
    expect(page.get_by_test_id("reader-waiting")).to_have_count(0)
    page.wait_for_function("() => localStorage.getItem('orihon.place') || localStorage.getItem('orihon.places')")
    page.goto(f"/title/{work_id}")
    row = page.get_by_role("link", name=re.compile(re.escape(told["title"])))
    expect(row).to_contain_text("Read")
    page.goto(f"/read/{work_id}/{told['id']}")
    expect(text.get_by_test_id("post-text")).to_be_visible()
    page.keyboard.press("n")
    expect(page).not_to_have_url(re.compile(told["id"]))


def test_the_files_of_a_post_are_offered_for_saving(page: Page) -> None:
    sign_in(page)
    work_id = feed(page, "haru-mizuno")["work_id"]
    posts = page.request.get(f"/api/v1/mangas/{work_id}/chapters?limit=100").json()["items"]
    details = (page.request.get(f"/api/v1/mangas/{work_id}/chapters/{one['id']}").json() for one in posts)
    told = next(one for one in details if one["attachments"])
    page.goto(f"/read/{work_id}/{told['id']}")
    page.get_by_role("button", name="What the post says").click()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save sketches.zip").click()
    assert saved.value.suggested_filename == "sketches.zip"
    assert saved.value.path().read_bytes()[:2] == b"PK"
