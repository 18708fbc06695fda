"""Operators find receipts by what happened, and go from a line to what it speaks of, reading no words on the way."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from consent.permit import Permit
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from memory.models import MemoryItem, Receipt
from tests.console.conftest import SECRET
from tests.support.experiments import draft, make_staff

LIST = reverse("admin:memory_receipt_changelist")


@pytest.fixture
def receipt(alices_rows: Permit) -> Receipt:
    """A receipt of Alice's whose turn ran without vectors and had no room for all."""
    with acting_as(alices_rows.user_id), in_role(ERASER_ROLE):
        Receipt.objects.update(degraded=["vector_unavailable"], budget_exceeded=True, strategy="lexical")
        return Receipt.objects.get()


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({"kind": "injection"}, 1), ({"kind": "retrieval"}, 0),
        ({"degraded": "yes"}, 1), ({"degraded": "no"}, 0),
        ({"degraded": "vector_unavailable"}, 1), ({"degraded": "knowledge_timeout"}, 0),
        ({"budget_exceeded__exact": "1"}, 1), ({"budget_exceeded__exact": "0"}, 0),
        ({"strategy": "lexical"}, 1), ({"strategy": "rrf"}, 0),
        ({"closed_at__isempty": "1"}, 1), ({"closed_at__isempty": "0"}, 0),
        ({"created_at__year": "1999"}, 0),
    ],
)  # fmt: skip
def test_receipts_are_found_by_what_happened(
    as_operator: Client, receipt: Receipt, query: dict[str, str], found: int
) -> None:
    assert as_operator.get(LIST, query).context["cl"].result_count == found


def test_a_receipt_leads_to_its_session_and_items_and_shows_no_words(as_operator: Client, receipt: Receipt) -> None:
    with acting_as(receipt.user_id):
        item = MemoryItem.objects.get()
    page = as_operator.get(reverse("admin:memory_receipt_change", args=[receipt.pk])).content.decode()
    assert reverse("admin:memory_memoryitem_change", args=[item.pk]) in page
    assert str(receipt.session_id) in page
    assert SECRET not in page


def test_a_receipt_leads_to_how_its_tools_ran(as_operator: Client, receipt: Receipt) -> None:
    tools = reverse("admin:memory_toolreceipt_changelist")
    page = as_operator.get(reverse("admin:memory_receipt_change", args=[receipt.pk])).content.decode()
    assert f'<a href="{tools}?q={receipt.message_id}"><code>cognitive_search_events</code> (Done)</a>' in page
    listed = as_operator.get(tools, {"q": str(receipt.message_id)})
    assert listed.context["cl"].result_count == 1
    [row] = listed.context["cl"].result_list
    page = as_operator.get(reverse("admin:memory_toolreceipt_change", args=[row.pk])).content.decode()
    assert "found 2, taken 1" in page
    assert "12.3 ms" in page
    assert as_operator.get(tools, {"outcome__exact": "failed"}).context["cl"].result_count == 0


def test_a_receipt_is_written_for_people(as_operator: Client, receipt: Receipt) -> None:
    with acting_as(receipt.user_id), in_role(ERASER_ROLE):
        Receipt.objects.update(
            latency_ms=12.345678901234567, budget={"personal_context": 4000, "summary_blocks": 3000},
            thresholds={"cosine": 0.3}, stores_used=["memory"],
        )  # fmt: skip
        receipt.lines.update(signals={"lexical": 1.23456789, "semantic": 0.5})
    for address in (LIST, reverse("admin:memory_receipt_change", args=[receipt.pk])):
        page = as_operator.get(address).content.decode()
        assert "12.3 ms" in page
        assert "12.345" not in page
    assert "summary_blocks 3000, personal_context 4000" in page
    assert "cosine 0.3" in page
    assert "lexical 1.235, semantic 0.5" in page
    assert "personal_context&" not in page
    assert "cosine&" not in page
    assert "[&#x27;" not in page


def test_a_receipt_of_a_turn_that_searched_nothing_says_why(as_operator: Client, receipt: Receipt) -> None:
    with acting_as(receipt.user_id), in_role(ERASER_ROLE):
        Receipt.objects.update(unsearched_because="boundary", latency_ms=None, strategy="")

    page = as_operator.get(reverse("admin:memory_receipt_change", args=[receipt.pk])).content.decode()

    assert "a request to act, which is refused" in page
    assert as_operator.get(LIST, {"unsearched_because__exact": "boundary"}).context["cl"].result_count == 1


def test_a_receipt_is_read_not_written(as_operator: Client, receipt: Receipt) -> None:
    page = reverse("admin:memory_receipt_change", args=[receipt.pk])
    assert as_operator.post(page, {"policy_version": "9"}).status_code == 403
    assert as_operator.get(reverse("admin:memory_receipt_add")).status_code == 403


def test_a_receipt_names_the_variants_by_which_its_answer_was_made(as_operator: Client, receipt: Receipt) -> None:
    experiment = draft(make_staff("olga", "operator"))
    for query in ({"experiment": "yes"}, {"experiment": str(experiment.pk)}):
        assert as_operator.get(LIST, query).context["cl"].result_count == 0
    with acting_as(receipt.user_id), in_role(ERASER_ROLE):
        named = {"experiments": {str(experiment.pk): "warm"}}
        Receipt.objects.filter(pk=receipt.pk).update(generation_metadata=named, prompt_version="2")

    for query, found in (({"experiment": "yes"}, 1), ({"experiment": str(experiment.pk)}, 1), ({"experiment": "x"}, 0)):
        assert as_operator.get(LIST, query).context["cl"].result_count == found
    page = as_operator.get(reverse("admin:memory_receipt_change", args=[receipt.pk])).content.decode()
    address = reverse("admin:consent_experiment_change", args=[experiment.pk])
    assert f'<a href="{address}">{experiment.pk}</a>: warm' in page
