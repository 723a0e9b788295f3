"""What a file is by its first bytes, and what a client may be sent."""

import pytest

from orihon.media.sniff import name, sniff
from orihon.media.thumbnails import height_at, negotiate, snap


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        pytest.param(b"\xff\xd8\xff\xe0\x00\x10JFIF", "jpeg", id="jpeg"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "png", id="png"),
        pytest.param(b"GIF89a\x01\x00\x01\x00", "gif", id="gif"),
        pytest.param(b"RIFF\x24\x00\x00\x00WEBPVP8 ", "webp", id="webp"),
        pytest.param(b"\x00\x00\x00\x1cftypavif\x00\x00\x00\x00avifmif1miaf", "avif", id="avif"),
        pytest.param(b"\x00\x00\x00\x1cftypmif1\x00\x00\x00\x00mif1avifmiaf", "avif", id="avif by a compatible brand"),
        pytest.param(b"<!DOCTYPE html><html>", None, id="CP-5 HTML"),
        pytest.param(b"<svg xmlns='http://www.w3.org/2000/svg'>", None, id="CP-5 SVG"),
        pytest.param(b"", None, id="zero bytes"),
        pytest.param(b"\xff\xd8", None, id="two bytes of a JPEG"),
        pytest.param(b"RIFF\x24\x00\x00\x00WAVEfmt ", None, id="a sound"),
    ],
)
def test_only_accepted_formats_are_images(prefix: bytes, found: str | None) -> None:
    assert sniff(prefix) == found


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        (b"", "nothing"),
        (b"\xef\xbb\xbf\n <!doctype HTML>", "web page"),
        (b"<?xml version='1.0'?><svg>", "SVG"),
        (b'{"error": "login"}', "JSON"),
        (b"%PDF-1.7", "PDF"),
        (b"PK\x03\x04", "ZIP"),
        (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic", "HEIC"),
        (b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00isommp42", "video"),
        (b"\xff\x0a\x00", "JPEG XL"),
        (b"\x00" * 64, "zeros"),
        (b"Forbidden\nGo away", "text"),
        (b"\x01\x02\x03\xfe\xff\xfa", "unknown"),
    ],
)
def test_what_is_no_image_is_named(prefix: bytes, words: str) -> None:
    assert words in name(prefix)


@pytest.mark.parametrize(
    ("asked", "width"),
    [
        (None, None), ("", None), ("0", None), ("-5", None), ("abc", None), ("1e3", None), ("99999999999", None),
        ("4294967296", None), ("٣", None), ("1", 160), ("160", 160), ("161", 320), (" 300 ", 320), ("961", 960),
        ("4294967295", 960),
    ],
)  # fmt: skip
def test_widths_snap_up_and_junk_means_the_original(asked: str | None, width: int | None) -> None:
    """public-api-auth 7.2."""
    assert snap(asked) == width


@pytest.mark.parametrize(
    ("accept", "output"),
    [
        ("image/avif,image/webp,image/apng,*/*;q=0.8", "webp"),
        ("image/webp;q=0.5, image/jpeg", "jpeg"),
        ("image/webp;q=0.5, image/jpeg;q=0.4", "webp"),
        ("image/webp;q=0.8, */*;q=0.9, image/jpeg;q=0.1", "webp"),
        ("image/webp, image/jpeg", "webp"),
        ("image/webp;q=0", "jpeg"),
        ("image/webp; q=0.0, */*", "jpeg"),
        ("*/*", "jpeg"),
        ("image/*", "jpeg"),
        ("", "jpeg"),
        ("IMAGE/WEBP", "webp"),
        ("image/webp;q=x", "webp"),
    ],
)
def test_webp_goes_only_to_those_that_ask_for_it(accept: str, output: str) -> None:
    assert negotiate(accept) == output


def test_a_thumbnail_is_never_larger_than_its_original() -> None:
    assert height_at(320, (800, 20_000)) == 8000
    assert height_at(960, (640, 480)) == 480
