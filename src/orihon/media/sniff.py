"""What a file is by its first bytes. Extensions, addresses and Content-Type all lie (crawler-support 6.8)."""

import codecs
from typing import Literal

Format = Literal["jpeg", "png", "webp", "gif", "avif"]

Kind = Format | Literal["file"]
"""What is kept: an image of an accepted format, or a file that is none and is kept as it is."""

PREFIX = 512
"""How many first bytes decide."""

EXTENSIONS: dict[Kind, str] = {
    "jpeg": "jpg",
    "png": "png",
    "webp": "webp",
    "gif": "gif",
    "avif": "avif",
    "file": "bin",
}
MIME_TYPES: dict[Kind, str] = {
    "jpeg": "image/jpeg",
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
    "avif": "image/avif",
    "file": "application/octet-stream",
}

_AVIF_BRANDS = (b"avif", b"avis")

_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x1f\x8b", "a gzip file"),
    (b"BM", "a BMP image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"\xff\x0a", "a JPEG XL image"),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n", "a JPEG XL image"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "a JPEG 2000 image"),
    (b"8BPS", "a Photoshop document"),
    (b"\x1aE\xdf\xa3", "a Matroska or WebM video"),
)

_UTF8 = codecs.getincrementaldecoder("utf-8")

_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<title", b"<div", b"<p>", b"<!--")


def sniff(prefix: bytes) -> Format | None:
    """The accepted format that these first bytes (at most `PREFIX`) begin, or None."""
    if prefix.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if prefix.startswith(b"\x89PNG\r\n\x1a\n"):
        return "png"
    if prefix.startswith((b"GIF87a", b"GIF89a")):
        return "gif"
    if prefix.startswith(b"RIFF") and prefix[8:12] == b"WEBP":
        return "webp"
    if prefix[4:8] == b"ftyp" and _brands(prefix).intersection(_AVIF_BRANDS):
        return "avif"
    return None


def name(prefix: bytes) -> str:
    """What these bytes are, for people, where they are no accepted image."""
    if not prefix:
        return "nothing"
    if prefix[4:8] == b"ftyp":
        heif = _brands(prefix).intersection((b"heic", b"heix", b"mif1", b"heif"))
        return "a HEIC image" if heif else "a video"
    for magic, what in _OTHERS:
        if prefix.startswith(magic):
            return what
    text = prefix.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if text.startswith(_HTML) or (text.startswith(b"<?xml") and b"<html" in text):
        return "a web page (HTML)"
    if text.startswith((b"<svg", b"<?xml")):
        return "an SVG document" if b"<svg" in text else "an XML document"
    if text.startswith((b"{", b"[")):
        return "JSON data"
    if not text.strip(b"\x00"):
        return "a file of zeros"
    return "a text" if _is_text(text) else "an unknown kind of file"


def _brands(prefix: bytes) -> set[bytes]:
    """Major and compatible brands of an ISO base media file (ISO/IEC 14496-12 section 4.3)."""
    size = min(int.from_bytes(prefix[:4], "big"), len(prefix), 128)
    return {prefix[at : at + 4] for at in (8, *range(16, size - 3, 4))}


def _is_text(prefix: bytes) -> bool:
    try:
        # The last character may be cut in two.
        text = _UTF8().decode(prefix)
    except UnicodeDecodeError:
        return False
    return all(character.isprintable() or character.isspace() for character in text)
