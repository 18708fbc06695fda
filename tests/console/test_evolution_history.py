"""Operators see how a memory came to be and changed, by which rule, without its words."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import EvolutionEvent, MemoryItem
from tests.support.cast import allow
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True)
LIST = reverse("admin:memory_evolutionevent_changelist")


@pytest.fixture
def corrected(alice: User) -> Permit:
    """Alice said something and corrected it."""
    permit = allow(alice)
    say(alice, open_session(alice), "I live in Berlin.")
    drain()
    say(alice, open_session(alice), "No, I live in Lisbon, not in Berlin.")
    drain()
    return permit


def test_a_memorys_history_leads_to_its_changes(as_operator: Client, corrected: Permit) -> None:
    with acting_as(corrected.user_id):
        item = MemoryItem.objects.exclude(superseded_at=None).get()
    page = as_operator.get(reverse("admin:memory_memoryitem_history", args=[item.pk]), follow=True)
    assert page.redirect_chain
    actions = {change.action for change in page.context["cl"].result_list}
    assert {EvolutionEvent.Action.ADDED, EvolutionEvent.Action.SUPERSEDED} <= actions
    assert "Berlin" not in page.content.decode()
    assert "Lisbon" not in page.content.decode()


def test_changes_are_found_by_what_happened_and_who_did_it(as_operator: Client, corrected: Permit) -> None:
    def found(**query: str) -> int:
        return int(as_operator.get(LIST, query).context["cl"].result_count)

    assert found(action="added") >= 1
    assert found(action="fused") == 0
    assert found(actor="pipeline") >= 2
    assert found(actor="governor") == 0
    assert found(undone_at__isempty="0") == 0


def test_a_history_is_read_not_written(as_operator: Client, corrected: Permit) -> None:
    with acting_as(corrected.user_id):
        change = EvolutionEvent.objects.first()
    assert change is not None
    page = reverse("admin:memory_evolutionevent_change", args=[change.pk])
    assert as_operator.get(page).status_code == 200
    assert as_operator.post(page, {"rule": "mine"}).status_code == 403
    assert as_operator.get(reverse("admin:memory_evolutionevent_add")).status_code == 403
    assert as_operator.post(reverse("admin:memory_evolutionevent_delete", args=[change.pk])).status_code == 403
