"""Whose word counts about tone: the organisation's rules, else the person's preference, else tier and role (P-7)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pytest_django import Settings

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as
from knowledge.exceptions import KnowledgeUnavailable
from knowledge.types import Capability, KnowledgeBundle, KnowledgeQuestion, Org, Platform
from memory.models import Receipt, ReceiptLine
from personas.wording import ROLE_TONES, TIER_TONES
from tests.personas.support import tell
from tests.support.cast import allow, make_person
from tests.support.organisation import employ, know
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db(transaction=True)  # the question runs in a thread with a connection of its own
BRIEF, RULE = "Wants short, concise answers.", "Answers are whole sentences, never bullet points."


@pytest.fixture
def employee() -> User:
    """A regional agent's viewer, who said how long answers should be."""
    alice = make_person("alice")
    employ(Tenant.objects.create(name=f"Krugerrand {alice.pk}", org_tier="regional_agent"), alice)
    alice.role = User.Role.VIEWER
    alice.save()
    allow(alice)
    tell(alice, open_session(alice), "From now on, always keep your answers short.")
    return alice


@pytest.fixture
def tenant(employee: User) -> Tenant:
    assert employee.tenant is not None
    return employee.tenant


def _request(user: User, text: str) -> TurnRequest:
    return TurnRequest(open_session(user).pk, ({"type": "text", "text": text},))


def _reply(user: User, text: str) -> TurnResult:
    return turn.reply(user, _request(user, text))


def _persona(user: User) -> str:
    """Layers 2 to 4 of a prompt."""
    system = turn.prepare(user, _request(user, "What about copper?")).prompt.system
    return system.split("<memory_usage_guide>")[0]


def test_without_a_rule_tier_and_role_set_the_tone_and_the_preference_stands(employee: User) -> None:
    persona = _persona(employee)
    assert TIER_TONES["regional_agent"] in persona
    assert ROLE_TONES["viewer"] in persona
    assert BRIEF in persona


def test_a_rule_takes_the_preferences_place_and_the_receipt_says_so(employee: User, tenant: Tenant) -> None:
    know(tenant, RULE, kind="rule", subject="user", slot="reply_style")
    persona = _persona(employee)
    assert RULE in persona
    assert BRIEF not in persona
    assert TIER_TONES["regional_agent"] not in persona
    result = _reply(employee, "What about copper?")
    assert BRIEF not in [memory.text for memory in result.memories_used]
    with acting_as(employee.pk):
        line = ReceiptLine.objects.get(receipt_id=result.receipt_id, guardrail_hit="knowledge_conflict")
    assert (line.status, line.decision_reason, line.context_position) == ("rejected", "conflict", None)


def test_a_role_and_a_platform_are_spoken_to_as_the_organisation_says(employee: User, tenant: Tenant) -> None:
    know(tenant, "Viewers hear one advice.", kind="role_rule", roles=["viewer"])
    know(tenant, "Owners hear every option.", kind="role_rule", roles=["owner", "admin"])
    know(tenant, "On the pages we write in paragraphs.", kind="platform_tone", platforms=["web"])
    persona = _persona(employee)
    assert "Viewers hear one advice." in persona
    assert "Owners hear every option." not in persona
    assert "On the pages" not in persona
    on_the_pages = replace(_request(employee, "What about copper?"), platform=Platform.WEB)
    assert "On the pages we write in paragraphs." in turn.prepare(employee, on_the_pages).prompt.system


def test_the_first_rule_of_an_organisation_holds_from_the_next_turn_on(employee: User, tenant: Tenant) -> None:
    assert RULE not in _persona(employee)  # the organisation was found to know nothing
    know(tenant, RULE, kind="rule", subject="user", slot="reply_style")

    assert RULE in _persona(employee)


def test_a_brands_tone_stands_beside_the_preference(employee: User, tenant: Tenant) -> None:
    know(tenant, "Speak of us as the workshop.", kind="tone")
    persona = _persona(employee)
    assert "Speak of us as the workshop." in persona
    assert BRIEF in persona


@pytest.mark.parametrize(("subject", "slot"), [("AAPL", "reply_style"), ("user", "constraint.limit")])
def test_a_rule_about_something_else_changes_no_tone(employee: User, tenant: Tenant, subject: str, slot: str) -> None:
    know(tenant, RULE, kind="rule", subject=subject, slot=slot)
    persona = _persona(employee)
    assert RULE not in persona
    assert BRIEF in persona


class FailingStore:
    def search(self, question: KnowledgeQuestion, org: Org) -> KnowledgeBundle:
        raise KnowledgeUnavailable()

    def capabilities(self) -> frozenset[Capability]:
        return frozenset({"full_text"})


def test_without_the_stores_preference_and_defaults_hold_and_the_turn_says_so(
    employee: User, tenant: Tenant, settings: Settings
) -> None:
    know(tenant, RULE, kind="rule", subject="user", slot="reply_style")
    settings.KNOWLEDGE_STORE = f"{__name__}.FailingStore"
    persona = _persona(employee)
    assert BRIEF in persona
    assert TIER_TONES["regional_agent"] in persona
    result = _reply(employee, "What about copper?")
    assert "knowledge_stores_unavailable" in result.degraded
    with acting_as(employee.pk):
        assert "knowledge_stores_unavailable" in Receipt.objects.get(pk=result.receipt_id).degraded
