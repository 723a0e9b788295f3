"""Signed addresses, as content networks have them: `?expires=<seconds since 1970>&sig=<hex>`.

The site gives them out only where a fault says so, and takes addresses without a signature, too; but one that is there
must be right and not yet expired.
"""

import re
from collections.abc import Mapping
from html import escape

from orihon.samplesite.dice import digest

# In JSON and in attributes alike, addresses stand in double quotes.
_ADDRESS = re.compile(r'"(/(?:img|media)/[^"?]+)"')


def signed(path: str, expires: int) -> str:
    """The address of a file until that time."""
    return f"{path}?expires={expires}&sig={_signature(path, expires)}"


def sign_all(text: str, expires: int) -> str:
    """A document whose file addresses are signed."""
    markup = text.startswith("<")

    def sign(found: re.Match[str]) -> str:
        address = signed(found[1], expires)
        return f'"{escape(address) if markup else address}"'

    return _ADDRESS.sub(sign, text)


def valid(raw_path: str, query: Mapping[str, str], now: float) -> bool:
    """Whether a request may have the file. `raw_path` is the path as it was sent."""
    if "expires" not in query and "sig" not in query:
        return True
    expires = query.get("expires", "")
    if not (expires.isascii() and expires.isdecimal() and len(expires) < 15):
        return False
    return now < int(expires) and query.get("sig") == _signature(raw_path, int(expires))


def _signature(path: str, expires: int) -> str:
    return f"{digest('signature', path, expires):016x}"
