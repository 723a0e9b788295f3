"""How bytes are handed out: validators, conditional requests and ranges (RFC 9110, sections 13 and 14).

Written out here and not left to the web framework, whose file response takes an `If-Range` with an entity tag for none
and so would splice two versions of an image.
"""

import re
from datetime import datetime
from email.utils import format_datetime

from aiohttp import web

from orihon.samplesite.pictures import Picture

WHOLE = web.ResponseKey("whole", bytes)
"""Where an answer with a part keeps the whole, for a site that is told to ignore ranges."""

_RANGE = re.compile(r"bytes=(\d*)-(\d*)")


def deliver(request: web.Request, picture: Picture, modified: datetime | None) -> web.Response:
    """The answer to a request for an image: 200, 206, 304 or 416."""
    etag = f'"{picture.sha256[:32]}"'
    headers = {"ETag": etag, "Accept-Ranges": "bytes", "Cache-Control": "public, max-age=3600"}
    if modified is not None:
        headers["Last-Modified"] = format_datetime(modified, usegmt=True)
    if _unchanged(request, etag, modified):
        return web.Response(status=304, headers=headers)
    size = len(picture.body)
    headers["Content-Type"] = picture.content_type
    part = _asked_part(request, etag, headers.get("Last-Modified"), size)
    if part is None:
        return web.Response(body=picture.body, headers=headers)
    start, end = part
    if start >= end:
        return web.Response(status=416, headers={"Content-Range": f"bytes */{size}"})
    headers["Content-Range"] = f"bytes {start}-{end - 1}/{size}"
    answer = web.Response(status=206, body=picture.body[start:end], headers=headers)
    answer[WHOLE] = picture.body
    return answer


def _unchanged(request: web.Request, etag: str, modified: datetime | None) -> bool:
    tags = request.if_none_match
    if tags is not None:
        return any(tag.value in ("*", etag.strip('"')) for tag in tags)
    since = request.if_modified_since
    return since is not None and modified is not None and modified.replace(microsecond=0) <= since


def _asked_part(request: web.Request, etag: str, modified: str | None, size: int) -> tuple[int, int] | None:
    """Start and end (exclusive) of the part asked for; an empty one cannot be served; None: the whole.

    Several ranges at once, and units that are not bytes, are answered with the whole, as a server may.
    """
    wanted = _RANGE.fullmatch(request.headers.get("Range", "").strip())
    condition = request.headers.get("If-Range")
    if wanted is None or (condition is not None and condition.strip() not in (etag, modified)):
        return None
    first, last = wanted.groups()
    if first:
        if last and int(last) < int(first):
            return None
        return int(first), min(int(last) + 1, size) if last else size
    return (max(size - int(last), 0), size) if last and int(last) else (size, size) if last else None
