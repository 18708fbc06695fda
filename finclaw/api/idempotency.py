"""``Idempotency-Key``: a write that is requested twice is done once."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any, TypeVar

from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.request import Request

from consent.sensitive.services import screen_text
from finclaw.api.models import KEEP_KEYS, KEY_CHARS, IdempotencyKey
from foundation.accounts.models import User
from foundation.database.bulk_insert import insert_unless_taken
from foundation.exceptions import FinClawError, ValidationFailed
from memory.core import ArchiveReceipt, WriteReceipt

HEADER = "Idempotency-Key"
REPLAYED = "Idempotency-Replayed"
"""The header of an answer that was given before: ``true``."""
Answer = TypeVar("Answer", bound=HttpResponseBase)
_KEY = re.compile(rf"[A-Za-z0-9._:@=+/\"-]{{1,{KEY_CHARS}}}")


class IdempotencyConflict(FinClawError):
    code = "idempotency_conflict"
    default_message = "This Idempotency-Key was used for another request. Choose a new one."


def has_key(request: Request) -> bool:
    """Whether the request carries a key."""
    return HEADER in request.headers


def claim(user: User, request: Request, *, status: int, reference: Mapping[str, Any]) -> tuple[IdempotencyKey, bool]:
    """The row of the key that the request carries, and whether this request is the first to use it.

    Call inside a transaction acting for the user. A second request with the same key waits here until the first one's
    transaction ends. Raises ``ValidationFailed`` for a malformed key, ``SensitiveInput``, and ``IdempotencyConflict``
    for one that belongs to another request.
    """
    key = request.headers[HEADER]
    _require_harmless(key)
    row = IdempotencyKey(
        user=user, key=key, request_hmac=_digest(user, request), status=status, reference=dict(reference)
    )
    stored = _store_unless_taken(row)
    if stored.created_at < timezone.now() - KEEP_KEYS:
        stored.delete()
        stored = _store_unless_taken(row)
    if not hmac.compare_digest(stored.request_hmac, row.request_hmac):
        raise IdempotencyConflict()
    return stored, stored.pk == row.pk


def _store_unless_taken(row: IdempotencyKey) -> IdempotencyKey:
    """The row of this key: the given one, or that of an earlier request, for whose end this waits."""
    return row if insert_unless_taken(row) else IdempotencyKey.objects.get(user_id=row.user_id, key=row.key)


def mark(response: Answer, *, is_replayed: bool) -> Answer:
    """Say on an answer that it was given before."""
    if is_replayed:
        response[REPLAYED] = "true"
    return response


def receipt_reference(receipt: WriteReceipt | ArchiveReceipt) -> dict[str, str]:
    """A receipt of memory as it is kept for a key: ids, a moment and a status."""
    told = asdict(receipt)
    return {name: value.isoformat() if isinstance(value, datetime) else str(value) for name, value in told.items()}


def _require_harmless(key: str) -> None:
    """Refuse a key that is malformed or holds sensitive input, since keys are stored as given."""
    if not _KEY.fullmatch(key):
        raise ValidationFailed(
            details={
                HEADER: [
                    _("Give between 1 and %(limit)d letters, digits, or any of %(signs)s")
                    % {"limit": KEY_CHARS, "signs": '. _ : @ = + / " -'}
                ]
            }
        )
    screen_text(HEADER, key)


def _digest(user: User, request: Request) -> str:
    django_request = request._request
    asked = f"{django_request.method} {django_request.get_full_path()}\n".encode() + django_request.body
    return hmac.new(bytes(user.content_key), asked, hashlib.sha256).hexdigest()
