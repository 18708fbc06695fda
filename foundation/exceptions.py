"""Base errors of the product. Only the HTTP edge gives them a status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, TypeVar

from django.utils.translation import gettext

Thing = TypeVar("Thing")


class FinClawError(Exception):
    """A refusal with a stable ``code``, a message for a person and machine-readable ``details``.

    Neither message nor details ever hold what a user wrote: both end up in answers and logs. ``retry_after`` is after
    how many seconds asking again is worth it, None where that cannot be told.
    """

    code: ClassVar[str] = "internal_error"
    default_message: ClassVar[str] = "Something went wrong on our side. Nothing was saved."
    retry_after: int | None = None

    def __init__(self, message: str | None = None, details: Mapping[str, Any] | None = None) -> None:
        self.message = message or gettext(self.default_message)
        self.details = dict(details or {})
        super().__init__(self.message)


def refusal_sentences(refusal: FinClawError) -> Iterator[tuple[str, str]]:
    """The sentences of a refusal's details, each with the field it is about."""
    for field, reasons in refusal.details.items():
        if isinstance(reasons, list):
            yield from ((field, str(reason)) for reason in reasons)


def refusal_in_words(refusal: FinClawError) -> str:
    """The refusal's message, and under it each sentence after its field: for whoever runs a command."""
    return "\n".join([refusal.message, *(f"{field}: {reason}" for field, reason in refusal_sentences(refusal))])


class ServiceUnavailable(FinClawError):
    """A service that the request needs is down."""

    code = "service_unavailable"
    default_message = "FinClaw cannot reach its database right now. Nothing was saved; try again shortly."


class WritesRefused(FinClawError):
    """The database takes no writes for now, mostly because its disk is full."""

    code = "writes_refused"
    default_message = (
        "The disk of this installation is full, so nothing can be saved; everything can still be read. Nothing was "
        "lost. Whoever runs it has to make room."
    )
    retry_after = 60


class ValidationFailed(FinClawError):
    """Values were refused. ``details`` maps each refused field to a list of sentences."""

    code = "validation_error"
    default_message = "Some of the values cannot be accepted."


class NotFound(FinClawError):
    """There is no such object, or it is somebody else's: the two are never told apart."""

    code = "not_found"
    default_message = "There is nothing here by that id."


def require_found(thing: Thing | None) -> Thing:
    """What a query found. Raises ``NotFound`` for None."""
    if thing is None:
        raise NotFound()
    return thing
