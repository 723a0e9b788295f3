"""Secrets that clients hold. The database knows only their hashes (public-api-auth 3.6)."""

import hashlib
import secrets


def generate() -> str:
    """A new secret: 32 random bytes as 43 characters that a cookie can carry."""
    return secrets.token_urlsafe(32)


def digest(token: str) -> bytes:
    """What is stored and looked up. A guess must match all of it, so no comparison of ours can leak anything."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()
