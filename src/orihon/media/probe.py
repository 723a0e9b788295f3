"""What an image's head and tail say: size, orientation, and whether the end is there.

Pure functions over the bytes of a whole file (a map of it, so that only what is looked at is read). The number of steps
is bounded, whatever the file claims about itself, and nothing is unpacked. Damage in between is found by the full
decode afterwards (`ingest.checking`).
"""

import struct
from collections.abc import Callable
from mmap import mmap

import msgspec

from orihon.media.errors import BadDimensions, BadHeader, TooManyPixels, Truncated
from orihon.media.sniff import Format

MOST_PIXELS = 250_000_000
"""Pixels that are accepted unless ORIHON_MAX_IMAGE_PIXELS says otherwise: a tall webtoon strip has 20 million."""

Bytes = bytes | mmap

_PARTS = 400
"""Segments, chunks or boxes that a head may have before it is taken for an attack."""
_BLOCKS = 150_000
"""Blocks of a GIF that are walked: 32 MB of full ones."""
_META = 1024 * 1024
_STRAY = 64 * 1024

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


def probe(data: Bytes, kind: Format, *, most_pixels: int = MOST_PIXELS) -> Header:
    """Read the head and look for the end of an image of a known format.

    Raises:
        BadHeader, BadDimensions, TooManyPixels: the head is broken or hostile.
        Truncated: the end is missing.
    """
    reader, is_whole = _FORMATS[kind]
    try:
        raw = reader(data)
    except (struct.error, IndexError) as error:
        raise Truncated("the head is incomplete") from error
    if raw.width < 1 or raw.height < 1:
        raise BadDimensions(raw.width, raw.height)
    if raw.width * raw.height > most_pixels:
        raise TooManyPixels(raw.width, raw.height, most_pixels)
    if not is_whole(data, raw.body):
        raise Truncated("its end is missing")
    width, height = (raw.height, raw.width) if raw.orientation in _SIDEWAYS else (raw.width, raw.height)
    return Header(width=width, height=height, orientation=raw.orientation)


# --- JPEG (ITU-T T.81 annex B) ---------------------------------------------------------------------------------------

_SOF = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_BARE = frozenset((0x01, *range(0xD0, 0xD8)))
_EOI = b"\xff\xd9"


def _jpeg(data: Bytes) -> _Raw:
    offset, found, orientation = 2, None, 1
    for _part in range(_PARTS):
        if data[offset] != 0xFF:
            # Decoders, and so browsers, pass over strays between two segments.
            offset = data.find(b"\xff", offset, offset + _STRAY)
            if offset < 0:
                raise BadHeader("a segment does not begin where it should")
        marker = data[offset + 1]
        if marker == 0xFF or marker in _BARE:
            offset += 1 if marker == 0xFF else 2
            continue
        if marker == 0xDA:
            break
        (length,) = struct.unpack(">H", data[offset + 2 : offset + 4])
        if length < 2:
            raise BadHeader("a segment without length")
        if marker in _SOF:
            height, width = struct.unpack(">HH", data[offset + 5 : offset + 9])
            found = (width, height)
        elif marker == 0xE1 and data[offset + 4 : offset + 10] == b"Exif\x00\x00":
            orientation = exif_orientation(data[offset + 10 : offset + 2 + length])
        offset += 2 + length
    if found is None:
        raise BadHeader("no frame")
    return _Raw(width=found[0], height=found[1], orientation=orientation, body=offset)


def _jpeg_is_whole(data: Bytes, body: int) -> bool:
    """Whatever follows the end belongs to others: a second picture, a film, padding."""
    return data.rfind(_EOI, body) >= 0


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


def _png(data: Bytes) -> _Raw:
    if data[12:16] != b"IHDR":
        raise BadHeader("no IHDR chunk")
    width, height = struct.unpack(">II", data[16:24])
    orientation, offset = 1, 8
    for _part in range(_PARTS):
        length, name = struct.unpack(">I4s", data[offset : offset + 8])
        if name == b"eXIf" and length <= _META:
            orientation = exif_orientation(data[offset + 8 : offset + 8 + length])
        if name in (b"IDAT", b"IEND"):
            break
        offset += 12 + length
    return _Raw(width=width, height=height, orientation=orientation, body=offset)


def _png_is_whole(data: Bytes, body: int) -> bool:
    return data.rfind(_IEND, body) >= 0


# --- GIF (GIF89a) ----------------------------------------------------------------------------------------------------

_TABLE, _TABLE_SIZE = 0x80, 0x07
_IMAGE, _EXTENSION, _TRAILER = 0x2C, 0x21, 0x3B


def _gif(data: Bytes) -> _Raw:
    width, height = struct.unpack("<HH", data[6:10])
    return _Raw(width=width, height=height, body=13 + _table(data[10]))


def _table(packed: int) -> int:
    """Bytes of the colour table that follows a descriptor."""
    return 3 << (packed & _TABLE_SIZE) + 1 if packed & _TABLE else 0


def _gif_is_whole(data: Bytes, body: int) -> bool:
    """Walk the blocks to the trailer; its value alone is common inside them."""
    offset, walked = body, 0
    try:
        while walked < _BLOCKS:
            walked += 1
            kind = data[offset]
            if kind == _TRAILER:
                return True
            if kind == _EXTENSION:
                offset += 2
            elif kind == _IMAGE:
                offset += 11 + _table(data[offset + 9])
            elif kind == 0:
                # Some encoders write one terminator too many, and decoders pass over it.
                offset += 1
                continue
            else:
                raise BadHeader("a block of an unknown kind")
            while (size := data[offset]) and walked < _BLOCKS:
                walked += 1
                offset += 1 + size
            offset += 1
    except IndexError:
        return False
    return data[len(data) - 1] == _TRAILER


# --- WebP (RFC 9649) -------------------------------------------------------------------------------------------------


def _webp(data: Bytes) -> _Raw:
    head = data[:30]
    (told,) = struct.unpack("<I", head[4:8])
    if told + 8 > len(data):
        raise Truncated(f"{len(data)} of {told + 8} bytes")
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
        if len(head) < 30:
            raise Truncated("the head is incomplete")
        width = int.from_bytes(head[24:27], "little") + 1
        height = int.from_bytes(head[27:30], "little") + 1
        orientation = _webp_orientation(data) if head[20] & 0x08 else 1
        return _Raw(width=width, height=height, orientation=orientation)
    raise BadHeader("an unknown first chunk")


def _webp_orientation(data: Bytes) -> int:
    offset = 12
    for _ in range(_PARTS):
        head = data[offset : offset + 8]
        if len(head) < 8:
            break
        name, length = struct.unpack("<4sI", head)
        if name == b"EXIF" and length <= _META:
            return exif_orientation(data[offset + 8 : offset + 8 + length].removeprefix(b"Exif\x00\x00"))
        offset += 8 + length + (length & 1)
    return 1


# --- AVIF (ISO/IEC 14496-12, 23008-12) -------------------------------------------------------------------------------

_QUARTERS = {1, 3}


def _avif(data: Bytes) -> _Raw:
    size = len(data)
    offset, found, has_content = 0, None, False
    for _ in range(_PARTS):
        if offset == size:
            break
        try:
            length, body, name = _box(data, offset)
        except (struct.error, BadHeader):
            # Padding after a picture that is all there harms nobody.
            if found is not None and has_content:
                break
            raise
        if offset + length > size:
            raise Truncated(f"a box ends {offset + length - size} bytes after the file")
        if name == b"meta":
            found = _avif_meta(data[body : min(offset + length, body + _META)])
        has_content |= name == b"mdat"
        offset += length
    if found is None:
        raise BadHeader("no picture is described")
    return found


def _box(data: Bytes, offset: int) -> tuple[int, int, bytes]:
    """Length, start of the content, and name of a box."""
    length, name = struct.unpack(">I4s", data[offset : offset + 8])
    body = offset + 8
    if length == 1:
        (length,) = struct.unpack(">Q", data[body : body + 8])
        body += 8
    elif length == 0:
        length = len(data) - offset
    if length < body - offset or not name.isalnum():
        raise BadHeader("a box without length or name")
    return length, body, name


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


def _said_before(_data: Bytes, _body: int) -> bool:
    """WebP and AVIF name their own length, which their readers compare."""
    return True


_FORMATS: dict[Format, tuple[Callable[[Bytes], _Raw], Callable[[Bytes, int], bool]]] = {
    "jpeg": (_jpeg, _jpeg_is_whole),
    "png": (_png, _png_is_whole),
    "gif": (_gif, _gif_is_whole),
    "webp": (_webp, _said_before),
    "avif": (_avif, _said_before),
}
