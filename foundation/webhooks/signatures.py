"""Signatures of webhooks, as https://www.standardwebhooks.com describes them: HMAC-SHA256 over id, time and body."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"
_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """A secret of 32 random bytes, as its owner is shown it once."""
    return PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signature_header(secrets_in_force: Iterable[str], message_id: str, timestamp: int, body: bytes) -> str:
    """The value of ``webhook-signature``: a signature by each secret, in the order given."""
    content = b".".join((message_id.encode(), str(timestamp).encode(), body))
    return " ".join(f"v1,{_sign(secret, content)}" for secret in secrets_in_force)


def _sign(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(PREFIX))
    return base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
