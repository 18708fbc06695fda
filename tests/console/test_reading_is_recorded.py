"""Who opens what people wrote is in the audit log: one event for a page."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.admin.utils import flatten_fieldsets
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.test import Client, RequestFactory
from django.urls import reverse

from consent.declarations import declaration_of
from consent.models import AuditEvent
from consent.permit import Permit
from finclaw.console.audit import LISTED_ACTION, OPENED_ACTION
from foundation.accounts.models import User
from foundation.admin import ModelAdmin
from foundation.database.acting_user import in_role
from foundation.database.roles import OPERATOR_ROLE
from memory.models import EvolutionProposal, MemoryItem, Receipt
from tests.console.conftest import SECRET

ITEMS = reverse("admin:memory_memoryitem_changelist")
# Text that no person wrote: codes, ids, names of our own code, figures, and what signs in.
OF_MACHINES = {
    "accounts.ApiToken": {"digest", "token_key", "name", "withheld_kinds"},  # no page; a name says which program
    "consent.AuditEvent": {"action", "counts", "details"},
    "consent.DataExport": {"source", "error_class"},
    "consent.ErasureRequest": {"reference"},  # one word of the operator's, of a ticket
    "consent.Tombstone": {"source", "legal_profile"},
    "drift.DriftSignal": {"drift_id", "object_ref", "schema_version"},
    "memory.Receipt": {
        "intent_type", "strategy", "policy_version", "stores_used", "degraded", "budget", "context_hash",
        "thresholds", "answered_by", "generation_metadata", "prompt_version",
    },
    "memory.ResearchTask": {"step", "advisors", "degraded", "model_id", "error_code"},
    "memory.SearchEntry": {"model_id", "judged_by", "verdict", "manipulative"},
    "memory.ToolReceipt": {"error_code"},
    "memory.TrainingAssetCandidate": {"object_ref"},
    "outbox.OutboxMessage": {"topic", "payload", "scope", "result", "error_class", "error_sqlstate"},
    "personas.PersonaSignal": {"slot", "value", "language"},
    "accounts.User": {"username", "display_name", "time_zone"},  # who somebody is, not what they said
}  # fmt: skip


def _events() -> list[AuditEvent]:
    with in_role(OPERATOR_ROLE):
        return list(AuditEvent.objects.filter(action__startswith="admin."))


def _item() -> MemoryItem:
    with in_role(OPERATOR_ROLE):
        return MemoryItem.objects.get()


def test_opening_a_memory_is_recorded_about_its_person(
    as_operator: Client, operator: User, alice: User, alices_rows: Permit
) -> None:
    item = _item()

    assert SECRET in as_operator.get(reverse("admin:memory_memoryitem_change", args=[item.pk])).content.decode()

    (event,) = _events()
    assert (event.action, event.actor_id, event.user_id) == (OPENED_ACTION, operator.pk, alice.pk)
    assert (event.subject_id, event.details) == (item.pk, {"page": "memory.memoryitem"})


def test_a_list_is_one_event_with_its_filters_and_without_what_was_searched_for(
    as_operator: Client, operator: User, alice: User, alices_rows: Permit
) -> None:
    as_operator.get(ITEMS, {"q": "alice", "state__exact": "active"})
    as_operator.get(ITEMS, {"q": "nobody here"})

    last, first = _events()
    assert (first.action, first.actor_id, first.user_id) == (LISTED_ACTION, operator.pk, alice.pk)
    assert first.details == {"page": "memory.memoryitem", "filters": {"state__exact": "active"}}
    assert first.counts == {"rows": 1, "page": 1, "searched": 1}
    assert (last.user_id, last.counts["rows"]) == (operator.pk, 0)
    assert "alice" not in str([first.details, first.counts])


def test_a_page_without_anybodys_words_is_not_recorded(as_operator: Client, alices_rows: Permit) -> None:
    with in_role(OPERATOR_ROLE):
        receipt = Receipt.objects.first()
    assert receipt is not None

    assert as_operator.get(reverse("admin:memory_receipt_change", args=[receipt.pk])).status_code == 200
    assert as_operator.get(reverse("admin:index")).status_code == 200

    assert _events() == []


def test_whose_words_a_governed_action_shows_is_recorded(as_operator: Client, alice: User, alices_rows: Permit) -> None:
    with in_role(OPERATOR_ROLE):
        proposal = EvolutionProposal.objects.get()
    selected = {"action": "withdraw", "_selected_action": [str(proposal.pk)]}

    page = as_operator.post(reverse("admin:memory_evolutionproposal_changelist"), selected)

    assert SECRET in page.content.decode()
    (event,) = _events()
    assert (event.action, event.user_id, event.subject_id) == (OPENED_ACTION, alice.pk, proposal.pk)


@pytest.mark.parametrize("model", admin.site._registry, ids=lambda model: model._meta.label)
def test_a_page_that_shows_text_of_people_says_so(model: type[models.Model], db: None) -> None:
    page: Any = admin.site._registry[model]
    assert isinstance(page, ModelAdmin)
    if declaration_of(model) is None or page.shows_personal_text:
        return
    request = RequestFactory().get("/")
    request.user = User(is_staff=True, is_superuser=True)
    shown = {*flatten_fieldsets(page.get_fieldsets(request, model())), *map(str, page.get_list_display(request))}

    texts = {field.name for field in model._meta.concrete_fields if field.name in shown and _is_text(field)}

    assert texts <= OF_MACHINES.get(model._meta.label, set())


def _is_text(field: models.Field[Any, Any]) -> bool:
    return isinstance(field, (models.TextField, models.CharField, models.JSONField, ArrayField)) and not field.choices
