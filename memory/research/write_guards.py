"""Checks before writes to research that the thread is open, and that nothing was erased meanwhile."""

from __future__ import annotations

from consent.exceptions import ConsentOutdated, ErasureInProgress
from consent.permit import Permit
from consent.services import renewed_permit
from foundation.exceptions import require_found
from memory.exceptions import ThreadClosed
from memory.models import ResearchTask, Thread


def require_open(permit: Permit, thread: Thread) -> Thread:
    """The open thread, locked until the transaction ends.

    Raises ``NotFound`` for one that is gone or not the user's, ``ThreadClosed`` for one that can only be read.
    """
    locked = require_found(Thread.objects.select_for_update().filter(pk=thread.pk, user_id=permit.user_id).first())
    if locked.state == Thread.State.CLOSED:
        raise ThreadClosed()
    return locked


def require_unerased(permit: Permit, task: ResearchTask) -> Permit:
    """The present permit, held until the transaction ends, if nothing was erased since the task began.

    Raises ``ErasureInProgress`` if the user has requested an erasure since, ``ConsentOutdated`` if their consent has
    changed. The task may quote what was erased, so it has to begin again.
    """
    current = renewed_permit(permit)
    if current.erasures != task.erasures:
        raise ErasureInProgress()
    if current.version != task.consent_version:
        raise ConsentOutdated()
    return current
