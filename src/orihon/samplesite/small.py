"""Files that are made at once and never kept: swatches and packs. The same bytes each time."""

import struct
import zlib
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from orihon.samplesite.catalogue import Packed, Swatch
from orihon.samplesite.dice import Dice, digest
from orihon.samplesite.paper import SWATCH


def swatch(image: Swatch) -> bytes:
    """A PNG of one colour. What tells it from every other is its seed, in a comment."""
    width, height = SWATCH
    rows = (b"\0" + digest("swatch", image.seed).to_bytes(8, "big")[:3] * width) * height
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            _chunk(b"tEXt", b"Comment\0" + f"{digest(image.seed):016x}".encode()),
            # Stored, not deflated: the bytes of a compressor change with its version.
            _chunk(b"IDAT", _stored(rows)),
            _chunk(b"IEND", b""),
        )
    )


def pack(packed: Packed) -> bytes:
    """A zip with text files, stored, all of one age."""
    out = BytesIO()
    with ZipFile(out, "w", ZIP_STORED) as archive:
        for number in range(1, packed.files + 1):
            dice = Dice("packed", packed.seed, number)
            text = "\n".join(f"{dice.bits():016x}" for _ in range(40))
            archive.writestr(ZipInfo(f"{packed.seed}-{number}.txt"), text)
    return out.getvalue()


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def _stored(data: bytes) -> bytes:
    """A zlib stream of one stored block (RFC 1950, RFC 1951 section 3.2.4); the data is shorter than 64 KiB."""
    length = len(data)
    block = b"\x01" + struct.pack("<HH", length, length ^ 0xFFFF) + data
    return b"\x78\x01" + block + struct.pack(">I", zlib.adler32(data))


SWATCH_BYTES = len(swatch(Swatch("any")))
"""What every swatch weighs, so that a feed can say it without making one."""
