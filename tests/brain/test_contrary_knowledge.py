"""A member who remembers it wrongly is told what the organisation knows, though neither names a subject or slot."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import Tenant, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from memory.models import ReceiptLine, Session
from memory.services.summaries import EXTRACTIVE
from tests.support.cast import A_MONDAY, allow, make_person
from tests.support.organisation import employ, know
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True)  # the question runs in a thread with a connection of its own
FACT, WRONG = "The office in Leeds closes at four on Fridays.", "The office in Leeds closes at six on Fridays."
QUESTION = "When does the office in Leeds close on Fridays?"
CHINESE = ("利兹办公室周五四点关门。", "利兹办公室周五六点关门。", "利兹办公室周五几点关门？")


@pytest.fixture
def alice() -> User:
    """An employee with a consent."""
    alice = make_person("alice")
    employ(Tenant.objects.create(name="Krugerrand"), alice)
    allow(alice)
    return alice


def _know(alice: User, *facts: str) -> None:
    assert alice.tenant is not None
    for fact in facts:
        know(alice.tenant, fact)


def _request(alice: User, question: str) -> TurnRequest:
    return TurnRequest(open_session(alice).pk, ({"type": "text", "text": question},))


def _prompt(alice: User, question: str = QUESTION) -> str:
    return turn.prepare(alice, _request(alice, question)).prompt.context


@pytest.mark.parametrize(("fact", "wrong", "question"), [(FACT, WRONG, QUESTION), CHINESE])
def test_what_contradicts_it_stands_nowhere_in_the_prompt(alice: User, fact: str, wrong: str, question: str) -> None:
    say(alice, open_session(alice), wrong)
    assert wrong.rstrip(".。") in _prompt(alice, question)
    _know(alice, fact)

    prompt = _prompt(alice, question)
    assert fact in prompt
    assert wrong.rstrip(".。") not in prompt


def test_what_was_said_beside_it_stays(alice: User) -> None:
    say(alice, open_session(alice), f"{WRONG} My sister Greta works in the Leeds office.")
    _know(alice, FACT)
    prompt = _prompt(alice)
    assert "closes at six" not in prompt
    assert "Greta works in the Leeds office" in prompt


def test_a_summary_loses_the_sentence(alice: User) -> None:
    _know(alice, FACT)
    session = open_session(alice)
    text = f"Alice: “{WRONG}”\nAlice: “My sister Greta plays the oboe.”"
    with acting_as(alice.pk), in_role(ERASER_ROLE):
        Session.objects.filter(pk=session.pk).update(
            summary_blocks=[{"text": text, "made_by": EXTRACTIVE, "created_at": A_MONDAY.isoformat()}]
        )
    opening = turn.prepare(alice, TurnRequest(session.pk, ({"type": "text", "text": QUESTION},))).prompt.opening

    assert "at six" not in opening
    assert "My sister Greta plays the oboe" in opening


@pytest.mark.parametrize(
    "other", ["The office in York closes at six on Fridays.", "The office in Leeds closes at six on Mondays."]
)
def test_what_may_be_true_beside_it_stays(alice: User, other: str) -> None:
    say(alice, open_session(alice), other)
    _know(alice, FACT)
    assert other.rstrip(".") in _prompt(alice)


def test_the_receipt_says_that_knowledge_spoke_against_it(alice: User) -> None:
    say(alice, open_session(alice), WRONG)
    _know(alice, FACT)
    result = turn.reply(alice, _request(alice, QUESTION))

    assert "at six" not in result.reply
    with acting_as(alice.pk):
        lines = ReceiptLine.objects.filter(receipt_id=result.receipt_id, guardrail_hit="knowledge_conflict")
        told = {(line.status, line.decision_reason) for line in lines}
    assert told == {("rejected", "conflict")}
