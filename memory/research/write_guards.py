"""Guards for writes to research: the thread is open, and nothing was erased meanwhile."""

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

    Raises ``ErasureInProgress`` where the user asked to forget anything since, ``ConsentOutdated`` where their consent
    changed: the task may quote what is gone, and is to begin again.
    """
    current = renewed_permit(permit)
    if current.erasures != task.erasures:
        raise ErasureInProgress()
    if current.version != task.consent_version:
        raise ConsentOutdated()
    return current
