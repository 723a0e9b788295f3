"""What an image's head and tail say: size, orientation, and whether the end is there.

Reads a staged file with a bounded number of small reads, whatever the file claims about itself; nothing is unpacked.
Damage in between is found by the full decode afterwards (`ingest.checking`).
"""

import struct
from collections.abc import Callable
from typing import BinaryIO

import msgspec

from orihon.media.errors import BadDimensions, BadHeader, TooManyPixels, Truncated
from orihon.media.sniff import Format

MOST_PIXELS = 250_000_000
"""A tall webtoon strip has 20 million; nothing that is read has more than this."""

_TAIL = 64 * 1024
_PARTS = 400
"""Segments, chunks or boxes that a head may have before it is taken for an attack."""
_META = 1024 * 1024

_SIDEWAYS = (5, 6, 7, 8)


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """Pixels as shown (orientation applied) and the EXIF orientation that got them there (1: none)."""

    width: int
    height: int
    orientation: int = 1


class _Raw(msgspec.Struct, frozen=True, kw_only=True):
    width: int
    height: int
    orientation: int = 1
    body: int = 0
    """Where the head ends; an end marker before it is not the picture's."""


def probe(file: BinaryIO, size: int, kind: Format, *, most_pixels: int = MOST_PIXELS) -> Header:
    """Read the head and look for the end of an image of a known format.

    Raises:
        BadHeader, BadDimensions, TooManyPixels: the head is broken or hostile.
        Truncated: the end is missing.
    """
    try:
        raw = _READERS[kind](file, size)
    except (struct.error, IndexError) as error:
        raise Truncated("the head is incomplete") from error
    if raw.width < 1 or raw.height < 1:
        raise BadDimensions(raw.width, raw.height)
    if raw.width * raw.height > most_pixels:
        raise TooManyPixels(raw.width, raw.height, most_pixels)
    if not _ENDS[kind](_tail(file, size), size - raw.body):
        raise Truncated("its end is missing")
    width, height = (raw.height, raw.width) if raw.orientation in _SIDEWAYS else (raw.width, raw.height)
    return Header(width=width, height=height, orientation=raw.orientation)


def _at(file: BinaryIO, offset: int, count: int) -> bytes:
    file.seek(offset)
    return file.read(count)


def _tail(file: BinaryIO, size: int) -> bytes:
    start = max(0, size - _TAIL)
    return _at(file, start, size - start)


# --- JPEG (ITU-T T.81 annex B) ---------------------------------------------------------------------------------------

_SOF = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset((0x01, *range(0xD0, 0xD8)))


def _jpeg(file: BinaryIO, _: int) -> _Raw:
    offset, found, orientation = 2, None, 1
    for _part in range(_PARTS):
        head = _at(file, offset, 4)
        if len(head) < 2:
            raise Truncated("the head is incomplete")
        marker = head[1]
        if head[0] != 0xFF:
            raise BadHeader("a segment does not begin where it should")
        if marker == 0xFF or marker in _BARE:
            offset += 1 if marker == 0xFF else 2
            continue
        if marker == 0xDA:
            break
        (length,) = struct.unpack(">H", head[2:4])
        if length < 2:
            raise BadHeader("a segment without length")
        if marker in _SOF:
            height, width = struct.unpack(">HH", _at(file, offset + 5, 4))
            found = (width, height)
        elif marker == 0xE1:
            body = _at(file, offset + 4, length - 2)
            if body.startswith(b"Exif\x00\x00"):
                orientation = exif_orientation(body[6:])
        offset += 2 + length
    if found is None:
        raise BadHeader("no frame")
    return _Raw(width=found[0], height=found[1], orientation=orientation, body=offset)


def exif_orientation(tiff: bytes) -> int:
    """Orientation (1 to 8) of an EXIF block; 1 where it says none or is broken, which is no reason to refuse a page."""
    order = {b"II": "<", b"MM": ">"}.get(tiff[:2])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(f"{order}I", tiff, 4)
        (entries,) = struct.unpack_from(f"{order}H", tiff, start)
        for index in range(min(entries, _PARTS)):
            tag, kind, _, value = struct.unpack_from(f"{order}HHIH", tiff, start + 2 + 12 * index)
            if tag == 0x0112 and kind == 3:
                return value if 1 <= value <= 8 else 1
    except struct.error:
        return 1
    return 1


# --- PNG (ISO/IEC 15948) ---------------------------------------------------------------------------------------------

_IEND = b"\x00\x00\x00\x00IEND\xaeB`\x82"


def _png(file: BinaryIO, _: int) -> _Raw:
    head = _at(file, 8, 16)
    if head[4:8] != b"IHDR":
        raise BadHeader("no IHDR chunk")
    width, height = struct.unpack(">II", head[8:16])
    orientation, offset = 1, 8
    for _part in range(_PARTS):
        length, name = struct.unpack(">I4s", _at(file, offset, 8))
        if name == b"eXIf" and length <= _META:
            orientation = exif_orientation(_at(file, offset + 8, length))
        if name in (b"IDAT", b"IEND"):
            break
        offset += 12 + length
    return _Raw(width=width, height=height, orientation=orientation)


# --- GIF -------------------------------------------------------------------------------------------------------------


def _gif(file: BinaryIO, _: int) -> _Raw:
    width, height = struct.unpack("<HH", _at(file, 6, 4))
    return _Raw(width=width, height=height)


# --- WebP (RFC 9649) -------------------------------------------------------------------------------------------------


def _webp(file: BinaryIO, size: int) -> _Raw:
    head = _at(file, 0, 30)
    (told,) = struct.unpack("<I", head[4:8])
    if told + 8 > size:
        raise Truncated(f"{size} of {told + 8} bytes")
    name = head[12:16]
    if name == b"VP8 ":
        if head[23:26] != b"\x9d\x01\x2a":
            raise BadHeader("no key frame")
        width, height = struct.unpack("<HH", head[26:30])
        return _Raw(width=width & 0x3FFF, height=height & 0x3FFF)
    if name == b"VP8L":
        if head[20] != 0x2F:
            raise BadHeader("no lossless signature")
        bits = int.from_bytes(head[21:25], "little")
        return _Raw(width=(bits & 0x3FFF) + 1, height=(bits >> 14 & 0x3FFF) + 1)
    if name == b"VP8X":
        width = int.from_bytes(head[24:27], "little") + 1
        height = int.from_bytes(head[27:30], "little") + 1
        orientation = _webp_orientation(file, size) if head[20] & 0x08 else 1
        return _Raw(width=width, height=height, orientation=orientation)
    raise BadHeader("an unknown first chunk")


def _webp_orientation(file: BinaryIO, size: int) -> int:
    offset = 12
    for _ in range(_PARTS):
        head = _at(file, offset, 8)
        if len(head) < 8 or offset >= size:
            break
        name, length = struct.unpack("<4sI", head)
        if name == b"EXIF" and length <= _META:
            return exif_orientation(_at(file, offset + 8, length).removeprefix(b"Exif\x00\x00"))
        offset += 8 + length + (length & 1)
    return 1


# --- AVIF (ISO/IEC 14496-12, 23008-12) -------------------------------------------------------------------------------

_QUARTERS = {1, 3}


def _avif(file: BinaryIO, size: int) -> _Raw:
    offset, found = 0, None
    for _ in range(_PARTS):
        if offset == size:
            break
        head = _at(file, offset, 16)
        length, name = struct.unpack(">I4s", head[:8])
        body = 8
        if length == 1:
            (length,) = struct.unpack(">Q", head[8:16])
            body = 16
        elif length == 0:
            length = size - offset
        if length < body:
            raise BadHeader("a box without length")
        if offset + length > size:
            raise Truncated(f"a box ends {offset + length - size} bytes after the file")
        if name == b"meta":
            found = _avif_meta(_at(file, offset + body, min(length - body, _META)))
        offset += length
    if found is None:
        raise BadHeader("no picture is described")
    return found


def _avif_meta(meta: bytes) -> _Raw | None:
    """Size and rotation from the item properties. Of several sizes (tiles, alpha) the largest is it."""
    sizes: list[tuple[int, int]] = []
    at = meta.find(b"ispe")
    while at >= 0 and len(sizes) < _PARTS:
        width, height = struct.unpack_from(">II", meta, at + 8)
        sizes.append((width, height))
        at = meta.find(b"ispe", at + 4)
    if not sizes:
        return None
    width, height = max(sizes, key=lambda pair: pair[0] * pair[1])
    rotated = meta.find(b"irot")
    if rotated >= 0 and meta[rotated + 4] & 3 in _QUARTERS:
        width, height = height, width
    return _Raw(width=width, height=height)


_READERS: dict[Format, Callable[[BinaryIO, int], _Raw]] = {
    "jpeg": _jpeg,
    "png": _png,
    "gif": _gif,
    "webp": _webp,
    "avif": _avif,
}

# Whether the tail of a file holds the end of its picture, given how many bytes follow the head. Trailing bytes that
# belong to nothing are harmless and common. WebP and AVIF name their own length, which their readers compare.
_ENDS: dict[Format, Callable[[bytes, int], bool]] = {
    "jpeg": lambda tail, rest: b"\xff\xd9" in tail[-rest:],
    "png": lambda tail, rest: _IEND in tail,
    "gif": lambda tail, rest: tail.rstrip(b"\x00").endswith(b";"),
    "webp": lambda tail, rest: True,
    "avif": lambda tail, rest: True,
}
