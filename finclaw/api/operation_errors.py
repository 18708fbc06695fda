"""Which errors an operation can answer: those that follow from its view, and those that it declares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from finclaw.api.operations import READS_BODY
from finclaw.statuses import STATUS_OF

ANYWHERE: Final = frozenset(
    {"validation_error", "internal_error", "service_unavailable", "overloaded", "server_stopping", "rate_limited"}
)
"""What any request may be answered: its query is checked, and the server may be in trouble."""
SIGN_IN: Final = frozenset({"not_authenticated", "token_invalid", "token_expired", "token_revoked"})
_PERSON: Final = frozenset({"permission_denied", "profile_consent_required", "not_found"})
"""Of a service token that acts for a person: the address is closed to it, or the person did not agree or is nobody."""
_WRITE: Final = frozenset({"writes_refused"})
_BROWSER_WRITE: Final = frozenset({"csrf_failed"})
_BODY: Final = frozenset(READS_BODY)
_KEY: Final = frozenset({"idempotency_conflict", "sensitive_input"})
"""Of an ``Idempotency-Key``: it is kept as given, so it is screened."""
_FOUND: Final = frozenset({"not_found"})

USUAL: Final = ANYWHERE | SIGN_IN | _PERSON | _WRITE | _BROWSER_WRITE | _BODY | _KEY | _FOUND
"""What follows from the view, so that a reader need not be told with each operation."""


@dataclass(frozen=True)
class OperationTraits:
    """What an operation has from its view, its path and its serializers."""

    is_signed_in: bool
    acts_for_person: bool  # by their own token, or an organisation's service token
    takes_browsers: bool  # by their session
    is_write: bool
    has_body: bool
    takes_key: bool
    names_something: bool  # in its path, or a page by its cursor


def error_codes(traits: OperationTraits, declared: Collection[str]) -> frozenset[str]:
    """The codes of all errors that the operation can answer."""
    follow = {
        SIGN_IN: traits.is_signed_in,
        _WRITE: traits.is_write,
        _PERSON: traits.is_signed_in and traits.acts_for_person,
        _BROWSER_WRITE: traits.is_signed_in and traits.is_write and traits.takes_browsers,
        _BODY: traits.has_body,
        _KEY: traits.takes_key,
        _FOUND: traits.names_something,
    }
    return ANYWHERE.union(declared, *(codes for codes, applies in follow.items() if applies))


def by_status(codes: Collection[str]) -> Mapping[int, list[str]]:
    """The codes by their status, in the order of the contract."""
    grouped = defaultdict[int, list[str]](list)
    for code, status in STATUS_OF.items():
        if code in codes:
            grouped[status].append(code)
    return dict(sorted(grouped.items()))
