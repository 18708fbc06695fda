"""What an operation says of itself beside its serializers: errors of its own, and where what it makes is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from django.urls import reverse

from finclaw.statuses import STATUS_OF

Handler = TypeVar("Handler", bound=Callable[..., Any])
_CODES: Final = "error_codes"
_LOCATIONS: Final = "locations"
LEARNS: Final = ("consent_scope_missing", "consent_outdated", "erasure_in_progress", "learning_stopped")
"""What a write of memories may be refused with."""
STATES: Final = (
    "profile_consent_required",
    "consent_scope_missing",
    "consent_outdated",
    "erasure_in_progress",
    "boundary_refused",
    "sensitive_input",
    "financial_confirmation_required",
)
"""What a write of stated contexts may be refused with."""
RESEARCHES: Final = (*STATES, "not_found", "permission_denied", "research_stopped", "thread_closed")
"""What a request for research may be refused with."""
TURNS: Final = (
    "profile_consent_required",
    "consent_outdated",
    "erasure_in_progress",
    "session_archived",
    "reply_pending",
    "answer_stands",
    "media_not_safe",
    "boundary_refused",
    "model_unavailable",
    "memory_unavailable",
)
"""What a turn may be refused with."""
READS_BODY: Final = ("malformed_json", "payload_too_large", "unsupported_media_type")
"""What a body may be refused with where the document can show none."""
FORGETS: Final = ("legal_profile_unknown", "erasure_in_progress")
"""What a request for an erasure may be refused with."""


@dataclass(frozen=True)
class Location:
    """The address of what an answer of ``status`` made: its name, and the fields of the answer that it holds."""

    status: int
    name: str
    fields: tuple[str, ...]

    def url(self, body: Mapping[str, Any], path: Mapping[str, Any]) -> str | None:
        """The address, by the fields of the answer and else of the request's path; None where one of them is null.

        Of an answer with ``results`` these are the fields of the only one.
        """
        results: list[Mapping[str, Any]] = body.get("results") or []
        known = {**path, **body, **(dict(results[0]) if len(results) == 1 else {})}
        arguments = {name: known.get(name) for name in self.fields}
        return reverse(f"api:{self.name}", kwargs=arguments) if all(arguments.values()) else None


def raises(*codes: str) -> Callable[[Handler], Handler]:
    """Declare the error codes that an operation answers beside those that follow from its view.

    ``finclaw.api.operation_errors`` tells which those are.
    """
    unknown = set(codes) - set(STATUS_OF)
    if unknown:
        raise ValueError(f"no such error codes: {sorted(unknown)}")

    def mark(handler: Handler) -> Handler:
        setattr(handler, _CODES, frozenset(codes) | own_codes(handler))
        return handler

    return mark


def located(name: str, *fields: str, status: int) -> Callable[[Handler], Handler]:
    """Declare the ``Location`` of answers with this status: the address ``api:<name>`` with these fields."""

    def mark(handler: Handler) -> Handler:
        setattr(handler, _LOCATIONS, (*locations(handler), Location(status, name, fields)))
        return handler

    return mark


def own_codes(handler: object) -> frozenset[str]:
    """The error codes that ``raises`` declared."""
    return getattr(handler, _CODES, frozenset())


def locations(handler: object) -> tuple[Location, ...]:
    """What ``located`` declared."""
    return getattr(handler, _LOCATIONS, ())


def location_of(handler: object, status: int, body: object, path: Mapping[str, Any]) -> str | None:
    """The ``Location`` of an answer; None where it made nothing that has an address."""
    if not isinstance(body, Mapping):
        return None
    found = (location.url(body, path) for location in locations(handler) if location.status == status)
    return next(filter(None, found), None)
