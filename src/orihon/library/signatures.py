"""Addresses that carry a signature: what of them names the picture, and what only proves a right for a while."""

from urllib.parse import urlsplit, urlunsplit

_SIGNING = frozenset(
    (
        "signature", "sig", "sign", "hmac", "token", "auth_key", "expires", "expire", "expiry", "exp", "policy",
        "key-pair-id", "awsaccesskeyid", "googleaccessid", "hdnts", "hdnea", "hdntl", "__token__",
    )
)  # fmt: skip
_SIGNING_PREFIXES = ("x-amz-", "x-goog-")

# Too short to mean a signature by themselves: an Azure SAS, nginx' secure_link, times of issue.
_BESIDE = frozenset(("se", "sp", "sv", "sr", "st", "spr", "md5", "ts", "t", "e", "s", "h", "hm", "ex", "is"))


def unsigned(url: str) -> str:
    """The address without its signature: two that differ in nothing else show the same picture.

    What else the query says stays, since `?v=2` is how many sites tell that a picture was exchanged.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    fields = parts.query.split("&")
    names = [field.partition("=")[0].lower() for field in fields]
    if not any(map(_signs, names)):
        return url
    kept = [field for field, name in zip(fields, names, strict=True) if not (_signs(name) or name in _BESIDE)]
    return urlunsplit(parts._replace(query="&".join(kept)))


def _signs(name: str) -> bool:
    return name in _SIGNING or name.startswith(_SIGNING_PREFIXES)
