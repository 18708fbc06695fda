"""Defines the result of a withdrawal of consent, in counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True)
class WithdrawalEffects:
    """What a withdrawal did (``effects`` of api.md). Counts are rows; ``purge_due_at`` is the latest moment by which
    what was learned is deleted, or None where no purge is due; ``cancelled`` counts the cancelled jobs by topic.
    """

    profile_contexts_deleted: int
    thread_contexts_blocked: int
    training_candidates_revoked: int
    queued_work_cancelled: int
    purge_due_at: datetime | None
    cancelled: Mapping[str, int] = field(default_factory=dict)
