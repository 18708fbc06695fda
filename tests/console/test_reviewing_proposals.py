"""Operators review what people agreed to let their organisation know: asked first, audited, never for others."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission
from django.test import Client
from django.urls import reverse

from consent.models import AuditEvent
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from knowledge.models import KnowledgeEntry
from memory.models import EvolutionProposal
from memory.services import proposals
from memory.services.item_decisions import add_stated
from tests.support.cast import PASSWORD, allow
from tests.support.operators import sign_in_operator
from tests.support.organisation import employ
from tests.support.talk import permit_of

LIST = reverse("admin:memory_evolutionproposal_changelist")
TEXT = "Answers are brief."


@pytest.fixture
def proposal(alice: User) -> EvolutionProposal:
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice)
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_stated(permit, TEXT)
        return EvolutionProposal.objects.create(
            user=alice, item=item, chain_id=item.chain_id, tenant_id=tenant.pk, text=TEXT,
            statistics={"frequency_30d": 4}, consent_version=permit.version,
        )  # fmt: skip


@pytest.fixture
def agreed(alice: User, proposal: EvolutionProposal) -> EvolutionProposal:
    with acting_as(alice.pk):
        return proposals.agree(permit_of(alice), proposal.pk)


def _selection(action: str, proposal: EvolutionProposal, **more: str) -> dict[str, object]:
    return {"action": action, "_selected_action": [str(proposal.pk)], **more}


def _state(proposal: EvolutionProposal) -> str:
    with in_role(OPERATOR_ROLE):
        return EvolutionProposal.objects.get(pk=proposal.pk).state


def _known() -> list[str]:
    with in_role(OPERATOR_ROLE):
        return list(KnowledgeEntry.objects.values_list("text", flat=True))


def _page(proposal: EvolutionProposal) -> str:
    return reverse("admin:memory_evolutionproposal_change", args=[proposal.pk])


def test_the_words_are_not_shown_before_their_person_agreed(as_operator: Client, proposal: EvolutionProposal) -> None:
    assert TEXT not in as_operator.get(_page(proposal)).content.decode()


def test_the_words_are_shown_with_the_thresholds_they_passed(as_operator: Client, agreed: EvolutionProposal) -> None:
    content = as_operator.get(_page(agreed)).content.decode()
    assert TEXT in content
    assert "frequency_30d: 4" in content


@pytest.mark.parametrize("action", ["approve", "reject"])
def test_it_is_asked_first_and_nothing_has_happened_yet(
    as_operator: Client, agreed: EvolutionProposal, action: str
) -> None:
    page = as_operator.post(LIST, _selection(action, agreed))

    assert TEXT in page.content.decode()
    assert _state(agreed) == "agreed"
    assert _known() == []


def test_an_approval_writes_knowledge_and_is_audited(
    as_operator: Client, operator: User, agreed: EvolutionProposal
) -> None:
    as_operator.post(LIST, _selection("approve", agreed, confirmed="yes"))

    assert (_state(agreed), _known()) == ("approved", [TEXT])
    with in_role(OPERATOR_ROLE):
        audit = AuditEvent.objects.get(action="proposal.approved")
    assert (audit.user_id, audit.actor_id) == (agreed.user_id, operator.pk)
    assert LogEntry.objects.filter(user=operator, object_id=str(agreed.pk)).exists()


def test_what_was_approved_is_taken_back(as_operator: Client, agreed: EvolutionProposal) -> None:
    as_operator.post(LIST, _selection("approve", agreed, confirmed="yes"))
    as_operator.post(LIST, _selection("withdraw", agreed, confirmed="yes"))

    assert (_state(agreed), _known()) == ("withdrawn", [])


def test_one_turned_down_becomes_nothing(as_operator: Client, agreed: EvolutionProposal) -> None:
    as_operator.post(LIST, _selection("reject", agreed, confirmed="yes"))
    assert (_state(agreed), _known()) == ("rejected", [])


@pytest.mark.parametrize("action", ["approve", "reject", "withdraw"])
def test_nothing_is_decided_before_its_person_agreed(
    as_operator: Client, proposal: EvolutionProposal, action: str
) -> None:
    as_operator.post(LIST, _selection(action, proposal, confirmed="yes"))
    assert (_state(proposal), _known()) == ("candidate", [])


def test_an_operator_without_the_permission_looks_and_decides_nothing(
    client: Client, agreed: EvolutionProposal
) -> None:
    oscar = User.objects.create_user(username="oscar", password=PASSWORD, is_staff=True)
    oscar.user_permissions.add(Permission.objects.get(codename="view_evolutionproposal"))
    sign_in_operator(client, oscar)

    assert client.get(LIST).status_code == 200
    client.post(LIST, _selection("approve", agreed, confirmed="yes"))
    assert (_state(agreed), _known()) == ("agreed", [])
