"""Delivers webhook events; those about memories only while their user consents to learning."""

from __future__ import annotations

from consent.permit import Permit
from consent.services import permit_for
from foundation.accounts.models import User
from foundation.outbox.jobs import Job
from foundation.personal_data import ConsentScope
from foundation.webhooks.delivery import deliver
from foundation.webhooks.models import OF_MEMORY, WebhookDelivery
from foundation.webhooks.services import resend


def deliver_permitted(job: Job) -> None:
    """Handle one attempt of a delivery; an event that may not be sent any more is cancelled."""
    deliver(job, _may_tell)


def _may_tell(delivery: WebhookDelivery) -> bool:
    if delivery.event not in OF_MEMORY:
        return True
    # Checks the scope, not ``allows``: a running erasure of other memories is no reason to withhold the event.
    return ConsentScope.MEMORY_LEARNING in permit_for(User.objects.get(pk=delivery.user_id)).scopes


def resend_permitted(permit: Permit, delivery: WebhookDelivery) -> WebhookDelivery:
    """Send an event once more; an event about a memory still needs the consent to learning.

    Raises ``ConsentScopeMissing``, and as ``resend``.
    """
    if delivery.event in OF_MEMORY:
        permit.require(ConsentScope.MEMORY_LEARNING)
    return resend(delivery)
