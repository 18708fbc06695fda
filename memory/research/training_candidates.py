"""Nominates, revokes and reviews research results as possible training examples. No model is trained on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from foundation.exceptions import ValidationFailed, require_found
from foundation.personal_data import ConsentScope
from memory.models import Checkpoint, Refresh, Snapshot, TrainingAssetCandidate, UserContext

Status = TrainingAssetCandidate.Status
Withdrawal = TrainingAssetCandidate.Withdrawal
ResearchObject = Snapshot | Refresh | Checkpoint
_MODELS: Final[Mapping[str, type[ResearchObject]]] = {
    "snapshot": Snapshot,
    "refresh": Refresh,
    "checkpoint": Checkpoint,
}
_KIND_OF: Final = {model: kind for kind, model in _MODELS.items()}


def nominate_object(permit: Permit, made: ResearchObject) -> TrainingAssetCandidate | None:
    """Nominate an object as a candidate awaiting review; None without ``training_use_allowed``, and for an object that
    draws on a stated context which was excluded from training.

    Call while holding the permit. An object is nominated only once: no later grant restores a revoked candidate.
    """
    if not permit.allows(ConsentScope.TRAINING_USE) or _draws_on_excluded_context(permit, made):
        return None
    candidate, _ = TrainingAssetCandidate.objects.get_or_create(
        user_id=permit.user_id,
        object_ref=f"{_KIND_OF[type(made)]}:{made.pk}",
        defaults={"consent_version": permit.version},
    )
    return candidate


def candidates_of(permit: Permit) -> QuerySet[TrainingAssetCandidate]:
    """All candidates made of the user's research, revoked ones included, the latest first."""
    return TrainingAssetCandidate.objects.filter(user_id=permit.user_id).order_by("-created_at", "-id")


def candidate_of(permit: Permit, candidate_id: UUID) -> TrainingAssetCandidate:
    """One of the user's candidates. Raises ``NotFound``."""
    return require_found(candidates_of(permit).filter(pk=candidate_id).first())


def revoke_candidate(permit: Permit, candidate_id: UUID) -> TrainingAssetCandidate:
    """Revoke one candidate for good, as its user asks. Revoking it again changes nothing. Raises ``NotFound``."""
    candidate = require_found(candidates_of(permit).select_for_update().filter(pk=candidate_id).first())
    if candidate.withdrawal_status != Withdrawal.REVOKED:
        candidate.withdrawal_status = Withdrawal.REVOKED
        candidate.save(update_fields=["withdrawal_status"])
    return candidate


def objects_named(candidates: Collection[TrainingAssetCandidate]) -> dict[str, ResearchObject]:
    """The research objects that candidates name, by reference; forgotten ones are left out."""
    owners = {candidate.user_id for candidate in candidates}
    keys: defaultdict[str, list[str]] = defaultdict(list)
    for candidate in candidates:
        kind, _, key = candidate.object_ref.partition(":")
        keys[kind].append(key)
    return {
        f"{kind}:{made.pk}": made
        for kind in keys
        for made in _MODELS[kind].objects.select_related("thread").filter(pk__in=keys[kind], user_id__in=owners)
    }


def named_object(candidate: TrainingAssetCandidate) -> ResearchObject | None:
    """The research object that a candidate names; None where it is forgotten."""
    return objects_named([candidate]).get(candidate.object_ref)


def review_candidate(user_id: UUID, candidate_id: UUID, status: str, reviewer_id: UUID) -> TrainingAssetCandidate:
    """Accept or reject a candidate as an operator, on behalf of the user.

    Raises ``NotFound``, and ``ValidationFailed`` for one whose consent was withdrawn, or a status that is no decision.
    """
    mine = TrainingAssetCandidate.objects.select_for_update().filter(user_id=user_id)
    candidate = require_found(mine.filter(pk=candidate_id).first())
    if status not in {Status.ACCEPTED, Status.REJECTED}:
        raise ValidationFailed(details={"status": [_("Choose accepted or rejected.")]})
    if candidate.withdrawal_status == Withdrawal.REVOKED:
        raise ValidationFailed(details={"status": [_("The user has withdrawn consent.")]})
    candidate.status, candidate.reviewed_at, candidate.reviewed_by = status, timezone.now(), reviewer_id
    candidate.save(update_fields=["status", "reviewed_at", "reviewed_by"])
    return candidate


def _draws_on_excluded_context(permit: Permit, made: ResearchObject) -> bool:
    """Whether an object was made of what its user stated about themselves, and that is excluded from training.

    A source does not tell the profile from a thread's context, so either counts.
    """
    return (
        _has_context_source(made)
        and UserContext.objects.filter(user_id=permit.user_id, training_excluded=True).exists()
    )


def _has_context_source(made: ResearchObject) -> bool:
    if isinstance(made, Refresh):
        return _has_context_source(made.snapshot)
    statements: list[Mapping[str, Any]] = [*made.told, *made.invalidators]
    if isinstance(made, Snapshot):
        statements += [*made.evidence, *made.counter_thesis, {"sources": made.thesis_sources}]
    else:
        statements += [*made.conditions, *made.risks]
    return any(source["kind"] == "context" for statement in statements for source in statement["sources"])
