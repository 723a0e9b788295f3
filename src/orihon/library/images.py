"""Images as readers get them: where the bytes are served, and how much room to leave before they arrive."""

import asyncpg
import msgspec

from orihon.media.sniff import EXTENSIONS, Kind

ROOT = "/api/v1/files"
"""Where the web process serves media. An address holds the hash of the bytes, so it never changes meaning."""


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """A picture: address (`?w=` in pixels for a thumbnail), size in pixels as shown, and its dominant colour."""

    url: str
    width: int
    height: int
    color: str | None


COLUMNS = "m.sha256, m.format, m.width, m.height, m.dominant_color"
"""What `image` reads of `media m`."""

_CASES = " ".join(f"WHEN '{kind}' THEN '{extension}'" for kind, extension in EXTENSIONS.items())

URL = f"'{ROOT}/' || encode(m.sha256, 'hex') || '.' || CASE m.format {_CASES} END"
"""The address of the bytes of `media m`, made by the database; null where the join found none."""

JSON = f"""
    CASE WHEN m.id IS NOT NULL THEN (SELECT row_to_json(i) FROM (SELECT
        '{ROOT}/' || encode(m.sha256, 'hex') || '.' || CASE m.format {_CASES} END AS url,
        m.width, m.height, m.dominant_color AS color) i) END"""
"""The same as JSON made by the database, for lists; null where the join found no medium."""


def url(sha256: bytes, kind: Kind) -> str:
    """The address of a medium's bytes."""
    return f"{ROOT}/{sha256.hex()}.{EXTENSIONS[kind]}"


def image(record: asyncpg.Record) -> Image:
    """The picture of a record that has `COLUMNS`."""
    return Image(
        url=url(record["sha256"], record["format"]),
        width=record["width"],
        height=record["height"],
        color=record["dominant_color"],
    )
