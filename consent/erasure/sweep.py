"""Looks through open erasures every minute, so that none is lost and none stalls unseen."""

from __future__ import annotations

from consent.erasure import services
from consent.erasure.journal import append_to_journal, journal_ids
from consent.models import Tombstone
from consent.models.erasure_states import ErasureState
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE, WORKER_ROLE
from foundation.outbox.models import OutboxMessage


def sweep_erasures() -> None:
    """Every minute: escalate what the outbox gave up, queue again what it lost, and complete the journal."""
    with in_role(OPERATOR_ROLE):
        open_ones = list(Tombstone.objects.filter(completed_at=None).exclude(state=ErasureState.ESCALATED))
    with in_role(WORKER_ROLE):
        states = dict(
            OutboxMessage.objects.filter(pk__in=[tombstone.pk for tombstone in open_ones]).values_list("pk", "state")
        )
    for tombstone in open_ones:
        state = states.get(tombstone.pk)
        if state == OutboxMessage.State.FAILED:
            services.escalate_erasure(tombstone.pk, tombstone.user_id, reason="attempts_used_up")
        elif state is None:
            services.queue_erasure(tombstone)
    _complete_journal(open_ones)


def _complete_journal(open_ones: list[Tombstone]) -> None:
    """Append erasures whose line is missing or incomplete because their process died after the commit."""
    if open_ones:
        known = journal_ids()
        for tombstone in open_ones:
            if tombstone.pk not in known:
                append_to_journal(tombstone)
