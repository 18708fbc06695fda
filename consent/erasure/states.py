"""The eight states of an erasure and the steps between them (seed B §3.1.1): the one place that knows them."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class State(models.TextChoices):
    REQUESTED = "requested", _("Asked for")
    VERIFIED = "verified", _("Confirmed to be yours")
    TOMBSTONED = "tombstoned", _("Invisible")
    QUEUED = "queued", _("Waiting for its turn")
    PROCESSING = "processing", _("Being erased")
    COMPLETED = "completed", _("Erased and verified")
    FAILED = "failed", _("Failed")
    RETRY_PENDING = "retry_pending", _("Waiting for another try")
    ESCALATED = "escalated", _("With an operator")


LEGAL_STEPS: tuple[tuple[State, State], ...] = (
    (State.REQUESTED, State.VERIFIED),
    (State.VERIFIED, State.TOMBSTONED),
    (State.TOMBSTONED, State.QUEUED),
    (State.QUEUED, State.PROCESSING),
    (State.PROCESSING, State.COMPLETED),
    (State.PROCESSING, State.FAILED),
    (State.FAILED, State.RETRY_PENDING),
    (State.RETRY_PENDING, State.PROCESSING),
    (State.RETRY_PENDING, State.ESCALATED),
    # Past its term it is escalated wherever it stands, and an operator sends it on.
    (State.QUEUED, State.ESCALATED),
    (State.PROCESSING, State.ESCALATED),
    (State.ESCALATED, State.QUEUED),
)


def is_legal(before: State, after: State) -> bool:
    """Whether an erasure in ``before`` may enter ``after``."""
    return (before, after) in LEGAL_STEPS
