"""The sample site over HTTP: markup, images, conditional and partial requests, the kept port, changes while it runs."""

import asyncio
import hashlib
import io
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from orihon.samplesite import BadFolder, Catalogue, PortTaken, SampleSite, kept_port
from orihon.samplesite.drawing import draw
from orihon.samplesite.paper import sheet

pytestmark = pytest.mark.anyio


@pytest.fixture
async def web() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def _page(web: aiohttp.ClientSession, url: str) -> LexborHTMLParser:
    async with web.get(url) as response:
        assert response.status == 200
        return LexborHTMLParser(await response.text())


def _texts(page: LexborHTMLParser, selector: str) -> list[str]:
    return [node.text(strip=True) for node in page.css(selector)]


async def test_the_listing_leads_to_every_work_and_says_where_it_ends(
    tmp_path: Path, web: aiohttp.ClientSession
) -> None:
    async with SampleSite(tmp_path) as site:
        titles, url = [], "/works/"
        while url:
            page = await _page(web, site.origin + url)
            assert page.css_first("a#logo") is not None
            assert _texts(page, ".pagination .last") == ["3"]
            titles += _texts(page, "ul.works li.work-item a.title")
            older = page.css_first(".pagination a[rel=next]")
            url = str(older.attributes["href"]) if older is not None else ""
        assert titles == [" ".join(work.title.split()) for work in site.catalogue.works]
        assert (await web.get(f"{site.origin}/works/page/4/")).status == 404


async def test_a_title_page_says_everything(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path) as site:
        page = await _page(web, f"{site.origin}/works/fox-rain/")
        assert _texts(page, "article.work h1.title") == ["Fox Rain"]
        assert _texts(page, "ul.alt-titles li") == ["狐の嫁入り", "Kitsune no Yomeiri"]
        assert _texts(page, "ul.authors li") == ["Aoi Tachibana"]
        assert _texts(page, "ul.artists li") == ["Ren Kuroda"]
        assert _texts(page, "ul.genres li") == ["Romance", "Supernatural", "Historical"]
        assert _texts(page, "ul.tags li")[0] == "Foxes (16)"
        assert _texts(page, "dd.status") == ["Completed"]
        assert _texts(page, "dd.direction") == ["Right to left"]
        assert len(page.css("section.description p")) == 3
        rows = page.css("table#chapters tbody tr td.chapter a")
        assert [row.text() for row in rows] == [chapter.label for chapter in site.catalogue.work("fox-rain").chapters]
        assert rows[0].text().startswith("Chapter 11: ")


async def test_absence_is_said_in_the_markup(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    """Ruling 14: an end or an emptiness that is not stated proves nothing."""
    async with SampleSite(tmp_path, catalogue=Catalogue([])) as site:
        page = await _page(web, site.url)
        assert page.css_first("p.no-works") is not None
        assert _texts(page, ".pagination .last") == ["1"]
    async with SampleSite(tmp_path) as site:
        empty = await _page(web, f"{site.origin}/works/harbour-of-masks/")
        assert empty.css_first("p.no-chapters") is not None
        bare = await _page(web, f"{site.origin}/works/postcards-from-planet-nowhere/")
        assert bare.css_first("img.cover") is None


async def test_a_reader_page_holds_the_images_that_the_manifest_lists(
    tmp_path: Path, web: aiohttp.ClientSession
) -> None:
    async with SampleSite(tmp_path, works=2, chapters=2, pages=3) as site:
        manifest = await (await web.get(f"{site.origin}/manifest.json")).json()
        assert len(manifest["works"]) == 2
        for work in manifest["works"]:
            for chapter in work["chapters"]:
                page = await _page(web, site.origin + chapter["url"])
                assert _texts(page, "p.page-count") == ["3 pages"]
                images = page.css("a#pic_container img:not(.loading)")
                assert [image.attributes["id"] for image in images] == ["page1", "page2", "page3"]
                assert [image.attributes["src"] for image in images] == [one["url"] for one in chapter["pages"]]
            for listed in (work["cover"], work["chapters"][0]["pages"][0]):
                body = await (await web.get(site.origin + listed["url"])).read()
                assert hashlib.sha256(body).hexdigest() == listed["sha256"]
                assert len(body) == listed["size"]
                assert Image.open(io.BytesIO(body)).size == (listed["width"], listed["height"])


async def test_a_manifest_without_hashes_draws_nothing(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path) as site:
        manifest = await (await web.get(f"{site.origin}/manifest.json?hashes=0")).json()
        pages = [page for work in manifest["works"] for chapter in work["chapters"] for page in chapter["pages"]]
        assert len(pages) >= 3000
        assert not any("sha256" in page for page in pages)
        one = await (await web.get(f"{site.origin}/manifest.json?hashes=0&work=fox-rain")).json()
        assert [work["slug"] for work in one["works"]] == ["fox-rain"]
    assert not list((tmp_path / "cache").rglob("*.jpg"))


async def test_an_image_is_drawn_once_for_many_and_never_again(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        url = await _first_image(web, site)
        bodies = await asyncio.gather(*[_body(web, url) for _ in range(6)])
        assert len(set(bodies)) == 1
        kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
        assert [path.read_bytes() for path in kept] == [bodies[0]]
        changed = kept[0].stat().st_mtime_ns
    async with SampleSite(tmp_path, works=1) as site:
        assert await _body(web, url) == bodies[0]
        assert kept[0].stat().st_mtime_ns == changed


async def test_what_a_power_cut_emptied_is_drawn_again(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        url = await _first_image(web, site)
        body = await _body(web, url)
        (kept,) = [path for path in (tmp_path / "cache").rglob("*.jpg") if path.is_file()]
        kept.write_bytes(b"")
        assert await _body(web, url) == body


async def test_conditional_requests(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        url = await _first_image(web, site)
        async with web.get(url) as response:
            etag, modified = response.headers["ETag"], response.headers["Last-Modified"]
            assert response.headers["Accept-Ranges"] == "bytes"
            assert response.headers["Content-Length"] == str(len(await response.read()))
        for headers, status in (
            ({"If-None-Match": etag}, 304),
            ({"If-None-Match": f'"other", W/{etag}'}, 304),
            ({"If-None-Match": '"other"', "If-Modified-Since": modified}, 200),
            ({"If-Modified-Since": modified}, 304),
            ({"If-Modified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"}, 200),
        ):
            async with web.get(url, headers=headers) as response:
                assert response.status == status, headers
                assert bool(await response.read()) == (status == 200)
                assert response.headers["ETag"] == etag
        async with web.head(url) as response:
            assert int(response.headers["Content-Length"]) > 0


@pytest.mark.parametrize(
    ("asked", "start", "end"),
    [
        ("bytes=0-99", 0, 100),
        ("bytes=100-", 100, None),
        ("bytes=-50", -50, None),
        ("bytes=5-5", 5, 6),
        ("bytes=0-99999999", 0, None),
        ("bytes=-99999999", 0, None),
    ],
)
async def test_a_part_of_an_image(
    tmp_path: Path, web: aiohttp.ClientSession, asked: str, start: int, end: int | None
) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        url = await _first_image(web, site)
        whole = await _body(web, url)
        async with web.get(url, headers={"Range": asked}) as response:
            part = await response.read()
            assert response.status == 206
            assert part == whole[start:end]
            first = start % len(whole) if start < 0 else start
            assert response.headers["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(whole)}"


async def test_ranges_that_get_something_else(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        url = await _first_image(web, site)
        async with web.get(url) as response:
            etag, modified = response.headers["ETag"], response.headers["Last-Modified"]
            size = len(await response.read())
        for headers, status in (
            ({"Range": f"bytes={size}-"}, 416),
            ({"Range": "bytes=-0"}, 416),
            ({"Range": "bytes=9-3"}, 200),
            ({"Range": "lines=1-2"}, 200),
            ({"Range": "bytes=0-1,4-5"}, 200),
            ({"Range": "bytes=0-9", "If-Range": etag}, 206),
            ({"Range": "bytes=0-9", "If-Range": modified}, 206),
            ({"Range": "bytes=0-9", "If-Range": '"of another version"'}, 200),
        ):
            async with web.get(url, headers=headers) as response:
                assert response.status == status, headers
                if status == 416:
                    assert response.headers["Content-Range"] == f"bytes */{size}"


async def test_bytes_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Exactness checks compare bytes: hash seeds, the order of drawing and warm caches must not show."""
    program = (
        "import hashlib, sys\n"
        "from orihon.samplesite import Catalogue\n"
        "from orihon.samplesite.drawing import draw\n"
        "works = Catalogue.sample().works\n"
        "images = [image for work in works[:12] if work.chapters\n"
        "          for image in (work.cover, work.chapters[1].pages[0], work.chapters[-1].pages[2]) if image]\n"
        "order = images if sys.argv[1] == 'on' else images[::-1]\n"
        "found = {repr(image): hashlib.sha256(draw(image)).hexdigest() for image in order}\n"
        "print(sorted(found.items()))\n"
    )
    runs = [
        await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-c", program, way],
            env={"PYTHONHASHSEED": seed, "PATH": "/usr/bin"},
            cwd=tmp_path,
            capture_output=True,
            check=True,
        )
        for way, seed in (("on", "1"), ("back", "2"))
    ]
    assert runs[0].stdout == runs[1].stdout
    assert len(runs[0].stdout) > 1000


async def test_every_kind_of_image_is_whole_and_drawn_fast_enough_for_a_reader() -> None:
    """At most 20 ms a page on an idle core; a loaded one shows it as a ratio to encoding a picture of that size."""
    works = Catalogue.sample().works
    images = [page for work in works for chapter in work.chapters[2:4] for page in chapter.pages[:3]]
    kinds: dict[str, list[float]] = {}
    for image in images[::2]:
        body = draw(image)
        opened = Image.open(io.BytesIO(body))
        opened.load()
        paper = sheet(image)
        assert (opened.width, opened.height, (opened.format or "").lower()) == (
            paper.width,
            paper.height,
            paper.format,
        )
        assert 8_000 < len(body) < 500_000
        started = time.perf_counter()
        draw(image)
        took = time.perf_counter() - started
        picture = opened.convert("RGB")
        started = time.perf_counter()
        picture.save(io.BytesIO(), "JPEG", quality=80)
        kinds.setdefault(f"{paper.format} {paper.width} px wide", []).append(took / (time.perf_counter() - started))
        print(f"{took * 1000:6.1f} ms {paper.format} {paper.width}x{paper.height}")
    for kind, ratios in kinds.items():
        print(f"{kind}: {statistics.median(ratios):.1f} times the encoding, n={len(ratios)}")
        assert statistics.median(ratios) < 25
    assert {kind.split()[0] for kind in kinds} >= {"jpeg", "png"}


async def test_a_notice_is_a_page_too(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path) as site:
        work = site.catalogue.work("captain-biscuit")
        (notice,) = [chapter for chapter in work.chapters if chapter.number is None]
        page = await _page(web, f"{site.origin}/read/captain-biscuit/{notice.key}/")
        assert _texts(page, "p.page-count") == ["1 page"]
        source = page.css_first("#page1").attributes["src"]
        assert Image.open(io.BytesIO(await _body(web, f"{site.origin}{source}"))).width > 600


async def test_changes_show_at_once(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=3) as site:
        catalogue = site.catalogue
        first, _, last = (work.slug for work in catalogue.works)
        page = await _page(web, f"{site.origin}/works/{first}/")
        cover = str(page.css_first("img.cover").attributes["src"])
        key = catalogue.work(first).chapters[0].key

        catalogue.add_chapter(last, number="9")
        assert _texts(await _page(web, site.url), "a.title")[0] == catalogue.work(last).title

        catalogue.rename(first, "Renamed & <b>bold</b>")
        catalogue.change_cover(first)
        page = await _page(web, f"{site.origin}/works/{first}/")
        assert _texts(page, "h1.title") == ["Renamed & <b>bold</b>"]
        changed = str(page.css_first("img.cover").attributes["src"])
        assert changed != cover
        assert (await web.get(site.origin + cover)).status == 404
        assert (await web.get(site.origin + changed)).status == 200

        reader = await _page(web, f"{site.origin}/read/{first}/{key}/")
        image = f"{site.origin}{reader.css_first('#page1').attributes['src']}"
        drawn = await _body(web, image)
        catalogue.replace_page(first, key, 1, drawn[:500])
        async with web.get(image) as response:
            assert await response.read() == drawn[:500]
            assert "Last-Modified" not in response.headers
        catalogue.mend_page(first, key, 1)
        assert await _body(web, image) == drawn

        catalogue.remove(first)
        assert (await web.get(f"{site.origin}/works/{first}/")).status == 404
        assert (await web.get(image)).status == 404


async def test_errors_are_pages_with_their_status(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        key = site.catalogue.works[0].chapters[0].key
        slug = site.catalogue.works[0].slug
        for path in (
            "/nowhere",
            "/works/none/",
            "/works/page/0/",
            f"/read/{slug}/none/",
            f"/img/{slug}/{key}/099.jpg",
            f"/img/{slug}/{key}/1.jpg",
            f"/img/{slug}/{key}/..%2f..%2fport",
            "/manifest.json?work=none",
        ):
            async with web.get(site.origin + path) as response:
                assert response.status == 404, path
                page = LexborHTMLParser(await response.text())
                assert page.css_first("main.error h1") is not None
                assert page.css_first("a#logo") is not None
        assert (await web.post(site.url)).status == 405


async def test_every_request_is_counted(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        for _ in range(3):
            await web.get(site.url)
        await web.get(f"{site.origin}/works/none/", headers={"Range": "bytes=0-1"})
        assert site.log.count("/works/") == 3
        assert site.log.under("/works/none") == {"/works/none/": 1}
        assert site.log.statuses == {200: 3, 404: 1}
        assert (site.log.latest[-1].status, site.log.latest[-1].range) == (404, "bytes=0-1")
        site.log.clear()
        assert site.log.total == 0


async def test_a_listing_of_100000_titles_answers_at_its_far_end(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    async with SampleSite(tmp_path, titles=100_000, per_page=50) as site:
        page = await _page(web, f"{site.origin}/works/page/2000/")
        assert len(page.css("a.title")) == 50
        assert page.css_first(".pagination a[rel=next]") is None
        title = await _page(web, f"{site.origin}/works/title-099999/")
        assert title.css_first("p.no-chapters") is not None


async def test_the_port_is_kept(tmp_path: Path) -> None:
    async with SampleSite(tmp_path, works=1) as site:
        first = site.url
        assert (tmp_path / "port").read_text().strip() == first.split(":")[2].split("/")[0]
    async with SampleSite(tmp_path, works=1) as site:
        assert site.url == first


async def test_the_port_can_be_known_before_the_site_runs(tmp_path: Path) -> None:
    port = kept_port("127.0.0.1", tmp_path)
    assert kept_port("127.0.0.1", tmp_path) == port
    async with SampleSite(tmp_path, works=1) as site:
        assert site.origin == f"http://127.0.0.1:{port}"


async def test_a_port_in_other_hands_is_said_in_words(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        (tmp_path / "port").write_text(str(port))
        with pytest.raises(PortTaken, match=f"Port {port} .* in use by another program.*delete {tmp_path}/port"):
            async with SampleSite(tmp_path, works=1):
                pass


async def test_the_command_serves_until_it_is_told_to_stop(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    program = (
        "import sys; from pathlib import Path; from orihon.samplesite import serve\n"
        "serve('127.0.0.1', 0, Path(sys.argv[1]), None, lambda url: print(url, flush=True))\n"
    )
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(tmp_path), stdout=asyncio.subprocess.PIPE
    )
    try:
        assert child.stdout is not None
        url = (await asyncio.wait_for(child.stdout.readline(), 30)).decode().strip()
        page = await _page(web, url)
        assert len(page.css("a.title")) == 12
        assert (tmp_path / "samplesite" / "port").is_file()
        child.terminate()
        assert await asyncio.wait_for(child.wait(), 10) == 0
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def test_real_images_are_works_too(tmp_path: Path, web: aiohttp.ClientSession, fixtures: Path) -> None:
    """`--with`: a manga, an album and a webtoon, directions guessed, bytes untouched."""
    comics = fixtures / "comics"
    async with SampleSite(tmp_path, works=1, with_folder=comics) as site:
        assert [(work.title, work.direction) for work in site.catalogue.works[:3]] == [
            ("blanche", "ltr"),
            ("haruko", "rtl"),
            ("webtoon", "vertical"),
        ]
        manifest = await (await web.get(f"{site.origin}/manifest.json")).json()
        for work in manifest["works"][:3]:
            (chapter,) = work["chapters"]
            files = sorted((comics / work["slug"]).iterdir())
            assert [page["sha256"] for page in chapter["pages"]] == [
                hashlib.sha256(file.read_bytes()).hexdigest() for file in files
            ]
            assert await _body(web, site.origin + work["cover"]["url"]) == files[0].read_bytes()


async def test_a_folder_with_chapters_and_a_work_toml(tmp_path: Path, web: aiohttp.ClientSession) -> None:
    shelf = tmp_path / "shelf"
    outside = _image(tmp_path / "outside.png")
    for name in ("Vol 2/b.png", "Vol 10/a.png", "Vol 2/notes.txt", "Vol 2/2.jpg"):
        path = shelf / "My Työ" / name
        if path.suffix == ".txt":
            path.write_text("<html>")
        else:
            _image(path)
    (shelf / "My Työ" / "Vol 2" / "link.png").symlink_to(outside)
    (shelf / "My Työ" / "Vol 2" / "fake.jpg").write_text("no image")
    (shelf / "My Työ" / "work.toml").write_text('title = "Työ"\ndirection = "rtl"\nauthor = "A. Person"\n')
    (shelf / "empty").mkdir()
    async with SampleSite(tmp_path / "data", works=1, with_folder=shelf) as site:
        assert len(site.catalogue) == 2
        work = site.catalogue.works[0]
        assert (work.title, work.direction, work.authors) == ("Työ", "rtl", ("A. Person",))
        assert [chapter.label for chapter in work.chapters] == ["Chapter 2: Vol 10", "Chapter 1: Vol 2"]
        assert len(work.chapters[1].pages) == 2
        page = await _page(web, f"{site.origin}/works/{work.slug}/")
        assert page.css_first("img.cover") is not None


@pytest.mark.parametrize("text", ['direction = "up"', "colour = 3", "title ="])
async def test_a_bad_work_toml_is_named(tmp_path: Path, text: str) -> None:
    _image(tmp_path / "shelf" / "one" / "1.png")
    (tmp_path / "shelf" / "one" / "work.toml").write_text(text)
    with pytest.raises(BadFolder, match=r"one/work\.toml"):
        SampleSite(tmp_path / "data", with_folder=tmp_path / "shelf")


async def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFolder, match="nowhere is not a folder"):
        SampleSite(tmp_path, with_folder=tmp_path / "nowhere")


def _image(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (30, 40), "red").save(path, "PNG" if path.suffix == ".png" else "JPEG")
    return path


async def _first_image(web: aiohttp.ClientSession, site: SampleSite) -> str:
    work = site.catalogue.works[0]
    page = await _page(web, f"{site.origin}/read/{work.slug}/{work.chapters[0].key}/")
    return f"{site.origin}{page.css_first('#page1').attributes['src']}"


async def _body(web: aiohttp.ClientSession, url: str) -> bytes:
    async with web.get(url) as response:
        assert response.status == 200
        return await response.read()
