"""What heads and tails say, byte by byte: images built here, so that every oddity stands alone."""

import struct
import zlib

import pytest

from orihon.media.errors import BadDimensions, BadHeader, TooManyPixels, Truncated
from orihon.media.probe import Header, probe


def segment(marker: int, body: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(body) + 2) + body


def exif(orientation: int, order: str = "<") -> bytes:
    mark = b"II*\x00" if order == "<" else b"MM\x00*"
    return mark + struct.pack(f"{order}IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)


def jpeg(
    width: int = 30, height: int = 20, *, before: bytes = b"", data: bytes = b"\x12\x34" * 50, end: bytes = b"\xff\xd9"
) -> bytes:
    frame = segment(0xC0, struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00")
    return b"\xff\xd8" + before + frame + segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + data + end


def chunk(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width: int = 30, height: int = 20, *, before: bytes = b"", end: bytes = chunk(b"IEND", b"")) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + before + chunk(b"IDAT", b"data" * 20) + end


def gif(*, blocks: bytes, table: int = 0) -> bytes:
    packed = 0x80 | table if table else 0
    return b"GIF89a" + struct.pack("<HHBBB", 30, 20, packed, 0, 0) + bytes(3 << table + 1 if table else 0) + blocks


FRAME = b"\x2c" + struct.pack("<HHHHB", 0, 0, 30, 20, 0) + b"\x02\x03\x3b\x3b\x3b\x00"


def webp(first: bytes, body: bytes, *, told: int | None = None) -> bytes:
    content = b"WEBP" + first + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(content) if told is None else told) + content


def box(name: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body) + 8) + name + body


def avif(*, turns: int = 0, content: bytes = b"frame", after: bytes = b"") -> bytes:
    properties = box(b"ispe", struct.pack(">III", 0, 30, 20)) + box(b"irot", bytes((turns,)))
    return box(b"ftyp", b"avif\x00\x00\x00\x00mif1") + box(b"meta", properties) + box(b"mdat", content) + after


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("order", ["<", ">"])
def test_orientation_decides_what_is_width(orientation: int, order: str) -> None:
    shown = Header(width=30, height=20, orientation=orientation)
    if orientation >= 5:
        shown = Header(width=20, height=30, orientation=orientation)
    tag = exif(orientation, order)
    assert probe(jpeg(before=segment(0xE1, b"Exif\x00\x00" + tag)), "jpeg") == shown
    assert probe(png(before=chunk(b"eXIf", tag)), "png") == shown
    extended = b"\x08\x00\x00\x00" + (29).to_bytes(3, "little") + (19).to_bytes(3, "little")
    body = webp(b"VP8X", extended) + b"EXIF" + struct.pack("<I", len(tag)) + tag
    assert probe(body, "webp") == shown


@pytest.mark.parametrize(("turns", "size"), [(0, (30, 20)), (1, (20, 30)), (2, (30, 20)), (3, (20, 30))])
def test_avif_says_in_quarters_how_it_is_turned(turns: int, size: tuple[int, int]) -> None:
    header = probe(avif(turns=turns), "avif")
    assert (header.width, header.height) == size


@pytest.mark.parametrize("broken", [b"", b"II", exif(9), exif(0), b"II*\x00\xff\xff\xff\xff", exif(6)[:15]])
def test_broken_exif_is_no_reason_to_refuse_a_page(broken: bytes) -> None:
    """Research 3.4 row 39."""
    assert probe(jpeg(before=segment(0xE1, b"Exif\x00\x00" + broken)), "jpeg").orientation == 1


WHOLE = {
    "a JPEG with padding": (jpeg() + bytes(100_000), "jpeg"),
    "a JPEG with a film behind it": (jpeg() + b"ftypmp42" * 50_000, "jpeg"),
    "a JPEG with strays between segments": (jpeg(before=segment(0xE0, b"JFIF") + b"\x00\x00"), "jpeg"),
    "a JPEG with fill bytes": (jpeg(before=b"\xff\xff\xff"), "jpeg"),
    "a PNG with padding": (png() + bytes(100_000), "png"),
    "a GIF": (gif(blocks=FRAME + b";"), "gif"),
    "a GIF with a colour table": (gif(blocks=FRAME + b";", table=3), "gif"),
    "a GIF with a comment and a doubled terminator": (gif(blocks=b"\x21\xfe\x02;;\x00\x00" + FRAME + b";"), "gif"),
    "a GIF with something behind it": (gif(blocks=FRAME + b";") + b"more", "gif"),
    "an AVIF with padding": (avif(after=b"\x00\x01\x02"), "avif"),
    "a WebP with padding": (webp(b"VP8L", b"\x2f\x1d\xc0\x04\x00") + b"\x00", "webp"),
}


@pytest.mark.parametrize(("body", "kind"), WHOLE.values(), ids=WHOLE)
def test_what_follows_the_end_of_a_whole_image_is_no_harm(body: bytes, kind: str) -> None:
    header = probe(body, kind)  # type: ignore[arg-type]  # the table is of plain words
    assert (header.width, header.height) == (30, 20)


CUT = {
    "a JPEG": (jpeg(end=b""), "jpeg"),
    "a JPEG whose preview is whole": (jpeg(before=segment(0xE1, b"preview" + jpeg()), end=b""), "jpeg"),
    "a JPEG in its head": (jpeg()[:12], "jpeg"),
    "a PNG": (png(end=b""), "png"),
    "a PNG in its last chunk": (png()[:-1], "png"),
    "a GIF whose data looks like a trailer": (gif(blocks=FRAME[:-1]), "gif"),
    "a GIF between two frames": (gif(blocks=FRAME), "gif"),
    "a GIF in its colour table": (gif(blocks=b"", table=3)[:20], "gif"),
    "a WebP": (webp(b"VP8L", b"\x2f\x1d\xc0\x04\x00", told=5000), "webp"),
    "a WebP in its head": (webp(b"VP8X", b"\x00" * 5), "webp"),
    "an AVIF": (avif()[:-1], "avif"),
    "an AVIF without its pixels' box": (avif()[:-13] + b"\x00\x00", "avif"),
}


@pytest.mark.parametrize(("body", "kind"), CUT.values(), ids=CUT)
def test_a_cut_image_is_caught(body: bytes, kind: str) -> None:
    """Research 3.2 row 22."""
    with pytest.raises(Truncated):
        probe(body, kind)  # type: ignore[arg-type]  # the table is of plain words


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        pytest.param(jpeg(0, 20), "jpeg", BadDimensions, id="a JPEG without width"),
        pytest.param(png(30, 0), "png", BadDimensions, id="a PNG without height"),
        pytest.param(png(20_000, 15_000), "png", TooManyPixels, id="300 megapixels"),
        pytest.param(png(2**31 - 1, 2**31 - 1), "png", TooManyPixels, id="a bomb"),
        pytest.param(b"\xff\xd8" + segment(0xDA, b"\x01") + b"\xff\xd9", "jpeg", BadHeader, id="a JPEG without frame"),
        pytest.param(jpeg(before=b"\xff\xe0\x00\x00"), "jpeg", BadHeader, id="a segment without length"),
        pytest.param(gif(blocks=b"\x99"), "gif", BadHeader, id="a GIF block of no kind"),
        pytest.param(webp(b"JUNK", b"x" * 20), "webp", BadHeader, id="a WebP of no kind"),
        pytest.param(box(b"ftyp", b"avif" * 4), "avif", BadHeader, id="an AVIF that describes nothing"),
    ],
)
def test_heads_that_make_no_sense_are_refused(body: bytes, kind: str, reason: type[Exception]) -> None:
    with pytest.raises(reason):
        probe(body, kind)  # type: ignore[arg-type]  # the table is of plain words


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        pytest.param(b"\xff\xd8" + segment(0xE0, b"") * 200_000, "jpeg", id="segments without end"),
        pytest.param(b"\xff\xd8" + b"\xff" * 2_000_000, "jpeg", id="fill bytes without end"),
        pytest.param(png()[:33] + chunk(b"tEXt", b"") * 200_000, "png", id="chunks without end"),
        pytest.param(box(b"ftyp", b"avif" * 4) + box(b"free", b"") * 200_000, "avif", id="boxes without end"),
    ],
)
def test_a_hostile_head_costs_a_bounded_number_of_steps(body: bytes, kind: str) -> None:
    reads = 0

    class Counted(bytes):
        def __getitem__(self, key: object) -> object:  # type: ignore[override]  # counts, changes nothing
            nonlocal reads
            reads += 1
            return super().__getitem__(key)  # type: ignore[call-overload]

    with pytest.raises((BadHeader, Truncated)):
        probe(Counted(body), kind)  # type: ignore[arg-type]  # the table is of plain words
    assert reads < 3_000


def test_a_gif_of_countless_tiny_blocks_is_not_walked_to_its_end() -> None:
    reads = 0

    class Counted(bytes):
        def __getitem__(self, key: object) -> object:  # type: ignore[override]  # counts, changes nothing
            nonlocal reads
            reads += 1
            return super().__getitem__(key)  # type: ignore[call-overload]

    body = gif(blocks=FRAME[:11] + b"\x01x" * 500_000 + b"\x00;")
    assert probe(Counted(body), "gif").width == 30
    assert reads < 200_000
