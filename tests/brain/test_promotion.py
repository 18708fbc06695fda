"""From a memory to knowledge and back: the person agrees, an operator approves, and either takes it back (M-17)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from consent.exceptions import ConsentScopeMissing
from consent.models import AuditEvent
from consent.permit import Permit
from consent.services import withdraw_consent
from finclaw.brain import promotion
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.exceptions import NotFound
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from knowledge.models import KnowledgeEntry
from memory.exceptions import ProposalClosed
from memory.models import EvolutionProposal, MemoryItem, Receipt, ReceiptLine
from memory.services import item_decisions, items, proposals
from memory.services.versions import ItemDraft, learning_transaction, store_version
from tests.support.cast import allow
from tests.support.organisation import employ, know
from tests.support.talk import open_session, permit_of

TEXT = "Prefers answers in bullet points"


@pytest.fixture
def tenant(alice: User, bob: User) -> Tenant:
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice, bob)
    return tenant


@pytest.fixture
def permit(alice: User, tenant: Tenant) -> Permit:
    return allow(alice)


@pytest.fixture
def memory(alice: User, permit: Permit) -> MemoryItem:
    """A memory of Alice's over every threshold."""
    now = timezone.now()
    draft = ItemDraft(
        TEXT, "preference", "preference", "confirmed_by_user", 0.9, source_sessions=(new_id(), new_id()),
        attributes={"subject": "user", "slot": "reply_style", "value": "bullet points"},
    )  # fmt: skip
    session = open_session(alice)
    with acting_as(alice.pk):
        with learning_transaction(permit):
            item = store_version(permit, draft, now=now, valid_at=now)
        for _ in range(3):
            receipt = Receipt.objects.create(
                kind="injection", user=alice, session=session, message_id=new_id(), policy_version="1",
                consent_version=1,
            )  # fmt: skip
            ReceiptLine.objects.create(
                receipt=receipt, user=alice, kind="item", ref_id=item.pk, rank=1, status="accepted",
                decision_reason="relevance", candidate_score=0.5,
            )  # fmt: skip
    return item


@pytest.fixture
def proposal(alice: User, memory: MemoryItem) -> EvolutionProposal:
    assert promotion.nominate() == 1
    return _reread(alice)


@pytest.fixture
def agreed(alice: User, proposal: EvolutionProposal) -> EvolutionProposal:
    with acting_as(alice.pk):
        return proposals.agree(permit_of(alice), proposal.pk)


@pytest.fixture
def operator(db: None) -> User:
    return User.objects.create_superuser(username="olivia", password="a long enough pass phrase")


def _reread(user: User) -> EvolutionProposal:
    with acting_as(user.pk):
        return EvolutionProposal.objects.get()


def _known(user: User) -> list[str]:
    with acting_as(user.pk):
        return list(KnowledgeEntry.objects.values_list("text", flat=True))


def _as_operator(act: Callable[[], object]) -> None:
    with in_role(OPERATOR_ROLE):
        act()


def test_only_the_person_decides_on_it(bob: User, proposal: EvolutionProposal) -> None:
    permit = allow(bob)
    for decide in (proposals.agree, proposals.decline):
        with pytest.raises(NotFound), acting_as(bob.pk):
            decide(permit, proposal.pk)


def test_nothing_becomes_knowledge_that_its_person_did_not_agree_to(
    alice: User, proposal: EvolutionProposal, operator: User
) -> None:
    with pytest.raises(ProposalClosed):
        _as_operator(lambda: promotion.approve(proposal, operator.pk))
    assert _known(alice) == []


def test_what_both_agree_to_is_known_to_every_member(
    alice: User, bob: User, charlie: User, agreed: EvolutionProposal, operator: User
) -> None:
    _as_operator(lambda: promotion.approve(agreed, operator.pk))

    assert (_known(bob), _known(charlie)) == ([TEXT], [])
    decided = _reread(alice)
    assert (decided.state, decided.reviewed_by) == ("approved", operator.pk)
    assert decided.knowledge_id is not None
    with acting_as(alice.pk):
        entry = KnowledgeEntry.objects.get(pk=decided.knowledge_id)
        audit = AuditEvent.objects.get(action="proposal.approved")
        assert not KnowledgeEntry.history.exists()
    assert (entry.kind, entry.derived_from_user, entry.slot) == ("fact", alice.pk, "reply_style")
    assert (audit.actor_id, audit.subject_id) == (operator.pk, agreed.pk)


def test_it_is_not_approved_twice(agreed: EvolutionProposal, operator: User) -> None:
    _as_operator(lambda: promotion.approve(agreed, operator.pk))
    with pytest.raises(ProposalClosed):
        _as_operator(lambda: promotion.approve(agreed, operator.pk))


def test_what_an_operator_turns_down_stays_a_memory(
    alice: User, memory: MemoryItem, agreed: EvolutionProposal, operator: User
) -> None:
    _as_operator(lambda: promotion.reject(agreed, operator.pk))

    assert _known(alice) == []
    assert _reread(alice).state == "rejected"
    assert promotion.nominate() == 0


def test_what_its_person_declines_is_not_asked_again(alice: User, proposal: EvolutionProposal, operator: User) -> None:
    with acting_as(alice.pk):
        proposals.decline(permit_of(alice), proposal.pk)

    with pytest.raises(ProposalClosed):
        _as_operator(lambda: promotion.approve(proposal, operator.pk))
    assert promotion.nominate() == 0


def test_a_memory_that_was_corrected_since_is_not_agreed_to(
    alice: User, memory: MemoryItem, proposal: EvolutionProposal
) -> None:
    with acting_as(alice.pk):
        item_decisions.correct(permit_of(alice), memory.pk, "Prefers long answers")
        with pytest.raises(ProposalClosed):
            proposals.agree(permit_of(alice), proposal.pk)


def test_a_memory_that_was_confirmed_since_still_is(
    alice: User, memory: MemoryItem, proposal: EvolutionProposal
) -> None:
    with acting_as(alice.pk):
        items.confirm(permit_of(alice), memory.pk)
        assert proposals.agree(permit_of(alice), proposal.pk).state == "agreed"


def test_whoever_left_the_organisation_gives_it_nothing(alice: User, agreed: EvolutionProposal, operator: User) -> None:
    employ(Tenant.objects.create(name="Tanganyika Ltd"), alice)
    with pytest.raises(ProposalClosed):
        _as_operator(lambda: promotion.approve(agreed, operator.pk))


@pytest.mark.parametrize("by_operator", [False, True])
def test_it_can_be_taken_back(
    alice: User, bob: User, agreed: EvolutionProposal, operator: User, by_operator: bool
) -> None:
    _as_operator(lambda: promotion.approve(agreed, operator.pk))
    if by_operator:
        _as_operator(lambda: promotion.withdraw_for(agreed, operator.pk))
    else:
        with acting_as(alice.pk):
            promotion.withdraw(permit_of(alice), agreed.pk)

    assert _known(bob) == []
    assert _reread(alice).state == "withdrawn"
    with acting_as(alice.pk):
        audit = AuditEvent.objects.get(action="proposal.withdrawn")
    assert audit.actor_id == (operator.pk if by_operator else alice.pk)


def test_withdrawing_the_consent_takes_it_from_knowledge_at_once(
    alice: User, bob: User, agreed: EvolutionProposal, operator: User
) -> None:
    _as_operator(lambda: promotion.approve(agreed, operator.pk))
    with acting_as(alice.pk):
        consent_id = permit_of(alice).consent_id
        assert consent_id is not None
        _, effects = withdraw_consent(alice, consent_id, [ConsentScope.MEMORY_LEARNING], source="api")

    assert _known(bob) == []
    assert effects.profile_contexts_deleted == 0


def test_without_the_consent_nothing_is_approved_even_were_it_granted_again(
    alice: User, agreed: EvolutionProposal, operator: User
) -> None:
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    with pytest.raises(ConsentScopeMissing):
        _as_operator(lambda: promotion.approve(agreed, operator.pk))
    allow(alice)
    with pytest.raises(NotFound):
        _as_operator(lambda: promotion.approve(agreed, operator.pk))


def test_what_contradicts_the_organisations_knowledge_is_not_proposed(
    alice: User, tenant: Tenant, memory: MemoryItem
) -> None:
    know(tenant, "Answers are whole sentences.", kind="rule", subject="user", slot="reply_style")
    assert promotion.nominate() == 0
