"""Deletes, in each package, what was stored under a consent that its user has withdrawn."""

from __future__ import annotations

from drift.erasure_part import unname_feedback_and_signals
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.jobs import Job
from memory.tasks import delete_withdrawn


def purge(job: Job) -> None:
    """Delete what was stored under a withdrawn scope, then names on feedback and signals that their research lost."""
    with job.completing():
        delete_withdrawn(job)
        with in_role(ERASER_ROLE):
            unname_feedback_and_signals(job.user_id)
