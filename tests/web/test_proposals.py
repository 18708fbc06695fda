"""Sharing a memory with one's organisation is asked about under Privacy, and taken back there."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from memory.models import EvolutionProposal
from tests.support.cast import allow
from tests.web.support import memory_of, signed_in

State = EvolutionProposal.State


@pytest.fixture
def proposal(alice: User) -> EvolutionProposal:
    """A memory of Alice's that her organisation could learn from."""
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    User.objects.filter(pk=alice.pk).update(tenant=tenant)
    permit = allow(alice)
    item = memory_of(alice, "Alice prefers answers in bullet points")
    with acting_as(alice.pk):
        return EvolutionProposal.objects.create(
            user=alice, item=item, chain_id=item.chain_id, tenant_id=tenant.pk, text="Prefers answers in bullet points",
            consent_version=permit.version,
        )  # fmt: skip


def answer(browser: Client, proposal: EvolutionProposal, said: str) -> str:
    """Press one of its buttons; the page that follows."""
    page = browser.post(reverse("web:proposal_answer", args=[proposal.pk, said]), follow=True)
    return page.content.decode()


def state_of(proposal: EvolutionProposal) -> str:
    with acting_as(proposal.user_id):
        return EvolutionProposal.objects.get(pk=proposal.pk).state


def test_an_outsider_neither_sees_nor_answers_it(charlie: User, proposal: EvolutionProposal) -> None:
    allow(charlie)
    browser = signed_in(charlie)
    assert "bullet points" not in browser.get(reverse("web:privacy")).content.decode()
    for said in ("agree", "decline", "withdraw"):
        assert browser.post(reverse("web:proposal_answer", args=[proposal.pk, said])).status_code == 404
    assert state_of(proposal) == State.CANDIDATE


def test_it_takes_a_post_and_an_answer_that_exists(alice: User, proposal: EvolutionProposal) -> None:
    browser = signed_in(alice)
    assert browser.get(reverse("web:proposal_answer", args=[proposal.pk, "agree"])).status_code == 405
    assert browser.post(reverse("web:proposal_answer", args=[proposal.pk, "approve"])).status_code == 404
    assert state_of(proposal) == State.CANDIDATE


def test_it_shows_the_very_words_and_whom_they_would_reach(alice: User, proposal: EvolutionProposal) -> None:
    page = signed_in(alice).get(reverse("web:privacy"))
    assert "May I share this with Krugerrand Ltd, without your name?" in page.content.decode()
    assert [one["text"] for one in page.context["proposals"]] == ["Prefers answers in bullet points"]


def test_what_was_agreed_to_can_be_taken_back_until_and_after_it_is_shared(
    alice: User, proposal: EvolutionProposal
) -> None:
    browser = signed_in(alice)
    assert "Somebody there has yet to look at it." in answer(browser, proposal, "agree")
    assert state_of(proposal) == State.AGREED
    with acting_as(alice.pk):
        EvolutionProposal.objects.update(state=State.APPROVED, reviewed_at=timezone.now())
    assert "Shared, without your name." in browser.get(reverse("web:privacy")).content.decode()
    assert "no longer has it" in answer(browser, proposal, "withdraw")
    assert state_of(proposal) == State.WITHDRAWN


def test_what_was_declined_is_not_asked_again(alice: User, proposal: EvolutionProposal) -> None:
    browser = signed_in(alice)
    assert "Then it stays between us." in answer(browser, proposal, "decline")
    assert browser.get(reverse("web:privacy")).context["proposals"] == []
    assert "decided already" in answer(browser, proposal, "agree")
    assert state_of(proposal) == State.DECLINED
