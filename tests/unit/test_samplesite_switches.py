"""Which request gets which fault, and what each fault of a document does; pure."""

import re
from pathlib import Path

import msgspec
import pytest

from orihon.samplesite import Catalogue, html
from orihon.samplesite.faults import FAULTS, Answer, BadRule, Rule, Switches, parse, signing
from orihon.samplesite.faults.answer import kind_of

LISTING, TITLE, READER = "/works/page/2/", "/works/fox-rain/", "/read/fox-rain/abc/"
POSTS, FILE = "/api/creators/wren/posts", "/img/fox-rain/abc/001.jpg"


def _bodies() -> dict[str, bytes]:
    catalogue = Catalogue.small(works=3, chapters=3, pages=4)
    work = catalogue.works[1]
    posts = [
        {"id": f"{n}", "title": "T", "attachments": [{"id": f"a{n}", "url": f"/media/wren/{n}/a{n}/1.jpg"}]}
        for n in range(4)
    ]
    return {
        LISTING: html.listing(catalogue.works, 2, 3).encode(),
        TITLE: html.title(work).encode(),
        READER: html.reader(work, work.chapters[1]).encode(),
        POSTS: msgspec.json.encode({"posts": posts, "next": "b2z"}),
        FILE: b"\xff\xd8" + bytes(98),
    }


BODIES = _bodies()
TYPES = {POSTS: "application/json", FILE: "image/jpeg"}


def given(fault: str, path: str, query: dict[str, str] | None = None, **rule: float) -> tuple[str, str | None]:
    """The body with a fault switched on, and the fault's name if it fits there."""
    switches = Switches(lambda: 1_000_000.0)
    switches.set(fault, **rule)  # type: ignore[arg-type]  # numbers alone
    healthy = Answer(status=200, body=BODIES[path], headers={"Content-Type": TYPES.get(path, "text/html")})
    changed, name = switches.apply(path, query or {}, healthy)
    assert (name is None) == (changed is healthy)
    return changed.body.decode(errors="replace"), name


def rows(path: str, body: str) -> list[str]:
    if path == POSTS:
        return [post["id"] for post in msgspec.json.decode(body)["posts"]]
    pattern = {
        LISTING: r'<a class="title" href="(.*?)"',
        TITLE: r'<td class="chapter"><a href="(.*?)"',
        READER: r'<img id="page\d+" src="(.*?)"',
    }[path]
    return re.findall(pattern, body)


DOCUMENTS = (LISTING, TITLE, READER, POSTS)


@pytest.mark.parametrize("path", DOCUMENTS)
@pytest.mark.parametrize(
    ("fault", "left"),
    [
        ("empty_page", lambda rows: []),
        ("rows_missing", lambda rows: []),
        ("vanished_rows", lambda rows: rows[::2]),
        ("changed_order", lambda rows: rows[::-1]),
    ],
    ids=["empty_page", "rows_missing", "vanished_rows", "changed_order"],
)
def test_lists_lose_their_rows_and_nothing_else(path: str, fault: str, left: object) -> None:
    body, name = given(fault, path)
    assert name == fault
    assert callable(left)
    assert rows(path, body) == left(rows(path, BODIES[path].decode()))
    assert path == POSTS or 'id="logo"' in body


def test_an_empty_page_says_that_there_is_nothing_and_a_page_without_rows_does_not() -> None:
    for path, words in ((LISTING, 'p class="no-works"'), (TITLE, 'p class="no-chapters"')):
        assert words in given("empty_page", path)[0]
        assert words not in given("rows_missing", path)[0]
    assert msgspec.json.decode(given("empty_page", POSTS)[0])["next"] is None
    assert msgspec.json.decode(given("rows_missing", POSTS)[0])["next"] == "b2z"


@pytest.mark.parametrize("path", DOCUMENTS)
def test_one_poisoned_item_leaves_the_others(path: str) -> None:
    body, name = given("poisoned_item", path)
    assert name == "poisoned_item"
    if path == POSTS:
        posts = msgspec.json.decode(body)["posts"]
        assert [post["title"] for post in posts] == ["T", "T", None, "T"]
        assert [post["id"] for post in posts] == ["0", "1", "2", "3"]
        return
    before, after = rows(path, BODIES[path].decode()), rows(path, body)
    assert len(before) == len(after)
    assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


def test_a_cursor_is_missing_or_comes_again() -> None:
    assert "pagination" not in given("missing_cursor", LISTING)[0]
    assert "next" not in msgspec.json.decode(given("missing_cursor", POSTS)[0])
    again, _ = given("repeated_cursor", LISTING)
    assert '<b class="current">1</b>' in again
    assert '<a rel="next" href="/works/">' in again
    assert msgspec.json.decode(given("repeated_cursor", POSTS, {"cursor": "b9z"})[0])["next"] == "b9z"
    assert given("repeated_cursor", POSTS)[1] is None, "the first page has no cursor that could come again"


def test_a_field_is_renamed() -> None:
    assert all("attachments" not in post for post in msgspec.json.decode(given("renamed_field", POSTS)[0])["posts"])
    assert 'id="chapters-v2"' in given("renamed_field", TITLE)[0]
    assert 'id="pic_container-v2"' in given("renamed_field", READER)[0]


@pytest.mark.parametrize("path", [READER, POSTS, LISTING])
def test_addresses_expire(path: str) -> None:
    body, _ = given("expired_address", path)
    addresses = re.findall(r'"(/(?:img|media)/[^"]+)"', body.replace("&amp;", "&"))
    assert addresses
    for address in addresses:
        bare, _, query = address.partition("?")
        asked = dict(pair.split("=") for pair in query.split("&"))
        assert asked["expires"] == "999940"
        assert signing.valid(bare, asked, 999_939)
        assert not signing.valid(bare, asked, 1_000_000)
        assert not signing.valid(bare, {**asked, "expires": "2000000"}, 1_000_000), "the signature covers the time"
        assert not signing.valid(f"{bare}x", asked, 999_939)
    assert signing.valid("/img/x/1.jpg", {}, 0)


@pytest.mark.parametrize(
    "fault", ["html_as_image", "placeholder", "placeholder_redirect"], ids=lambda fault: f"{fault}"
)
def test_faults_of_images_leave_documents_alone(fault: str) -> None:
    assert given(fault, FILE)[1] == fault
    for path in DOCUMENTS:
        assert given(fault, path)[1] is None


def test_every_fault_fits_something_and_has_words() -> None:
    for fault, known in FAULTS.items():
        fits = [path for path in (*DOCUMENTS, FILE) if given(fault, path, {"cursor": "b9z"})[1]]
        assert fits or fault == "range_ignored"
        assert known.about


@pytest.mark.parametrize("path", ["/manifest.json", "/faults", "/requests", "/static/site.css", "/login", "/"])
def test_what_the_checks_need_is_never_faulty(path: str) -> None:
    assert kind_of(path) is None


def _switches(seed: int = 0, **rule: object) -> Switches:
    switches = Switches(lambda: 0.0, seed)
    switches.set("server_error", **rule)  # type: ignore[arg-type]  # what each test says
    return switches


def _fails(switches: Switches, path: str = FILE, query: dict[str, str] | None = None) -> bool:
    return switches.apply(path, query or {}, Answer(status=200, body=b"x"))[1] is not None


def test_a_rate_is_kept_and_its_seed_decides_where() -> None:
    paths = [f"/img/a/b/{n}.jpg" for n in range(2000)]
    first = [_fails(switches, path) for switches in [_switches(1, rate=0.05)] for path in paths]
    assert 70 < sum(first) < 130
    again = _switches(1, rate=0.05)
    assert [_fails(again, path) for path in reversed(paths)][::-1] == first, "the order of requests changes nothing"
    other = _switches(2, rate=0.05)
    assert [_fails(other, path) for path in paths] != first


def test_the_first_ones_at_each_place() -> None:
    switches = _switches(each=2)
    assert [_fails(switches) for _ in range(4)] == [True, True, False, False]
    assert _fails(switches, "/img/another.jpg")
    pages = [{"cursor": cursor} for cursor in ("b1z", "b2z")]
    assert [_fails(switches, POSTS, page) for page in pages * 3] == [True, True, True, True, False, False]


def test_so_many_in_all() -> None:
    switches = _switches(times=3)
    assert sum(_fails(switches, f"/img/{n}.jpg") for n in range(10)) == 3
    assert [times for _, times in switches.given()] == [3]


def test_a_rule_holds_where_its_glob_matches() -> None:
    switches = _switches(path="/img/a/*/001.*")
    assert _fails(switches, "/img/a/b/001.jpg")
    assert not _fails(switches, "/img/a/b/002.jpg")
    one_page = _switches(path="/api/creators/*/posts?cursor=b1z")
    assert _fails(one_page, POSTS, {"cursor": "b1z"})
    assert not _fails(one_page, POSTS, {"cursor": "b2z"})


def test_the_first_rule_that_fits_is_given_and_no_second() -> None:
    switches = Switches(lambda: 0.0)
    switches.set("html_as_image")
    switches.set("server_error", each=1)
    assert switches.apply(TITLE, {}, Answer(status=200, body=b"x"))[1] == "server_error"
    assert switches.apply(FILE, {}, Answer(status=200, body=b"x"))[1] == "html_as_image"
    assert switches.apply(TITLE, {}, Answer(status=404, body=b"x"))[1] is None, "an error is an error already"


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"fault": "cut_bdy"}, "Did you mean cut_body?"),
        ({"fault": "cut_body", "rate": 1.5}, "rate"),
        ({"fault": "cut_body", "each": 0}, "each"),
    ],
)
def test_a_rule_that_means_nothing_is_refused(rule: dict[str, object], words: str) -> None:
    switches = _switches()
    with pytest.raises(BadRule, match=re.escape(words)):
        switches.set(**rule)  # type: ignore[arg-type]  # wrong on purpose
    assert len(switches.given()) == 1


def test_the_documentation_lists_every_fault() -> None:
    text = (Path(__file__).parents[2] / "docs" / "sample-site.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `([a-z_]+)` \| (.*) \|$", text.partition("| Fault |")[2], re.MULTILINE)
    assert dict(listed) == {name: fault.about for name, fault in FAULTS.items()}


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("server_error=0.05", Rule(fault="server_error", rate=0.05)),
        ("cut_body=1", Rule(fault="cut_body")),
        ("cut_body", Rule(fault="cut_body")),
    ],
)
def test_a_command_line_names_a_fault_and_its_rate(text: str, rule: Rule) -> None:
    assert parse(text) == rule


@pytest.mark.parametrize("text", ["", "=1", "nonsense=0.1", "cut_body=", "cut_body=many", "cut_body=2", "cut_body=nan"])
def test_a_command_line_that_names_no_fault_or_no_rate_is_refused_in_words(text: str) -> None:
    with pytest.raises(BadRule, match=r"fault|means nothing"):
        parse(text)
