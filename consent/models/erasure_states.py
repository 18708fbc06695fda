"""The nine states of an erasure and the steps between them."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class ErasureState(models.TextChoices):
    REQUESTED = "requested", _("Asked for")
    VERIFIED = "verified", _("Confirmed to be yours")
    TOMBSTONED = "tombstoned", _("Invisible")
    QUEUED = "queued", _("Waiting for its turn")
    PROCESSING = "processing", _("Being erased")
    COMPLETED = "completed", _("Erased and verified")
    FAILED = "failed", _("Failed")
    RETRY_PENDING = "retry_pending", _("Waiting for another try")
    ESCALATED = "escalated", _("With an operator")


LEGAL_STEPS: tuple[tuple[ErasureState, ErasureState], ...] = (
    (ErasureState.REQUESTED, ErasureState.VERIFIED),
    (ErasureState.VERIFIED, ErasureState.TOMBSTONED),
    (ErasureState.TOMBSTONED, ErasureState.QUEUED),
    (ErasureState.QUEUED, ErasureState.PROCESSING),
    (ErasureState.PROCESSING, ErasureState.COMPLETED),
    (ErasureState.PROCESSING, ErasureState.FAILED),
    (ErasureState.FAILED, ErasureState.RETRY_PENDING),
    (ErasureState.RETRY_PENDING, ErasureState.PROCESSING),
    (ErasureState.RETRY_PENDING, ErasureState.ESCALATED),
    # An overdue erasure is escalated from any waiting or running state, and an operator queues it again.
    (ErasureState.QUEUED, ErasureState.ESCALATED),
    (ErasureState.PROCESSING, ErasureState.ESCALATED),
    (ErasureState.ESCALATED, ErasureState.QUEUED),
)


def is_legal_step(before: ErasureState, after: ErasureState) -> bool:
    """Whether an erasure in ``before`` may enter ``after``."""
    return (before, after) in LEGAL_STEPS
