"""Archives conversations: closes them for new messages and lets the historian turn what users said into events."""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

import structlog
from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import FinClawError
from foundation.personal_data import ConsentScope
from memory.historian.services import end
from memory.historian.unreported_messages import messages_to_report
from memory.models import Session
from memory.services import sessions
from memory.types import EndInput

BATCH: Final = 500  # conversations a sweep
log = structlog.get_logger(__name__)


def archive_session(permit: Permit, user: User, session: Session) -> Session:
    """Archive a conversation. The first time, if learning is allowed, the user's messages are handed to the historian.

    In a group these are the user's own messages alone: everybody else's belong to them.
    """
    if session.archived_at is None:
        sessions.archive(session)
        if session.remember and permit.allows(ConsentScope.MEMORY_LEARNING):
            _end_conversation(permit, user, session)
        sessions.mark_ended(session)
    return session


def archive_quiet() -> int:
    """Archive conversations past their retention once nothing was said in them for as long; returns how many.

    For the schedule. Temporary ones are not archived but deleted.
    """
    return sum(_archive_one(user_id, session_id) for user_id, session_id in _quiet_sessions())


def _quiet_sessions() -> list[tuple[UUID, UUID]]:
    """The conversations to archive, each as its user's id and its own."""
    now = timezone.now()
    quiet = now - timedelta(hours=settings.SESSION_TTL_HOURS)
    over = Session.objects.filter(
        archived_at=None, remember=True, last_seq__gt=0, expires_at__lte=now, last_active_at__lte=quiet
    )
    with in_role(OPERATOR_ROLE):
        return list(over.order_by("expires_at").values_list("user_id", "pk")[:BATCH])


def _archive_one(user_id: UUID, session_id: UUID) -> bool:
    try:
        with acting_as(user_id):
            user, session = User.objects.get(pk=user_id), Session.objects.get(pk=session_id)
            archive_session(permit_for(user), user, session)
    except (FinClawError, Session.DoesNotExist) as error:  # most likely erased meanwhile; the others must go on
        log.warning("not_archived", session=str(session_id), error=type(error).__name__)
        return False
    return True


def _end_conversation(permit: Permit, user: User, session: Session) -> None:
    request_id = f"archive-{session.pk}-{session.last_seq}"  # a new id if it is reopened and archived with more in it
    said = messages_to_report(permit, session, request_id)
    if not said:
        return
    request = EndInput(
        request_id=request_id,
        force=True,
        occurred_at=said[-1].occurred_at,
        message_ids=tuple(message.pk for message in said),
    )
    end(permit, user, session, request)
