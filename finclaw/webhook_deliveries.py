"""Webhooks are told of memories only while their user allows them to be learned."""

from __future__ import annotations

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from foundation.webhooks.delivery import deliver
from foundation.webhooks.models import OF_MEMORY, WebhookDelivery


def deliver_permitted(job: Job) -> None:
    """Handle one attempt of a delivery; what may be told no longer is cancelled."""
    deliver(job, _may_tell)


def _may_tell(delivery: WebhookDelivery) -> bool:
    if delivery.event not in OF_MEMORY:
        return True
    # The scope alone: an erasure under way elsewhere in the memory is no reason to withhold what stays.
    return ConsentScope.MEMORY_LEARNING in permit_for(User.objects.get(pk=delivery.user_id)).scopes
