"""A person's word on what their organisation may know of their memories (M-17)."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from finclaw.brain import promotion
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.personal_data import ConsentScope
from knowledge.models import KnowledgeEntry
from memory.models import EvolutionProposal
from memory.services.item_decisions import add_stated
from tests.support.api import MISSING, code_of, post, signed_in
from tests.support.cast import allow
from tests.support.organisation import employ

LIST = "/api/memories/proposals"


@pytest.fixture
def client(alice: User) -> APIClient:
    return signed_in(alice)


@pytest.fixture
def proposal(alice: User) -> EvolutionProposal:
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice)
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_stated(permit, "Answers are brief.")
        return EvolutionProposal.objects.create(
            user=alice, item=item, chain_id=item.chain_id, tenant_id=tenant.pk, text="Answers are brief.",
            statistics={"frequency_30d": 4}, consent_version=permit.version,
        )  # fmt: skip


def _decide(client: APIClient, proposal: EvolutionProposal, decision: str) -> tuple[int, str]:
    answer = post(client, f"{LIST}/{proposal.pk}", {"decision": decision})
    return answer.status_code, answer.json()["state"] if answer.status_code == 200 else code_of(answer)


def test_nobody_elses_is_listed_or_decided(charlie: User, proposal: EvolutionProposal) -> None:
    allow(charlie)
    outsider = signed_in(charlie)
    assert outsider.get(LIST).json()["results"] == []
    assert _decide(outsider, proposal, "agree") == (404, "not_found")


def test_without_the_scope_there_is_none(alice: User, client: APIClient, proposal: EvolutionProposal) -> None:
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    assert client.get(LIST).json()["results"] == []
    assert _decide(client, proposal, "agree") == (403, "consent_scope_missing")


@pytest.mark.parametrize("body", [{}, {"decision": "approve"}, {"decision": ""}, {"decision": "agree", "x": 1}])
def test_what_is_no_decision_is_refused(
    client: APIClient, proposal: EvolutionProposal, body: dict[str, object]
) -> None:
    assert post(client, f"{LIST}/{proposal.pk}", body).status_code == 400
    assert post(client, f"{LIST}/{MISSING}", {"decision": "agree"}).status_code == 404


def test_it_is_listed_with_the_words_that_others_would_read(client: APIClient, proposal: EvolutionProposal) -> None:
    (listed,) = client.get(LIST).json()["results"]

    assert listed["proposal_id"] == str(proposal.pk)
    assert (listed["text"], listed["state"]) == ("Answers are brief.", "candidate")
    assert listed["statistics"] == {"frequency_30d": 4}


@pytest.mark.parametrize(("decision", "state"), [("agree", "agreed"), ("decline", "declined")])
def test_its_person_decides_once(client: APIClient, proposal: EvolutionProposal, decision: str, state: str) -> None:
    assert _decide(client, proposal, "withdraw") == (409, "proposal_closed")
    assert _decide(client, proposal, decision) == (200, state)
    assert _decide(client, proposal, "agree") == (409, "proposal_closed")


def test_what_became_knowledge_is_taken_back(alice: User, client: APIClient, proposal: EvolutionProposal) -> None:
    _decide(client, proposal, "agree")
    with in_role(OPERATOR_ROLE):
        promotion.approve(proposal, alice.pk)
        assert KnowledgeEntry.objects.exists()

    assert _decide(client, proposal, "withdraw") == (200, "withdrawn")
    with in_role(OPERATOR_ROLE):
        assert not KnowledgeEntry.objects.exists()
