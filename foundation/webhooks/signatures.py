"""Signatures of webhooks, as https://www.standardwebhooks.com describes them: HMAC-SHA256 over id, time and body."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"
_BYTES: Final = 32


def new_secret() -> str:
    """A secret of 32 random bytes, as its owner is shown it once."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signature_header(keys: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature``: a signature by each secret, the newest first."""
    signed = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return " ".join(f"v1,{_sign(key, signed)}" for key in keys)


def _sign(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
