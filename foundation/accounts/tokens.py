"""API tokens: the plain text that is shown once, and the digest and lookup key that are stored."""

from __future__ import annotations

import hashlib
import secrets

TOKEN_BYTES = 32
TOKEN_KEY_CHARS = 15
"""How much of a token is stored in clear, to find its row by; the other 49 hexadecimal digits carry 196 bits."""


def new_token() -> str:
    """A fresh token: 64 hexadecimal digits."""
    return secrets.token_hex(TOKEN_BYTES)


def token_key(token: str) -> str:
    """The part of a token that its row is looked up by."""
    return token[:TOKEN_KEY_CHARS]


def token_digest(token: str) -> str:
    """SHA-512 in hexadecimal. A token carries 256 random bits: unlike a password it needs no slow hash."""
    return hashlib.sha512(token.encode()).hexdigest()
