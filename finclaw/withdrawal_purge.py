"""Deletes, in each package, what a consent had let in that its user withdrew."""

from __future__ import annotations

from drift.erasure_part import unname_feedback_and_signals
from foundation.database.acting_user import in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.jobs import Job
from memory.tasks import delete_withdrawn


def purge(job: Job) -> None:
    """Delete what a withdrawn scope had let in, and the names of research that were taken from it."""
    with job.completing():
        delete_withdrawn(job)
        with in_role(ERASER_ROLE):
            unname_feedback_and_signals(job.user_id)
