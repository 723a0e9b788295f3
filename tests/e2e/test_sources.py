"""Following a source: tried out first, said in words, and a dialog that fits its window."""

import contextlib
import re
from typing import Any

import pytest
from playwright.sync_api import Error, Locator, Page, expect
from tests.e2e.conftest import sign_in

pytestmark = pytest.mark.e2e

SIZES = [(390, 844), (1440, 900)]
NOBODY = "http://127.0.0.1:9/works/"
"""An address that is refused, whatever the machine: it is private, and not the sample site's."""


def followed(page: Page) -> list[dict[str, Any]]:
    """What is followed, as the API tells."""
    items: list[dict[str, Any]] = page.request.get("/api/v1/sources").json()["items"]
    return items


def site(page: Page) -> str:
    """The address of the sample site, once it answers (the supervisor may be starting it)."""
    catalogues = (one["url"] for one in followed(page) if one["kind"] == "catalogue")
    url = str(next(url for url in catalogues if url != NOBODY))
    for _ in range(60):
        with contextlib.suppress(Error):
            if page.request.get(url).ok:
                return url
        page.wait_for_timeout(500)
    raise AssertionError(f"{url} does not answer")


def begin(page: Page) -> Locator:
    """Open the form for a new source."""
    sign_in(page)
    page.goto("/sources")
    page.get_by_role("button", name="Add a source").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def test_an_address_that_is_refused_is_followed_only_when_asked_twice(page: Page) -> None:
    dialog = begin(page)
    before = len(followed(page))
    dialog.get_by_label("Address of the list of titles").fill(NOBODY)
    expect(dialog.get_by_label("How the site is built")).to_have_value("sample")
    dialog.get_by_role("button", name="Follow it", exact=True).click()
    # What happened, what it means, what to do.
    said = dialog.get_by_role("alert").filter(has_text="could not be read")
    expect(said).to_contain_text("bring nothing")
    expect(said).to_contain_text("allow it with ORIHON_PRIVATE_ORIGINS")
    expect(said).not_to_contain_text("Open the address in a browser")
    assert len(followed(page)) == before
    dialog.get_by_role("button", name="Follow it anyway").click()
    expect(dialog).to_be_hidden()
    (made,) = [source for source in followed(page) if source["url"] == NOBODY]
    assert page.request.delete(f"/api/v1/sources/{made['id']}", headers={"Origin": page.url}).ok


def test_a_changed_address_is_tried_out_again(page: Page) -> None:
    dialog = begin(page)
    address = dialog.get_by_label("Address of the list of titles")
    address.fill(NOBODY)
    dialog.get_by_role("button", name="Follow it", exact=True).click()
    expect(dialog.get_by_role("button", name="Follow it anyway")).to_be_visible()
    address.fill(NOBODY + "more/")
    expect(dialog.get_by_role("button", name="Follow it", exact=True)).to_be_visible()


def test_a_source_whose_site_has_moved_is_told_the_new_address(page: Page) -> None:
    sign_in(page)
    moving = {"url": NOBODY, "name": "A site that moves", "settings": {"profile": "sample"}}
    origin = {"Origin": page.url}
    before = page.request.post("/api/v1/sources", data=moving, headers=origin).json()
    page.goto("/sources")
    page.get_by_role("button", name="Edit A site that moves").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Address of the list of titles").fill(NOBODY + "moved/")
    dialog.get_by_role("button", name="Save", exact=True).click()
    # As unseen as a new one, so it is tried out first.
    dialog.get_by_role("button", name="Save it anyway").click()
    expect(dialog).to_be_hidden()
    (after,) = [source for source in followed(page) if source["name"] == "A site that moves"]
    assert (after["id"], after["url"]) == (before["id"], NOBODY + "moved/")
    assert page.request.delete(f"/api/v1/sources/{after['id']}", headers=origin).ok


def test_an_address_without_its_beginning_is_made_whole(page: Page) -> None:
    dialog = begin(page)
    address = dialog.get_by_label("Address of the list of titles")
    address.fill("comics.example/latest")
    address.press("Tab")
    expect(address).to_have_value("https://comics.example/latest")


def test_a_profile_is_asked_for_where_none_is_made_for_the_site(page: Page) -> None:
    dialog = begin(page)
    dialog.get_by_label("Address of the list of titles").fill("https://comics.example/latest/1/")
    profile = dialog.get_by_label("How the site is built")
    expect(profile).to_have_value("")
    expect(dialog).to_contain_text("No profile is made for comics.example")
    assert "`" not in (dialog.text_content() or "")
    profile.select_option("A profile of my own")
    expect(dialog).to_contain_text("docs/site-profiles.md")


def test_the_interval_that_a_source_has_is_shown_in_words(page: Page) -> None:
    """The demo looks every minute, which is none of the usual choices."""
    sign_in(page)
    page.goto("/sources")
    page.get_by_role("button", name="Edit Sample site").click()
    chosen = page.get_by_label("Look for news").locator("option:checked")
    expect(chosen).to_have_text("Every minute")


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_the_dialog_scrolls_inside_and_keeps_title_and_buttons_in_sight(page: Page, width: int, height: int) -> None:
    dialog = begin(page)
    page.set_viewport_size({"width": width, "height": height})
    dialog.get_by_label("Address of the list of titles").fill(site(page))
    dialog.get_by_role("button", name="Try it out").click()
    expect(dialog.get_by_text("titles on the first page")).to_be_in_viewport()
    expect(dialog.get_by_role("heading", level=2)).to_be_in_viewport(ratio=1)
    for button in dialog.get_by_role("button").all():
        expect(button).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.querySelector('dialog').getBoundingClientRect().height") <= height


def test_on_a_phone_the_ways_are_in_sight(page: Page) -> None:
    sign_in(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/")
    ways = page.get_by_role("navigation", name="Main")
    expect(ways.get_by_role("link", name="Library")).to_have_attribute("aria-current", "page")
    ways.get_by_role("link", name="Sources").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Sources")
    expect(ways.get_by_role("link", name="Sources")).to_have_attribute("aria-current", "page")
    expect(ways.get_by_role("link", name="Sources")).to_be_in_viewport(ratio=1)


def test_a_source_is_named_once_on_its_own_page(page: Page) -> None:
    sign_in(page)
    name = next(one["name"] for one in followed(page) if one["kind"] == "catalogue")
    page.goto("/sources")
    page.get_by_role("link", name=name, exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    expect(page.get_by_role("heading", name=name)).to_have_count(1)


def test_whoever_signs_in_is_not_asked_to_search(page: Page) -> None:
    page.goto("/sign-in")
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()
    expect(page.get_by_role("searchbox")).to_have_count(0)


@pytest.mark.parametrize("width", [360, 390])
def test_on_a_phone_what_can_be_done_with_a_source_stands_on_one_line(page: Page, width: int) -> None:
    sign_in(page)
    page.set_viewport_size({"width": width, "height": 844})
    page.goto("/sources")
    card = page.get_by_role("article").filter(has=page.get_by_role("link", name=re.compile("^See the posts"))).first
    names = ["Look now", "Pause", re.compile("^See the posts"), re.compile("^Edit "), re.compile("^Remove ")]
    acts = [card.get_by_role("button", name=name).or_(card.get_by_role("link", name=name)).first for name in names]
    boxes = [act.bounding_box() for act in acts]
    assert len({round(box["y"]) for box in boxes if box}) == 1, boxes


def test_letters_of_double_size_fit_on_a_phone(page: Page) -> None:
    sign_in(page)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/sources")
    page.add_style_tag(content=":root { font-size: 200% !important }")
    page.get_by_role("button", name="Add a source").click()
    content = page.get_by_role("dialog").get_by_role("group", name="What do you want to follow?")
    assert content.evaluate("(group) => group.parentElement.scrollWidth <= group.parentElement.clientWidth")


def test_a_removed_source_is_listed_and_forgotten_only_when_asked_twice(page: Page) -> None:
    sign_in(page)
    page.goto("/sources")
    summary = page.locator("summary", has_text="Removed sources")
    own = {"Origin": page.url}
    once = {"url": f"{NOBODY}once/", "name": "Once", "settings": {"profile": "sample"}}
    made = page.request.post("/api/v1/sources", data=once, headers=own).json()
    assert page.request.delete(f"/api/v1/sources/{made['id']}", headers=own).ok
    page.reload()
    summary.click()
    forget = page.get_by_role("button", name="Forget Once")
    forget.click()
    dialog = page.get_by_role("dialog", name="Forget Once for good?")
    expect(dialog).to_contain_text("Its titles stay in the library")
    dialog.get_by_role("button", name="Cancel").click()
    forget.click()
    dialog.get_by_role("button", name="Forget for good").click()
    expect(forget).to_have_count(0)
    expect(summary).to_be_focused()
    assert made["id"] not in [one["id"] for one in page.request.get("/api/v1/sources/removed").json()["items"]]
