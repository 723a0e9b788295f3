"""Where the bytes of a medium are, for those who may have them."""

import msgspec

from orihon.db.pool import Connection, Pool
from orihon.media.sniff import Kind


class File(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a medium: storage key, format, bytes, and pixels as shown (None: no image)."""

    storage_key: str
    format: Kind
    size: int
    width: int | None
    height: int | None


_FIND = """
    SELECT l.storage_key, m.format, m.size, m.width, m.height
      FROM media m JOIN media_locations l ON l.media_id = m.id AND l.kind = 'blob'
     WHERE m.sha256 = $1 ORDER BY l.id LIMIT 1
"""


async def find(db: "Connection | Pool", sha256: bytes) -> File | None:
    """The file of a hash; None when there is none."""
    record = await db.fetchrow(_FIND, sha256)
    return File(**record) if record else None
