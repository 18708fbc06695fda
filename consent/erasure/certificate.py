"""Issues and verifies the signed erasure certificate: what was erased, when, and what was searched afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings

from consent.erasure.signing import is_signed, public_key_id, public_key_pem, sign_document
from consent.erasure.types import KeptRows
from consent.exceptions import CertificateInvalid
from consent.models import Tombstone

SCHEMA = "finclaw-erasure-certificate/1"


def issue_certificate(tombstone: Tombstone, kept: Iterable[KeptRows]) -> tuple[dict[str, Any], str, str]:
    """The certificate of an erasure about to complete, its signature in base64, and the key's id.

    ``kept`` is what it leaves on purpose; ``backups_gone_by`` is when the last backup that holds what was erased is
    destroyed, where ``BACKUP_DAYS`` says how long they are kept.
    """
    completed = tombstone.completed_at
    if completed is None or tombstone.verification is None:
        raise ValueError("only what was erased and probed is certified")
    document = {
        "schema": SCHEMA,
        "tombstone_id": str(tombstone.pk),
        "user_id": str(tombstone.user_id),
        "scope": tombstone.scope,
        "target_id": str(tombstone.target_id) if tombstone.target_id else None,
        "sources": tombstone.sources,
        "requested_at": tombstone.requested_at.isoformat(),
        "due_at": tombstone.due_at.isoformat(),
        "completed_at": completed.isoformat(),
        "legal_profile": tombstone.legal_profile,
        "consent_version": tombstone.consent_version,
        "deleted": tombstone.deleted,
        "verification": tombstone.verification,
        "kept": [rows.as_json() for rows in kept],
        "public_key": public_key_pem(),
    }
    if settings.BACKUP_DAYS:
        document["backups_gone_by"] = (completed + timedelta(days=settings.BACKUP_DAYS)).isoformat()
    return document, sign_document(document), public_key_id()


def verify_certificate(given: Mapping[str, Any], trusted_key_pem: str = "") -> dict[str, Any]:
    """The certificate inside ``{certificate, signature, public_key_id}``, if its signature holds.

    Checked against ``trusted_key_pem``, else the key inside the certificate: the caller must then check that key's id.
    Raises ``CertificateInvalid`` with the reason.
    """
    certificate, signature = given.get("certificate"), given.get("signature")
    if not isinstance(certificate, dict) or not isinstance(signature, str):
        raise CertificateInvalid("malformed")
    pem = trusted_key_pem or str(certificate.get("public_key", ""))
    if not is_signed(certificate, signature, pem):
        raise CertificateInvalid("signature")
    if given.get("public_key_id") != public_key_id(pem):
        raise CertificateInvalid("key")
    return certificate
