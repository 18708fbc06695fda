"""The review of feedback: an operator reads it and marks it as seen, with a note."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from consent.models import AuditEvent
from drift.models import Feedback
from foundation.exceptions import ValidationFailed

MAX_NOTE_CHARS: Final = 500
SEEN: Final = "feedback.seen"


def unseen_feedback() -> QuerySet[Feedback]:
    """All feedback that no operator has seen yet. Read it in the operators' role."""
    return Feedback.objects.filter(seen_at=None)


def mark_seen(user_id: UUID, feedback_id: UUID, note: str, operator_id: UUID) -> bool:
    """Mark a user's feedback as seen, on their behalf, and record that in the audit log.

    The caller screens ``note``, once for all feedback that gets it. Returns False if the feedback is gone, or was seen
    already. Raises ``ValidationFailed`` for a note that is too long.
    """
    if len(note) > MAX_NOTE_CHARS:
        raise ValidationFailed(details={"note": [_("At most %(limit)d characters.") % {"limit": MAX_NOTE_CHARS}]})
    waiting = unseen_feedback().filter(pk=feedback_id, user_id=user_id)
    if not waiting.update(seen_at=timezone.now(), seen_by=operator_id, note=note):
        return False
    AuditEvent.objects.create(user_id=user_id, actor_id=operator_id, action=SEEN, subject_id=feedback_id)
    return True
