"""Recorded pages and what an adapter must make of them: `tests/fixtures/sites/<profile>/<case>.html` and `.json`.

A folder with a `profile.toml` is read with it, any other with the built-in profile of its name.
"""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from orihon.sources import adapter as errors
from orihon.sources.adapter import Adapter, Document
from orihon.sources.records import ChapterRef, TitleRef
from orihon.sources.registry import open_adapter

pytestmark = pytest.mark.anyio

SITES = Path(__file__).parents[1] / "fixtures" / "sites"
CASES = sorted(SITES.glob("*/*.json"))


class Recorded:
    """One page, at one address."""

    def __init__(self, url: str, body: bytes) -> None:
        self.url, self.body = url, body
        self.asked: list[str] = []

    async def get(self, url: str, *, referer: str | None = None) -> Document:
        self.asked.append(url)
        return Document(url=url, status=200, content_type="text/html", body=self.body)


def site(folder: Path) -> Adapter:
    own = folder / "profile.toml"
    settings = {"profile_toml": own.read_text()} if own.exists() else {"profile": folder.name}
    return open_adapter("html", "https://target.example/directory/1/", settings)


async def read(adapter: Adapter, fetcher: Recorded, case: dict[str, Any]) -> Any:
    match case["page"]:
        case "listing":
            return await adapter.listing(fetcher, case.get("cursor", adapter.start()))
        case "title":
            return await adapter.title(fetcher, msgspec.convert(case["ref"], TitleRef))
        case _:
            return await adapter.pages(fetcher, msgspec.convert(case["chapter"], ChapterRef))


@pytest.mark.parametrize("path", CASES, ids=lambda path: f"{path.parent.name}/{path.stem}")
async def test_recorded_page_reads_as_expected(path: Path) -> None:
    case = json.loads(path.read_text())
    fetcher = Recorded(case["url"], path.with_suffix(".html").read_bytes())
    if "error" in case:
        with pytest.raises(errors.SourceError) as caught:
            await read(site(path.parent), fetcher, case)
        assert type(caught.value).__name__ == case["error"]
        assert case["says"] in str(caught.value)
    else:
        found = msgspec.to_builtins(await read(site(path.parent), fetcher, case))
        expected = case["expect"]
        if isinstance(expected, dict):
            found = {key: found[key] for key in expected}
        # Tuples become lists, as JSON has them.
        assert json.loads(msgspec.json.encode(found)) == expected
    # TA-12: one document, asked for once, at the address that the case names.
    assert fetcher.asked == [case["url"]]


def test_every_recorded_page_has_an_expectation() -> None:
    assert {path.with_suffix("") for path in SITES.glob("*/*.html")} == {path.with_suffix("") for path in CASES}
