"""Lets rows wait for something external, such as a provider that is down, without using up an attempt."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Least
from django.utils import timezone

from foundation.database.acting_user import in_role
from foundation.database.roles import WORKER_ROLE
from foundation.llm.exceptions import ProviderFailure
from foundation.outbox.exceptions import WorkSuspended
from foundation.outbox.leases import leased_row
from foundation.outbox.models import OutboxMessage
from foundation.outbox.services import fail, pause_after
from foundation.outbox.worker_wakeup import wake_worker

State = OutboxMessage.State
SUSPENDED_FOR: Final = timedelta(minutes=10)
MOST_UNANSWERED: Final = 50
"""How often a server may fail at one job before the job itself counts as the cause."""
DOWN_FOR_SECONDS: Final = 10.0
"""How long a provider that is down is not asked again, where its failure gives no time."""
_BUSY: Final = "busy"
_BUSY_PAUSE: Final = timedelta(seconds=2)
"""How long a row pauses when its process had no free model call."""
_LONGEST_PAUSE: Final = timedelta(minutes=5)
_DOWN: Final = "ProviderDown"
_SUSPENDED: Final = WorkSuspended.__name__


def suspend(message: OutboxMessage) -> None:
    """Let the row wait until ``resume_suspended``; it is tried now and then meanwhile. No attempt is used up."""
    with in_role(WORKER_ROLE):
        leased_row(message).update(
            state=State.PENDING,
            attempts=F("attempts") - 1,
            available_at=timezone.now() + SUSPENDED_FOR,
            leased_until=None,
            error_class=_SUSPENDED,
            error_sqlstate="",
        )


def is_certain(failure: ProviderFailure) -> bool:
    """Whether the provider itself is surely down.

    False where one job's text may have caused the failure (a time-out, a server error), and where no request was sent
    because this process has no free call (``busy``).
    """
    return not failure.may_be_its_doing and failure.reason != _BUSY


def provider_pause_seconds(failure: ProviderFailure) -> float:
    """How long a provider that failed for certain need not be asked again."""
    return failure.retry_after_seconds or DOWN_FOR_SECONDS


def wait_for_provider(message: OutboxMessage, failure: ProviderFailure) -> str:
    """Let the row wait for a provider that is down, or for a free model call of this process.

    No attempt is used up. But where the row itself may cause the failure, it becomes a dead letter at the
    ``MOST_UNANSWERED``th attempt. Returns the outcome as a label of the metric ``outbox_finished_total``.
    """
    if failure.may_be_its_doing and message.attempts >= MOST_UNANSWERED:
        fail(message, failure, final=True)
        return "failed"
    tried = {"max_attempts": Least(F("max_attempts") + 1, MOST_UNANSWERED)}
    with in_role(WORKER_ROLE):
        leased_row(message).update(
            state=State.PENDING,
            available_at=timezone.now() + _pause(message, failure),
            leased_until=None,
            error_class=_DOWN if is_certain(failure) else type(failure).__name__,
            error_sqlstate="",
            **(tried if failure.may_be_its_doing else {"attempts": F("attempts") - 1}),
        )
    return _outcome(failure)


def _outcome(failure: ProviderFailure) -> str:
    if failure.reason == _BUSY:
        return "line_full"
    return "provider_down" if is_certain(failure) else "provider_failed"


def _pause(message: OutboxMessage, failure: ProviderFailure) -> timedelta:
    if failure.reason == _BUSY:
        return _BUSY_PAUSE
    if is_certain(failure):
        return timedelta(seconds=provider_pause_seconds(failure))
    return min(pause_after(message.attempts), _LONGEST_PAUSE)


def topics_waiting_for_provider() -> QuerySet[OutboxMessage, str]:
    """Topics with rows (visible to the current role) that wait because their provider is down."""
    turned_away = OutboxMessage.objects.filter(state=State.PENDING, error_class=_DOWN)
    return turned_away.order_by().values_list("topic", flat=True).distinct()


def resume_suspended() -> int:
    """Let all suspended work go on at once; answers how many rows."""
    with in_role(WORKER_ROLE):
        waiting = OutboxMessage.objects.filter(state=State.PENDING, error_class=_SUSPENDED)
        resumed = waiting.update(available_at=timezone.now(), error_class="")
    transaction.on_commit(wake_worker)
    return resumed
