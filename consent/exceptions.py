"""Defines the errors of the consent package, each with the code that the API answers."""

from __future__ import annotations

from collections.abc import Iterable

from foundation.exceptions import FinClawError
from foundation.outbox.exceptions import WorkSuspended
from foundation.personal_data import ConsentScope


class ProfileConsentRequired(FinClawError):
    code = "profile_consent_required"
    default_message = "Please choose first what may be remembered. Every switch may stay off."


class ConsentScopeMissing(FinClawError):
    code = "consent_scope_missing"
    default_message = "You have not allowed this kind of remembering. You can switch it on under Privacy."

    def __init__(self, scopes: Iterable[ConsentScope]) -> None:
        super().__init__(details={"required_scopes": sorted(scope.value for scope in scopes)})


class ConsentOutdated(FinClawError):
    code = "consent_outdated"
    default_message = "Your consent has changed since. Look at it again and repeat the request."


class ErasureInProgress(FinClawError):
    code = "erasure_in_progress"
    default_message = "This is being erased right now. Try again when the erasure is complete."


class LearningStopped(WorkSuspended):
    """Operators have switched learning off: nothing is written into memory, and queued work waits."""

    code = "learning_stopped"
    default_message = "Learning is switched off for now by the people who run this. What is kept stays as it is."


class ResearchStopped(FinClawError):
    """Operators have switched research off: no task is created, and running ones end."""

    code = "research_stopped"
    default_message = "Research is switched off for now by the people who run this. Ask again later."


class IllegalErasureStep(FinClawError):
    """A state transition that the state machine does not allow: a programming error."""

    def __init__(self, before: str, after: str) -> None:
        super().__init__(details={"from": str(before), "to": str(after)})


class ResidueFound(FinClawError):
    """The probe after an erasure found rows left; ``details`` counts them by place. The erasure is tried again."""

    def __init__(self, left: dict[str, int]) -> None:
        super().__init__(details={"left": left})


class LegalProfileUnknown(FinClawError):
    """A tenant or the settings name an unknown legal profile; ``details`` holds its code."""

    code = "legal_profile_unknown"
    default_message = "It is not set up which law's term holds here. Please tell whoever runs this installation."


class CertificateInvalid(FinClawError):
    """An invalid certificate; ``details["reason"]`` is malformed, signature or key."""

    code = "certificate_invalid"
    default_message = "This is not a certificate of ours, or it has been changed since it was signed."

    def __init__(self, reason: str) -> None:
        super().__init__(details={"reason": reason})
