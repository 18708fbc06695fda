"""Ed25519 signatures over canonical JSON, which anybody with the public key can verify."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from django.conf import settings

from foundation.secrets import local_secret


def sign_document(document: Mapping[str, Any]) -> str:
    """The signature of the document's canonical JSON, in base64."""
    return base64.b64encode(_signing_key().sign(canonical_json(document))).decode()


def is_signed(document: Mapping[str, Any], signature: str, public_key_pem: str) -> bool:
    """Whether exactly this document was signed by the holder of the key. Any malformed part is a no."""
    try:
        key = load_pem_public_key(public_key_pem.encode())
        if not isinstance(key, Ed25519PublicKey):
            return False
        key.verify(base64.b64decode(signature, validate=True), canonical_json(document))
    except (ValueError, InvalidSignature, UnsupportedAlgorithm):
        return False
    return True


def canonical_json(document: Mapping[str, Any]) -> bytes:
    """Canonical JSON: sorted keys, no white space, UTF-8."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def public_key_pem() -> str:
    """The public key that verifies our signatures."""
    return _signing_key().public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def public_key_id(pem: str = "") -> str:
    """SHA-256 of the public key's DER bytes, in hexadecimal: names a key across rotations."""
    key = load_pem_public_key((pem or public_key_pem()).encode())
    return hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()


def _signing_key() -> Ed25519PrivateKey:
    return _load_key(settings.ERASURE_SIGNING_KEY, settings.DATA_DIR)


@lru_cache(maxsize=1)
def _load_key(pem: str, data_dir: Path) -> Ed25519PrivateKey:
    given = pem or local_secret(data_dir / "erasure_signing_key.pem", make=_new_key)
    key = load_pem_private_key(given.encode(), password=None)
    if not isinstance(key, Ed25519PrivateKey):
        raise TypeError("ERASURE_SIGNING_KEY must be an Ed25519 private key in PEM")
    return key


def _new_key() -> str:
    made = Ed25519PrivateKey.generate()
    return made.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
