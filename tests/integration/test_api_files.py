"""Bytes over HTTP: public-api-auth sections 7 and 17.5, RFC 9110 for conditions and ranges."""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
import pyvips
from tests.support.web import Browser, Site, own_database, serving

from orihon.db.embedded import EmbeddedPostgres
from orihon.db.pool import Pool
from orihon.library import images
from orihon.media.store import Medium

pytestmark = pytest.mark.anyio


_seeds = itertools.count(1)


def picture(width: int, height: int, ending: str = ".jpg") -> bytes:
    """An image like no other."""
    noise = pyvips.Image.gaussnoise(width, height, seed=next(_seeds), mean=128, sigma=60).cast("uchar")
    return bytes(noise.bandjoin([noise, noise]).copy(interpretation="srgb").write_to_buffer(ending))


def shape(body: bytes) -> tuple[str, int, int]:
    image = pyvips.Image.new_from_buffer(body, "")
    return image.get("vips-loader"), image.width, image.height


@pytest.fixture(scope="module")
async def site(server: EmbeddedPostgres, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Site]:
    async with own_database(server) as (pool, dsn), serving(pool, dsn, tmp_path_factory.mktemp("data")) as running:
        yield running


@pytest.fixture
async def guest(site: Site) -> Browser:
    return site.browser()


def address(medium: Medium) -> str:
    return images.url(medium.sha256, medium.format)


async def test_an_original_arrives_whole_with_headers_that_let_it_be_kept_for_ever(site: Site, guest: Browser) -> None:
    """F1, section 7.4."""
    body = picture(300, 200)
    medium = await site.keep(body)
    answer = await guest.get(address(medium))
    assert (answer.status, answer.body) == (200, body)
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Content-Length"] == str(len(body))
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["ETag"] == f'"{medium.sha256.hex()}"'
    assert answer.headers["Accept-Ranges"] == "bytes"


@pytest.mark.parametrize(
    "body",
    [b"PK\x03\x04 packed", b"<!doctype html><script>alert(1)</script>", b"<svg xmlns='http://www.w3.org/2000/svg'/>"],
    ids=["zip", "html", "svg"],
)
@pytest.mark.parametrize("query", ["", "?w=320"])
async def test_a_file_that_is_no_image_is_for_saving_and_never_a_page(
    site: Site, guest: Browser, body: bytes, query: str
) -> None:
    """Whatever its creator put into it, and whatever is asked for: no browser shows it as a part of this site."""
    medium = await site.keep(body)
    answer = await guest.get(address(medium) + query)
    assert (answer.status, answer.body) == (200, body)
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"] == "attachment"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]
    part = await guest.get(address(medium), headers={"Range": "bytes=0-3"})
    assert (part.status, part.body) == (206, body[:4])
    assert part.headers["Content-Disposition"] == "attachment"


async def test_head_tells_everything_but_the_bytes(site: Site, guest: Browser) -> None:
    body = picture(300, 200)
    medium = await site.keep(body)
    answer = await guest.ask("HEAD", address(medium))
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Length"] == str(len(body))


@pytest.mark.parametrize("held", ['"{0}"', 'W/"{0}"', '"other", "{0}"', "*"])
async def test_what_the_client_holds_is_not_sent_again(site: Site, guest: Browser, held: str) -> None:
    medium = await site.keep(picture(30, 20))
    answer = await guest.get(address(medium), headers={"If-None-Match": held.format(medium.sha256.hex())})
    assert (answer.status, answer.body) == (304, b"")
    assert answer.headers["ETag"] == f'"{medium.sha256.hex()}"'
    assert "immutable" in answer.headers["Cache-Control"]


async def test_another_version_that_the_client_holds_is_of_no_use(site: Site, guest: Browser) -> None:
    medium = await site.keep(picture(30, 20))
    assert (await guest.get(address(medium), headers={"If-None-Match": '"00"'})).status == 200


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-99", 0, 99), ("bytes=100-", 100, None), ("bytes=-100", -100, None), ("bytes=0-99999999", 0, None)],
)
async def test_a_range_is_sent_as_a_part(site: Site, guest: Browser, asked: str, first: int, last: int | None) -> None:
    body = picture(300, 200)
    medium = await site.keep(body)
    answer = await guest.get(address(medium), headers={"Range": asked})
    start = first % len(body)
    end = len(body) - 1 if last is None else last
    assert answer.status == 206
    assert answer.body == body[start : end + 1]
    assert answer.headers["Content-Range"] == f"bytes {start}-{end}/{len(body)}"
    assert answer.headers["Content-Length"] == str(end - start + 1)


async def test_a_range_of_several_pieces_is_whole(site: Site, guest: Browser) -> None:
    """More than one MiB, so that it is read in pieces."""
    body = picture(1500, 1500, ".png")
    assert len(body) > 3 * 2**20
    medium = await site.keep(body)
    answer = await guest.get(address(medium), headers={"Range": "bytes=5-"})
    assert answer.status == 206
    assert answer.body == body[5:]


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,5-6", "bytes=9-3", "bytes=a-b", "lines=1-2", "bytes=-", "bytes=" + "9" * 40 + "-"]
)
async def test_what_is_no_single_range_gets_the_whole(site: Site, guest: Browser, asked: str) -> None:
    body = picture(30, 20)
    medium = await site.keep(body)
    answer = await guest.get(address(medium), headers={"Range": asked})
    assert (answer.status, answer.body) == (200, body)


@pytest.mark.parametrize("asked", ["bytes=99999999-", "bytes=-0"])
async def test_a_range_beyond_the_end_cannot_be_had(site: Site, guest: Browser, asked: str) -> None:
    body = picture(30, 20)
    medium = await site.keep(body)
    answer = await guest.get(address(medium), headers={"Range": asked})
    assert answer.status == 416
    assert answer.headers["Content-Range"] == f"bytes */{len(body)}"


async def test_a_range_of_another_version_gets_the_whole(site: Site, guest: Browser) -> None:
    body = picture(30, 20)
    medium = await site.keep(body)
    answer = await guest.get(address(medium), headers={"Range": "bytes=0-9", "If-Range": '"00"'})
    assert (answer.status, answer.body) == (200, body)
    same = f'"{medium.sha256.hex()}"'
    assert (await guest.get(address(medium), headers={"Range": "bytes=0-9", "If-Range": same})).status == 206


@pytest.mark.parametrize("width", ["", "abc", "0", "-1", "4294967296", "1_60", "%EF%BC%91%EF%BC%96"])
async def test_a_width_that_is_none_gets_the_original(site: Site, guest: Browser, width: str) -> None:
    """F1, F3."""
    body = picture(300, 200)
    medium = await site.keep(body)
    answer = await guest.get(f"{site.origin}{address(medium)}?w={width}")
    assert (answer.status, answer.body) == (200, body)


@pytest.mark.parametrize(("asked", "got"), [("1", 160), ("160", 160), ("161", 320), ("641", 960), ("5000", 960)])
async def test_a_width_is_snapped_up(site: Site, guest: Browser, asked: str, got: int) -> None:
    """F2."""
    medium = await site.keep(picture(1200, 300))
    answer = await guest.get(f"{address(medium)}?w={asked}", headers={"Accept": "image/webp"})
    assert shape(answer.body) == ("webpload_buffer", got, got // 4)


async def test_a_thumbnail_is_webp_for_those_who_name_it_and_jpeg_for_others(site: Site, guest: Browser) -> None:
    """F4, F5 with DESIGN ruling 2: by `Accept`, for every still format."""
    medium = await site.keep(picture(400, 200, ".png"))
    webp = await guest.get(f"{address(medium)}?w=320", headers={"Accept": "image/avif,image/webp,*/*"})
    jpeg = await guest.get(f"{address(medium)}?w=320", headers={"Accept": "*/*"})
    assert (webp.headers["Content-Type"], shape(webp.body)[0]) == ("image/webp", "webpload_buffer")
    assert (jpeg.headers["Content-Type"], shape(jpeg.body)[0]) == ("image/jpeg", "jpegload_buffer")
    assert webp.headers["Vary"] == jpeg.headers["Vary"] == "Accept"
    assert webp.headers["ETag"] != jpeg.headers["ETag"]
    assert webp.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    again = await guest.get(
        f"{address(medium)}?w=320", headers={"Accept": "image/webp", "If-None-Match": webp.headers["ETag"]}
    )
    assert again.status == 304


async def test_a_small_image_is_never_made_larger(site: Site, guest: Browser) -> None:
    """F9."""
    medium = await site.keep(picture(30, 30))
    assert shape((await guest.get(f"{address(medium)}?w=320")).body)[1:] == (30, 30)


async def test_what_cannot_be_decoded_is_served_as_it_is_and_not_kept(site: Site, guest: Browser) -> None:
    """F10."""
    whole = picture(400, 200, ".png")
    half = len(whole) // 2
    body = whole[:half] + bytes(200) + whole[half + 200 :]
    medium = await site.keep(body)
    answer = await guest.get(f"{address(medium)}?w=320")
    assert (answer.status, answer.body) == (200, body)
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Vary"] == "Accept"


async def test_a_thumbnail_that_was_cleared_away_is_made_again(site: Site, guest: Browser) -> None:
    medium = await site.keep(picture(400, 200))
    first = await guest.get(f"{address(medium)}?w=160")
    for path in (site.services.storage.root / "cache").rglob(f"{medium.sha256.hex()}/*.jpg"):
        path.unlink()
    again = await guest.get(f"{address(medium)}?w=160")
    assert (again.status, shape(again.body)) == (200, shape(first.body))


@pytest.mark.parametrize(
    "name",
    [
        "00" * 32 + ".jpg",
        "x.jpg",
        "",
        quote("../../supervisor.lock", safe=""),
        "../../../etc/passwd",
        "00" * 32,
        "00" * 32 + ".jpg/x",
    ],
)
@pytest.mark.parametrize("width", ["", "?w=320"])
async def test_an_unknown_name_is_not_found(guest: Browser, name: str, width: str) -> None:
    """F11."""
    answer = await guest.get(f"/api/v1/files/{name}{width}")
    assert answer.status in {200, 404}
    if answer.status == 404:
        assert answer.json["error"]["code"] == "not_found"
    else:
        assert b"<html" in answer.body.lower()


async def test_an_ending_that_is_not_the_format_is_not_found(site: Site, guest: Browser) -> None:
    medium = await site.keep(picture(30, 20))
    assert (await guest.get(address(medium).replace(".jpg", ".png"))).status == 404


async def test_bytes_that_are_gone_are_not_found_even_where_they_were_served_before(site: Site, guest: Browser) -> None:
    medium = await site.keep(picture(30, 20))
    assert (await guest.get(address(medium))).status == 200
    for path in (site.services.storage.root / "media").rglob(f"{medium.sha256.hex()}.jpg"):
        path.unlink()
    assert (await guest.get(address(medium))).status == 404


async def test_files_are_only_read(site: Site, guest: Browser) -> None:
    medium = await site.keep(picture(30, 20))
    answer = await guest.post(address(medium))
    assert answer.status == 405
    assert answer.headers["Allow"] == "GET, HEAD"


async def test_a_file_that_was_served_costs_no_query(site: Site, guest: Browser) -> None:
    """Section 8 of the design: no query on the hot path."""
    medium = await site.keep(picture(400, 200))
    path = address(medium)
    for width in ("", "?w=160"):
        await guest.get(path + width)
    await site.pool.execute("DELETE FROM media WHERE id = $1", medium.id)
    for width in ("", "?w=160"):
        assert (await guest.get(path + width)).status == 200


async def test_private_files_are_for_those_who_signed_in_and_for_no_shared_cache(
    pool: Pool, dsn: str, tmp_path: Path
) -> None:
    """G4, G6."""
    async with serving(pool, dsn, tmp_path, private_mode=True) as site:
        medium = await site.keep(picture(400, 200))
        guest, reader = site.browser(), await site.person("reader")
        for width in ("", "?w=160"):
            refused = await guest.get(address(medium) + width)
            assert (refused.status, refused.json["error"]["code"]) == (401, "unauthenticated")
            told = await reader.get(address(medium) + width)
            assert told.status == 200
            assert told.headers["Cache-Control"] == "private, max-age=31536000, immutable"
