"""Holding still what is written to: a thread that is open, a person who asked for nothing to be forgotten meanwhile."""

from __future__ import annotations

from consent.exceptions import ConsentOutdated, ErasureInProgress
from consent.permit import Permit
from consent.services import renewed_permit
from foundation.exceptions import NotFound
from memory.exceptions import ThreadClosed
from memory.models import ResearchTask, Thread


def require_open(permit: Permit, thread: Thread) -> Thread:
    """The thread as it stands, locked until the transaction ends.

    Raises ``NotFound`` for one that is gone or not theirs, ``ThreadClosed`` for one that can only be read.
    """
    locked = Thread.objects.select_for_update().filter(pk=thread.pk, user_id=permit.user_id).first()
    if locked is None:
        raise NotFound()
    if locked.state == Thread.State.CLOSED:
        raise ThreadClosed()
    return locked


def require_unerased(permit: Permit, task: ResearchTask) -> Permit:
    """The permit that holds now, until the transaction ends.

    Raises ``ErasureInProgress`` where the user asked to forget anything since the task began, ``ConsentOutdated`` where
    their consent changed: it may quote what is gone, and is to begin anew.
    """
    current = renewed_permit(permit)
    if current.erasures != task.erasures:
        raise ErasureInProgress()
    if current.version != task.consent_version:
        raise ConsentOutdated()
    return current
