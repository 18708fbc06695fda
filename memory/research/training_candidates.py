"""Research objects that might one day be training examples. Nothing trains on them."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from django.utils.translation import gettext as _

from consent.permit import Permit
from foundation.exceptions import ValidationFailed, require_found
from foundation.personal_data import ConsentScope
from memory.models import TrainingAssetCandidate

Status = TrainingAssetCandidate.Status
Withdrawal = TrainingAssetCandidate.Withdrawal


def nominate_object(permit: Permit, kind: str, object_id: UUID) -> TrainingAssetCandidate | None:
    """Nominate an object as a candidate awaiting review; None without ``training_use_allowed``.

    Call while holding the permit. An object is nominated once: what was revoked is restored by no later grant.
    """
    if not permit.allows(ConsentScope.TRAINING_USE):
        return None
    candidate, _ = TrainingAssetCandidate.objects.get_or_create(
        user_id=permit.user_id,
        object_ref=f"{kind}:{object_id}",
        defaults={"consent_version": permit.version},
    )
    return candidate


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
