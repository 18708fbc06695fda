"""What a rule of the organisation overrules stands nowhere in the prompt, and what was said beside it still does."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from finclaw.brain.answers.types import PreparedTurn
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.tasks import drain
from memory.models import ReceiptLine, SearchEntry, Session
from memory.services.summaries import EXTRACTIVE
from tests.brain.test_looking_up import LargeModel, asks, served
from tests.support.api import post, signed_in
from tests.support.cast import A_MONDAY, allow, make_person
from tests.support.model_server import Says
from tests.support.organisation import employ, know
from tests.support.talk import memories, open_session, say

pytestmark = pytest.mark.django_db(transaction=True)  # the question runs in a thread with a connection of its own
QUESTION = "Where in Berlin do I live, and what does my sister Greta play?"


@pytest.fixture
def alice() -> User:
    """An employee who said where she lives, once beside something else and once again, and had it written up."""
    alice = make_person("alice")
    employ(Tenant.objects.create(name="Krugerrand"), alice)
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I live in Berlin. My sister Greta plays the oboe.", "Berlin is where I live, as I said.")
    post(
        signed_in(alice), f"/api/sessions/{session.pk}/end",
        {"request_id": "r", "new_info": "Alice lives in Berlin. Greta plays the oboe."},
    )  # fmt: skip
    drain()
    return alice


def _rule(alice: User) -> None:
    assert alice.tenant is not None
    know(alice.tenant, "Whoever asks is told of the office in Zug.", kind="rule", subject="user", slot="home")


def _request(session: Session, text: str = QUESTION) -> TurnRequest:
    return TurnRequest(session.pk, ({"type": "text", "text": text},))


def _prepared(alice: User, session: Session | None = None) -> PreparedTurn:
    return turn.prepare(alice, _request(session or open_session(alice)))


def _answered(alice: User, session: Session | None = None) -> TurnResult:
    return turn.reply(alice, _request(session or open_session(alice)))


def _lines(alice: User, result: TurnResult) -> dict[str, set[tuple[str, str, str]]]:
    """What the receipt says of each kind."""
    with acting_as(alice.pk):
        told = list(ReceiptLine.objects.filter(receipt_id=result.receipt_id))
    found: dict[str, set[tuple[str, str, str]]] = {}
    for line in told:
        found.setdefault(line.kind, set()).add((line.status, line.decision_reason, line.guardrail_hit))
    return found


def test_without_a_rule_it_stands_in_every_form(alice: User) -> None:
    prompt = _prepared(alice).prompt.context
    forms = ("<profile", "\n- [20", "\n- [said ", "\n- [event ")
    assert [form for form in forms if form in prompt] == list(forms)
    assert prompt.count("Berlin") >= 3


def test_what_is_overruled_stands_nowhere_and_what_was_said_beside_it_does(alice: User) -> None:
    _rule(alice)
    prompt = _prepared(alice).prompt.context
    assert "Berlin" not in prompt
    assert "the office in Zug" in prompt
    assert "Greta plays the oboe" in prompt


def test_the_receipt_says_of_each_that_knowledge_spoke_against_it(alice: User) -> None:
    _rule(alice)
    lines = _lines(alice, _answered(alice))
    refused = ("rejected", "conflict", "knowledge_conflict")
    assert refused in lines["item"]
    assert refused in lines["turn"]  # the message that says nothing else
    assert ("accepted", "relevance", "knowledge_conflict") in lines["turn"]  # and the one that does
    assert {status for status, _, guardrail in lines["event"] if guardrail == "knowledge_conflict"} != set()
    assert {guardrail for _, _, guardrail in lines["profile"]} == {"knowledge_conflict"}


def test_a_message_that_is_recalled_without_its_memory_is_overruled_too(alice: User) -> None:
    _rule(alice)
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        SearchEntry.objects.filter(kind="item").delete()
    assert "Berlin" not in _prepared(alice).prompt.context


@pytest.mark.parametrize("is_ruled", [False, True])
def test_a_model_finds_it_by_looking_it_up_unless_it_is_overruled(alice: User, is_ruled: bool) -> None:
    if is_ruled:
        _rule(alice)
    model = LargeModel(asks(query="Where does Alice live?"), then=Says(("I do not know.",)))
    with served(model):
        _answered(alice)
    assert model.told
    assert ("Berlin" in str(model.told)) != is_ruled


def test_a_summary_loses_the_sentence_and_the_receipt_says_so(alice: User) -> None:
    _rule(alice)
    session = open_session(alice)
    text = "Alice: “I live in Berlin.”\nAlice: “My sister Greta plays the oboe.”"
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        Session.objects.filter(pk=session.pk).update(
            summary_blocks=[{"text": text, "made_by": EXTRACTIVE, "created_at": A_MONDAY.isoformat()}]
        )
    assert "I live in Berlin" not in (prompt := _prepared(alice, session).prompt.opening)
    assert "My sister Greta plays the oboe" in prompt
    with acting_as(alice.pk):
        Session.objects.filter(pk=session.pk).update(turn_started_at=None)
    assert _lines(alice, _answered(alice, session))["summary"] == {("rejected", "conflict", "knowledge_conflict")}


def test_another_slot_overrules_nothing(alice: User) -> None:
    assert alice.tenant is not None
    know(alice.tenant, "Whoever asks is told of the office in Zug.", kind="rule", subject="user", slot="employer")
    assert _prepared(alice).prompt.context.count("Berlin") >= 3
    assert len(memories(alice)) >= 1
