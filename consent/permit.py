"""The permit: the consent that holds now, as a value passed along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from consent.exceptions import ConsentScopeMissing, ProfileConsentRequired
from foundation.personal_data import Scope

_SEAL = object()


@dataclass(frozen=True, slots=True)
class Permit:
    """What may be stored of, and injected for, one person. Only ``consent.services.permit_for`` makes one.

    ``version`` is stamped on whatever is written under it; 0 for somebody who never granted anything.
    """

    user_id: UUID
    consent_id: UUID | None
    version: int
    scopes: frozenset[Scope]
    revoked: bool
    seal: Any = None

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise TypeError("permits are made by consent.services.permit_for alone")

    @property
    def granted(self) -> bool:
        """Whether this person ever decided; a revoked consent is a decision too (C-5)."""
        return self.consent_id is not None

    def allows(self, scope: Scope) -> bool:
        """Whether the scope holds now."""
        return scope in self.scopes

    def require_decision(self) -> None:
        """Raise ``ProfileConsentRequired`` for somebody who never granted a consent (seed A §8.4)."""
        if not self.granted:
            raise ProfileConsentRequired(details={"required_scopes": []})

    def require(self, scope: Scope) -> None:
        """Raise ``ConsentScopeMissing`` unless the scope holds."""
        if not self.allows(scope):
            raise ConsentScopeMissing([scope])


def _issue(user_id: UUID, consent_id: UUID | None, version: int, scopes: frozenset[Scope], revoked: bool) -> Permit:
    return Permit(user_id, consent_id, version, scopes, revoked, seal=_SEAL)
