"""What a site profile may say, and what a wrong one is told."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from orihon.sources.adapter import BadSettings, UnknownAdapter
from orihon.sources.html import loading, reference
from orihon.sources.html.adapter import HtmlKind
from orihon.sources.registry import kinds, open_adapter

URL = "https://site.example/list/1/"
SMALLEST = """
[detect]
layout = "#logo"
[listing]
rows = "li a"
[title.chapters]
rows = "td a"
[reader]
images = "main img"
"""
DOCUMENT = Path(__file__).parents[2] / "docs" / "site-profiles.md"


def changed(table: str, **keys: Any) -> dict[str, Any]:
    """The smallest profile with keys added to one of its tables."""
    profile = tomllib.loads(SMALLEST)
    place = profile
    for name in filter(None, table.split(".")):
        place = place.setdefault(name, {})
    place.update(keys)
    return profile


def test_registry_knows_its_kinds_by_unique_names() -> None:
    names = [kind.name for kind in kinds()]
    assert "html" in names
    assert len(set(names)) == len(names)
    assert all(kind.about and kind.offers and kind.settings for kind in kinds())


def test_unknown_adapter_is_told_which_exist() -> None:
    with pytest.raises(UnknownAdapter, match=r"no adapter `htlm`.*`html`"):
        open_adapter("htlm", URL, {})


@pytest.mark.parametrize("preset", HtmlKind().presets(), ids=lambda preset: preset.name)
def test_every_built_in_profile_opens_and_says_what_it_is_for(preset: Any) -> None:
    assert open_adapter("html", URL, preset.settings).start() == {"page": 1}
    assert preset.about


def test_smallest_profile_opens_as_text_and_as_an_object() -> None:
    open_adapter("html", URL, {"profile_toml": SMALLEST})
    open_adapter("html", URL, {"profile": tomllib.loads(SMALLEST)})


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, "needs either `profile`.*`sample`.*`target`.*or `profile_toml`"),
        ({"profile": "target", "profile_toml": SMALLEST}, "needs either"),
        ({"profile": "targte"}, r"no built-in site profile `targte` \(did you mean `target`\?\)"),
        ({"profile": "../../secret"}, "no built-in site profile"),
        ({"profile": "nowhere"}, r"`sample` \(Sample site\), `target` \(Classic catalogue\)"),
        ({"profiel": "target"}, r"`profiel` in the settings .*did you mean `profile`"),
        ({"profile": 3}, "`profile`"),
        ({"profile_toml": "[detect]\nlayout = x"}, "is not TOML: .*line 2"),
        ({"profile_toml": "a = " + "[" * 30_000}, "nested deeper|not TOML"),
        ({"profile_toml": "#" * 70_000}, "at most 65,536"),
        ({"profile": {}}, "the key is missing: `detect`"),
        (
            {"profile": changed("reader", imges="img")},
            r"`imges` in \[reader\].*did you mean `images`.*there are `images`",
        ),
        ({"profile": changed("", listng={})}, r"`listng` in the site profile.*did you mean `listing`"),
        ({"profile": changed("title.chapters.key", dorp=[])}, r"`dorp` in \[title.chapters.key\].*`drop`"),
        ({"profile": changed("title", tags={"selct": "x"})}, r"`selct` in \[title.tags\].*`select`"),
        ({"profile": changed("reader", a=1, b=2)}, r"Unknown keys: `a` in \[reader\].*`b` in \[reader\]"),
        ({"profile": changed("reader", images="img[[")}, r"`img\[\[` is not a CSS selector.*in `reader.images`"),
        ({"profile": changed("reader", images="")}, "1 to 500 characters, in `reader.images`"),
        ({"profile": changed("reader", images=["img"])}, "Expected `str`, got `list`, in `reader.images`"),
        ({"profile": changed("reader", attr="src")}, "Expected `array`, got `str`, in `reader.attr`"),
        ({"profile": changed("reader", attr=[])}, "`attr` needs at least one"),
        ({"profile": changed("reader", number="page{page}")}, r"`number` needs \{digits\}"),
        ({"profile": changed("reader", number="page{digit}")}, r"`\{digit\}` is no placeholder.*in `reader.number`"),
        ({"profile": changed("title.chapters", number=["Ch."])}, r"needs \{number\}"),
        ({"profile": changed("title", authors={"attr": ["title"]})}, "`authors` needs the key `select`, in `title`"),
        (
            {"profile": changed("title", status={"select": "b", "words": {"Done": "finished"}})},
            "'finished'.*title.status",
        ),
        ({"profile": changed("detect", login_needed=["reeder"])}, "'reeder', in `detect.login_needed"),
        ({"profile": changed("listing", paging={"link": "a"})}, "the key is missing: `pager`, in `listing.paging`"),
        ({"profile": changed("listing", paging={"pager": "nav"})}, "needs the selector `link`, in `listing.paging`"),
        ({"profile": changed("listing", paging={"pager": "nav", "by": "query"})}, "needs the name of the parameter"),
        (
            {"profile": changed("listing", paging={"pager": "nav", "by": "path", "says": "{page}"})},
            r"`says` needs \{last\}",
        ),
        (
            {"profile": changed("listing", paging={"pager": "nav", "by": "path", "says": "{last}", "end": "b"})},
            "two kinds of evidence",
        ),
        ({"profile": changed("reader", paging={"pager": "nav", "by": "path"})}, "only go on by a link"),
    ],
)
def test_wrong_settings_are_told_what_and_where(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(BadSettings, match=f"(?s){told}"):
        open_adapter("html", URL, settings)


@pytest.mark.parametrize("url", ["", "site.example", "ftp://site.example/", "javascript:alert(1)", "http://"])
def test_address_of_a_source_is_a_whole_http_address(url: str) -> None:
    with pytest.raises(BadSettings, match="whole http or https address"):
        open_adapter("html", url, {"profile_toml": SMALLEST})


def test_paging_by_path_needs_a_number_in_the_address() -> None:
    """crawler-support 19.1: what the specs leave open is refused when the source is made."""
    with pytest.raises(BadSettings, match="no numeric segment"):
        open_adapter("html", "https://target.example/directory/", {"profile": "target"})


def test_reference_of_the_documentation_is_made_from_the_declarations() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert text == reference.written(text), "run: python -m orihon.sources.html.reference docs/site-profiles.md"


def test_built_in_profiles_are_named_and_explained_in_plain_words() -> None:
    """They are read in a form, where nobody knows what a backtick is."""
    presets = [preset for kind in kinds() for preset in kind.presets()]
    assert {preset.name for preset in presets} == {"sample", "target"}
    for preset in presets:
        assert preset.title not in {"", preset.name}
        assert preset.about.endswith(".")
        assert "`" not in preset.title + preset.about


def test_every_key_has_a_meaning() -> None:
    rows = [row for row in reference.markdown().splitlines() if row.startswith("| `")]
    assert len(rows) > 50
    assert all(row.split(" | ")[-1].strip(" |") for row in rows)


@pytest.mark.parametrize("kind", ["The least", "A whole profile"])
def test_examples_of_the_documentation_are_profiles(kind: str) -> None:
    examples = DOCUMENT.read_text(encoding="utf-8").split(f"```toml\n# {kind}")[1:]
    assert examples
    for example in examples:
        loading.from_toml(example.partition("```")[0])
