"""Which memories are proposed to become knowledge: five thresholds, each by itself (M-17, seed B §2.3)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone

from consent.permit import Permit
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.ids import new_id
from foundation.personal_data import ConsentScope
from memory.models import EvolutionEvent, EvolutionProposal, MemoryItem, Receipt, ReceiptLine
from memory.services import promotion
from memory.services.versions import ItemDraft, learning_transaction, store_version
from tests.support.cast import allow
from tests.support.organisation import employ
from tests.support.talk import open_session

PASSING: dict[str, Any] = {
    "content": "Prefers answers in bullet points",
    "memory_type": "preference",
    "epistemic_type": "preference",
    "provenance": "confirmed_by_user",
    "confidence": promotion.CANDIDATE_CONFIDENCE,
    "attributes": {"subject": "user", "slot": "reply_style", "value": "bullet points"},
}


@pytest.fixture
def permit(alice: User) -> Permit:
    employ(Tenant.objects.create(name="Krugerrand Ltd"), alice)
    return allow(alice)


@pytest.fixture
def learn(alice: User, permit: Permit) -> Callable[..., MemoryItem]:
    """A memory that was put before the model ``hits`` times, ``days_ago``, from so many conversations."""

    def learned(*, sessions: int = promotion.SOURCE_SESSIONS, hits: int = promotion.FREQUENCY, days_ago: int = 1,
                **changes: Any) -> MemoryItem:  # fmt: skip
        draft = ItemDraft(source_sessions=tuple(new_id() for _ in range(sessions)), **(PASSING | changes))
        now = timezone.now()
        with acting_as(alice.pk), learning_transaction(permit):
            item = store_version(permit, draft, now=now, valid_at=now)
        for _ in range(hits):
            _inject(alice, item.pk, now - timedelta(days=days_ago))
        return item

    return learned


def _inject(user: User, item_id: UUID, at: Any, status: str = "accepted") -> None:
    session = open_session(user)
    with acting_as(user.pk), in_role(ERASER_ROLE):
        receipt = Receipt.objects.create(
            kind="injection", user=user, session=session, message_id=new_id(), policy_version="1", consent_version=1
        )
        Receipt.objects.filter(pk=receipt.pk).update(created_at=at)
        ReceiptLine.objects.create(
            receipt=receipt, user=user, kind="item", ref_id=item_id, rank=1, status=status,
            decision_reason="relevance", candidate_score=0.5,
        )  # fmt: skip


def _candidates(user: User, permit: Permit) -> list[promotion.PromotionCandidate]:
    with acting_as(user.pk):
        return list(promotion.promotion_candidates(permit, user))


def test_a_memory_at_every_threshold_is_a_candidate(
    alice: User, permit: Permit, learn: Callable[..., MemoryItem]
) -> None:
    item = learn()
    (found,) = _candidates(alice, permit)

    assert (found.item_id, found.text, found.slot) == (item.pk, item.content, "reply_style")
    assert (found.confidence, found.frequency_30d, found.source_session_count) == (0.75, 3, 2)


@pytest.mark.parametrize(
    "below",
    [
        {"confidence": promotion.CANDIDATE_CONFIDENCE - 0.01},
        {"hits": promotion.FREQUENCY - 1},
        {"days_ago": promotion.FREQUENCY_WITHIN.days + 1},
        {"sessions": promotion.SOURCE_SESSIONS - 1},
        {"epistemic_type": "opinion"},
        {"epistemic_type": "outdated"},
        {"quarantined": True},
    ],
    ids=str,
)
def test_below_any_one_of_them_it_is_not(
    alice: User, permit: Permit, learn: Callable[..., MemoryItem], below: dict[str, Any]
) -> None:
    learn(**below)
    assert _candidates(alice, permit) == []


def test_a_confirmation_counts_as_often_as_a_hit_and_a_rejected_line_does_not(
    alice: User, permit: Permit, learn: Callable[..., MemoryItem]
) -> None:
    item = learn(hits=promotion.FREQUENCY - 1)
    _inject(alice, item.pk, timezone.now(), status="rejected")
    assert _candidates(alice, permit) == []
    with acting_as(alice.pk):
        EvolutionEvent.objects.create(
            user=alice, item=item, chain_id=item.chain_id, action="confirmed", actor="person", consent_version=1,
            created_at=timezone.now(),
        )  # fmt: skip
    assert len(_candidates(alice, permit)) == 1


@pytest.mark.parametrize(
    "attributes",
    [
        {"subject": "user", "slot": "home", "value": "Hamburg"},
        {"subject": "user", "slot": "diet"},
        {"subject": "user", "slot": "possession"},
        {"subject": "user", "slot": "employer"},
        {"subject": "user", "slot": "asset:holds"},
        {"subject": "wife", "slot": "allergy"},
        {"subject": "wife", "slot": "reply_style"},
        {},
    ],
    ids=str,
)
def test_what_tells_of_a_life_is_never_a_candidate(
    alice: User, permit: Permit, learn: Callable[..., MemoryItem], attributes: dict[str, str]
) -> None:
    learn(attributes=attributes)
    assert _candidates(alice, permit) == []


def test_a_fact_about_an_asset_is_a_candidate(alice: User, permit: Permit, learn: Callable[..., MemoryItem]) -> None:
    learn(epistemic_type="fact", content="600519.SH pays its dividend in June", attributes={"subject": "600519.SH"})
    assert len(_candidates(alice, permit)) == 1


def test_without_the_scope_there_is_none(alice: User, permit: Permit, learn: Callable[..., MemoryItem]) -> None:
    learn()
    assert _candidates(alice, allow(alice, ConsentScope.SAVE_TO_THREAD)) == []


def test_the_fifth_threshold_is_what_the_organisation_knows(
    alice: User, permit: Permit, learn: Callable[..., MemoryItem]
) -> None:
    learn()
    (found,) = _candidates(alice, permit)
    assert alice.tenant_id is not None
    with acting_as(alice.pk):
        assert not promotion.propose(permit, found, alice.tenant_id, promotion.CONFLICT_RATIO)
        assert promotion.propose(permit, found, alice.tenant_id, promotion.CONFLICT_RATIO - 0.01)
        proposal = EvolutionProposal.objects.get()
    assert proposal.statistics == {
        "candidate_confidence": 0.75, "frequency_30d": 3, "source_session_count": 2, "epistemic_type": "preference",
        "conflict_ratio": promotion.CONFLICT_RATIO - 0.01,
    }  # fmt: skip


def test_a_chain_is_proposed_once(alice: User, permit: Permit, learn: Callable[..., MemoryItem]) -> None:
    learn()
    (found,) = _candidates(alice, permit)
    assert alice.tenant_id is not None
    with acting_as(alice.pk):
        assert promotion.propose(permit, found, alice.tenant_id, 0)
        assert not promotion.propose(permit, found, alice.tenant_id, 0)
    assert _candidates(alice, permit) == []


def test_only_people_of_an_organisation_are_looked_at(
    alice: User, bob: User, permit: Permit, learn: Callable[..., MemoryItem]
) -> None:
    learn()
    assert promotion.users_with_candidates() == [alice.pk]
    User.objects.filter(pk=alice.pk).update(tenant=None)
    assert promotion.users_with_candidates() == []


def test_nobody_elses_proposal_is_read(
    alice: User, bob: User, permit: Permit, learn: Callable[..., MemoryItem]
) -> None:
    learn()
    (found,) = _candidates(alice, permit)
    with acting_as(alice.pk):
        promotion.propose(permit, found, new_id(), 0)
    with acting_as(bob.pk):
        assert not EvolutionProposal.objects.exists()
        with in_role(ERASER_ROLE):
            assert not EvolutionProposal.with_erased.exists()
