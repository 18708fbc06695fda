"""What the organisation knows stands beside memory, never in its way, and wins where they disagree (B-5, seed B §4)."""

from __future__ import annotations

from threading import Event
from typing import ClassVar

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from finclaw.brain import turn
from finclaw.brain.recall import organisation_knowledge
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from knowledge import asset_names
from knowledge.exceptions import KnowledgeUnavailable
from knowledge.types import NOTHING, Capability, KnowledgeBundle, KnowledgeQuestion, Org
from memory.models import Receipt, ReceiptLine, Session
from memory.retrieval.services import embed_query
from memory.services.versions import ItemDraft, learning_transaction, store_version
from tests.support.cast import A_MONDAY, allow, group_with, make_person
from tests.support.organisation import employ, know
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db(transaction=True)  # the question runs in a thread with a connection of its own
RULE, FACT = "Answers are whole sentences, never bullet points.", "Refunds take five working days."


@pytest.fixture
def employee() -> User:
    """Somebody of an organisation, with a consent and a memory of how answers should be."""
    alice = make_person("alice")
    employ(Tenant.objects.create(name=f"Krugerrand {alice.pk}"), alice)
    permit = allow(alice)
    draft = ItemDraft(
        "Prefers answers in bullet points", "preference", "preference", "confirmed_by_user", 0.9,
        attributes={"subject": "user", "slot": "reply_style", "value": "bullet points"},
    )  # fmt: skip
    with acting_as(alice.pk), learning_transaction(permit):
        store_version(permit, draft, now=A_MONDAY, valid_at=A_MONDAY)
    return alice


@pytest.fixture
def tenant(employee: User) -> Tenant:
    assert employee.tenant is not None
    return employee.tenant


def _request(session: Session, text: str) -> TurnRequest:
    return TurnRequest(session.pk, ({"type": "text", "text": text},))


def _prompt(user: User, text: str, session: Session | None = None) -> str:
    prompt = turn.prepare(user, _request(session or open_session(user), text)).prompt
    return f"{prompt.system}\n{prompt.context}"


def _reply(user: User, text: str) -> TurnResult:
    return turn.reply(user, _request(open_session(user), text))


def test_rules_and_matching_facts_stand_in_the_prompt_above_memories(employee: User, tenant: Tenant) -> None:
    know(tenant, FACT)
    know(tenant, "Speak plainly.", kind="tone")
    know(tenant, "The canteen serves noodles.")
    prompt = _prompt(employee, "How long does a refund take? Answer in bullet points.")

    assert prompt.index("Speak plainly.") < prompt.index(FACT) < prompt.index("<user_memory>\n")
    assert "noodles" not in prompt


def test_a_rule_wins_over_the_memory_of_its_subject_and_slot_and_the_receipt_says_so(
    employee: User, tenant: Tenant
) -> None:
    know(tenant, RULE, kind="rule", subject="user", slot="reply_style")
    result = _reply(employee, "How should answers be?")

    assert "bullet points" not in str([memory.text for memory in result.memories_used])
    with acting_as(employee.pk):
        line = ReceiptLine.objects.get(receipt_id=result.receipt_id, kind="item")
        retrieval = Receipt.objects.get(message_id=result.message_id, kind="retrieval")
    assert (line.status, line.decision_reason, line.guardrail_hit) == ("rejected", "conflict", "knowledge_conflict")
    assert retrieval.stores_used == ["memory", "postgresql", "pgvector"]


@pytest.mark.parametrize(
    ("kind", "subject", "slot"),
    [("rule", "user", "language.reply"), ("rule", "AAPL", "reply_style"), ("rule", "", ""),
     ("tone", "user", "reply_style"), ("fact", "user", "reply_style")],
)  # fmt: skip
def test_nothing_else_overrules_a_memory(employee: User, tenant: Tenant, kind: str, subject: str, slot: str) -> None:
    know(tenant, RULE, kind=kind, subject=subject, slot=slot)
    assert "Prefers answers in bullet points" in _prompt(employee, "How should answers be?")


def test_a_group_is_told_nothing(employee: User, tenant: Tenant) -> None:
    know(tenant, RULE, kind="rule")
    group = group_with(employee)

    assert RULE not in _prompt(employee, "Hello everybody", open_session(employee, group_id=group.pk))


def test_another_organisation_is_told_nothing(employee: User, tenant: Tenant) -> None:
    know(tenant, RULE, kind="rule")
    bob = make_person("bob")
    employ(Tenant.objects.create(name="Tanganyika Ltd"), bob)
    allow(bob)

    assert RULE not in _prompt(bob, "Hello")


class FailingStore:
    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        raise KnowledgeUnavailable()

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"full_text"})


class HangingStore(FailingStore):
    let_go: ClassVar[Event] = Event()

    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        HangingStore.let_go.wait(30)
        return KnowledgeBundle()


def test_a_store_that_fails_costs_its_knowledge_and_no_more(employee: User, settings: Settings) -> None:
    settings.KNOWLEDGE_STORE = f"{__name__}.FailingStore"
    result = _reply(employee, "How should answers be?")

    assert "knowledge_stores_unavailable" in result.degraded
    assert result.memories_used
    with acting_as(employee.pk):
        assert "knowledge_stores_unavailable" in Receipt.objects.get(pk=result.receipt_id).degraded


class RaisingStore(FailingStore):
    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        raise ConnectionError


def test_what_an_outside_store_raises_in_its_own_way_costs_no_more(employee: User, settings: Settings) -> None:
    settings.KNOWLEDGE_STORE = f"{__name__}.RaisingStore"
    result = _reply(employee, "How should answers be?")

    assert "knowledge_stores_unavailable" in result.degraded
    assert result.memories_used


def test_without_the_names_of_assets_a_turn_goes_on_and_the_receipt_says_so(
    employee: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = asset_names._ASSET_NAMES.replace("knowledge_assetalias", "no_such_table")
    monkeypatch.setattr(asset_names, "_ASSET_NAMES", failing)
    result = _reply(employee, "How should answers be?")

    assert result.memories_used
    with acting_as(employee.pk):
        assert "knowledge_stores_unavailable" in Receipt.objects.get(pk=result.receipt_id).degraded


def test_a_store_that_hangs_is_not_waited_for(employee: User, settings: Settings) -> None:
    settings.KNOWLEDGE_STORE, settings.KNOWLEDGE_TIMEOUT_MS = f"{__name__}.HangingStore", 50
    try:
        result = _reply(employee, "How should answers be?")
    finally:
        HangingStore.let_go.set()

    assert "knowledge_timeout" in result.degraded
    assert result.memories_used


def test_whoever_belongs_nowhere_costs_no_thread_and_no_query(settings: Settings) -> None:
    settings.KNOWLEDGE_STORE = f"{__name__}.FailingStore"
    loner, embedded = make_person("loner"), embed_query("refund")
    with CaptureQueriesContext(connection) as questions:
        assert organisation_knowledge.begin_query(loner, embedded).result() == NOTHING
    assert len(questions) == 0


def test_the_no_op_store_is_never_asked(employee: User, tenant: Tenant, settings: Settings) -> None:
    know(tenant, RULE, kind="rule")
    settings.KNOWLEDGE_STORE = "knowledge.stores.empty_store.EmptyStore"
    result = _reply(employee, "How should answers be?")

    assert result.memories_used
    assert not {"knowledge_timeout", "knowledge_stores_unavailable"} & set(result.degraded)
