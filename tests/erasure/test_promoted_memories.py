"""What became knowledge is within reach of its person's erasure, and answers nobody any more (C-9, M-17)."""

from __future__ import annotations

import pytest
from django.utils import timezone

from consent.erasure.services import erasure_of
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.brain import promotion
from finclaw.erasure import forget
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.outbox.tasks import drain
from knowledge.configuration import configured_store
from knowledge.member_access import org_of
from knowledge.models import KnowledgeEntry
from knowledge.types import KnowledgeQuestion
from memory.models import EvolutionProposal, MemoryItem
from memory.services import proposals
from tests.support.cast import allow, make_person
from tests.support.needles import dump
from tests.support.organisation import employ, know
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
NEEDLE, KEPT = "zqpromotedzq", "zqkeptzq"
SCOPES = (ErasureScope.ITEM, ErasureScope.SESSION, ErasureScope.MEMORIES, ErasureScope.ACCOUNT)


@pytest.fixture
def colleague() -> User:
    return make_person("bob")


@pytest.fixture
def promoted(colleague: User) -> MemoryItem:
    """A memory of Alice's that became what her organisation knows."""
    alice, operator = make_person("alice"), make_person("olivia")
    allow(alice)
    tenant = Tenant.objects.create(name="Krugerrand Ltd")
    employ(tenant, alice, colleague)
    know(tenant, f"The desk answers {KEPT}.")
    say(alice, open_session(alice), f"I prefer answers about {NEEDLE}.")
    item = next(one for one in memories(alice) if NEEDLE in one.content)
    with acting_as(alice.pk):
        proposal = EvolutionProposal.objects.create(
            user=alice, item=item, chain_id=item.chain_id, tenant_id=tenant.pk, text=f"Prefers {NEEDLE}.",
            consent_version=permit_of(alice).version, created_at=timezone.now(),
        )  # fmt: skip
        proposals.agree(permit_of(alice), proposal.pk)
    with in_role(OPERATOR_ROLE):
        promotion.approve(proposal, operator.pk)
    return item


def _ask(item: MemoryItem, scope: ErasureScope) -> Tombstone:
    user = User.objects.get(pk=item.user_id)
    target = {ErasureScope.ITEM: str(item.pk), ErasureScope.SESSION: str(item.source_sessions[0])}.get(scope, "")
    with acting_as(user.pk):
        return forget(user, scope, target, Sources.REDACT, source="api")


def _answered(user: User) -> str:
    org = org_of(user)
    assert org is not None
    with acting_as(user.pk):
        return str(configured_store().search(KnowledgeQuestion(f"answers {NEEDLE}"), org).snippets)


@pytest.mark.parametrize("scope", SCOPES)
def test_no_colleague_is_answered_with_it_from_the_moment_of_asking(
    promoted: MemoryItem, colleague: User, scope: ErasureScope
) -> None:
    assert NEEDLE in _answered(colleague)
    _ask(promoted, scope)

    assert NEEDLE not in _answered(colleague)
    assert KEPT in _answered(colleague)
    with in_role(OPERATOR_ROLE):
        assert not KnowledgeEntry.objects.filter(text__contains=NEEDLE).exists()


@pytest.mark.parametrize("scope", SCOPES)
def test_nothing_of_it_is_left_in_the_database(promoted: MemoryItem, scope: ErasureScope) -> None:
    assert dump().count(NEEDLE) >= 4
    tombstone = _ask(promoted, scope)
    drain()

    with acting_as(promoted.user_id):
        done = erasure_of(promoted.user_id, tombstone.pk)
    assert done.state == "completed", [step.reason for step in done.steps.all()]
    after = dump()
    assert after.count(NEEDLE) == 0
    assert after.count(KEPT) > 0
    assert done.deleted["knowledge.KnowledgeEntry"] == 1
    assert done.deleted["memory.EvolutionProposal"] == 1


def test_another_memory_takes_nothing_of_it(promoted: MemoryItem, colleague: User) -> None:
    alice = User.objects.get(pk=promoted.user_id)
    say(alice, open_session(alice), "I follow BTC.")
    other = next(one for one in memories(alice) if NEEDLE not in one.content)
    _ask(other, ErasureScope.ITEM)
    drain()

    assert NEEDLE in _answered(colleague)
