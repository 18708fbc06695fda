"""Defines the permit: a user's present consent, as a value that every service on personal data takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from consent.exceptions import (
    ConsentScopeMissing,
    ErasureInProgress,
    LearningStopped,
    ProfileConsentRequired,
    ResearchStopped,
)
from consent.experiment_assignment import RunningExperiment, VariantAssignment, assign, readable_experiments
from consent.models.kill_switches import Capability
from foundation.personal_data import ConsentScope
from foundation.telemetry.metrics import EVOLUTION_BLOCKED

if TYPE_CHECKING:
    from consent.models import ProfileConsent

_SEAL = object()
_PERSONAL = frozenset(ConsentScope) - {ConsentScope.TRAINING_USE}


@dataclass(frozen=True, slots=True)
class Permit:
    """What may be stored about one user and used in prompts. Only ``consent.services`` makes one.

    ``version`` is stored on every row written under it; it is 0 for a user who never granted anything. Scopes in
    ``erasing`` are closed, even if granted, until the erasure is complete. ``erasures`` counts the erasures ever
    requested and only grows, so a changed number shows that something was erased since. ``stopped`` are the
    capabilities that operators have switched off for the user, who can still read what is stored meanwhile.
    ``experiments`` are those that run, in a permit for a turn; other permits name none.
    """

    user_id: UUID
    consent_id: UUID | None
    version: int
    scopes: frozenset[ConsentScope]
    is_revoked: bool
    erasing: frozenset[ConsentScope] = frozenset()
    erasures: int = 0
    stopped: frozenset[Capability] = frozenset()
    experiments: tuple[RunningExperiment, ...] = ()
    seal: Any = None

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise TypeError("permits are made by consent.services.permit_for alone")

    @property
    def has_decided(self) -> bool:
        """Whether the user ever decided on consent; a revoked consent is a decision too."""
        return self.consent_id is not None

    def allows(self, scope: ConsentScope) -> bool:
        """Whether the scope holds now, and nothing of it is being erased."""
        return scope in self.scopes and scope not in self.erasing

    @property
    def may_learn(self) -> bool:
        """Whether anything may be written into the user's memory now."""
        return self.allows(ConsentScope.MEMORY_LEARNING) and Capability.LEARNING not in self.stopped

    @property
    def learning_waits(self) -> bool:
        """Whether learning is allowed but switched off, so that what the user says now is learned later."""
        return self.allows(ConsentScope.MEMORY_LEARNING) and Capability.LEARNING in self.stopped

    @property
    def may_be_measured(self) -> bool:
        """Whether the user's answers may be compared with those of others: only where memory may go into them, which is
        what the quality of an answer's memories is counted from, and while nothing of the user is being erased.
        """
        return self.for_answers().allows(ConsentScope.MEMORY_LEARNING) and not self.erasing

    def assignments(self) -> tuple[VariantAssignment, ...]:
        """The user's variants in the experiments that run; none for a user who may not be measured."""
        return assign(self.experiments, self.user_id) if self.experiments and self.may_be_measured else ()

    def for_answers(self) -> Permit:
        """The permit for reading what goes into prompts or orders what the user is offered: the same one, or, while
        personalization is switched off, one that allows nothing stored about them.
        """
        if Capability.PERSONALIZATION not in self.stopped:
            return self
        return replace(self, scopes=self.scopes - _PERSONAL)

    def require_learning(self) -> None:
        """Raise ``LearningStopped`` while learning is switched off."""
        if Capability.LEARNING in self.stopped:
            raise LearningStopped()

    def require_research(self) -> None:
        """Raise ``ResearchStopped`` while research is switched off."""
        if Capability.RESEARCH in self.stopped:
            raise ResearchStopped()

    def require_decision(self) -> None:
        """Raise ``ProfileConsentRequired`` for a user who never decided on consent."""
        if not self.has_decided:
            raise ProfileConsentRequired(details={"required_scopes": []})

    def require(self, scope: ConsentScope) -> None:
        """Raise ``ConsentScopeMissing`` unless the scope holds, ``ErasureInProgress`` while it is being erased, and
        ``LearningStopped`` for learning while that is switched off.
        """
        if scope not in self.scopes:
            raise ConsentScopeMissing([scope])
        if scope in self.erasing:
            EVOLUTION_BLOCKED.inc()
            raise ErasureInProgress()
        if scope == ConsentScope.MEMORY_LEARNING:
            self.require_learning()


def _issue_permit(consent: ProfileConsent, erasing: frozenset[ConsentScope]) -> Permit:
    """The permit of a consent that ``in_force_for`` has read."""
    return Permit(
        consent.user_id,
        consent.pk,
        consent.version,
        consent.scopes,
        is_revoked=consent.revoked_at is not None,
        erasing=erasing,
        erasures=consent.erasures,
        stopped=frozenset(map(Capability, consent.stopped)),
        experiments=readable_experiments(consent.experiments),
        seal=_SEAL,
    )


def _permit_without_consent(user_id: UUID) -> Permit:
    return Permit(user_id, None, 0, frozenset(), is_revoked=False, seal=_SEAL)
