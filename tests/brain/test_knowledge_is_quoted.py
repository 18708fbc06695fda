"""Without a model an answer quotes what the member's organisation knows, before what it remembers of the member."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import Tenant, User
from tests.support.cast import allow, make_person
from tests.support.organisation import employ, know
from tests.support.talk import open_session, say

pytestmark = pytest.mark.django_db(transaction=True)  # the question runs in a thread with a connection of its own
FACT = "The office in Leeds closes at four on Fridays."
QUESTION = "When does the office in Leeds close on Fridays?"


@pytest.fixture
def alice() -> User:
    """An employee with a consent, whose organisation knows when its office closes, and of noodles."""
    alice = make_person("alice")
    tenant = Tenant.objects.create(name="Krugerrand")
    employ(tenant, alice)
    allow(alice)
    know(tenant, FACT)
    know(tenant, "利兹办公室周五四点关门。")
    know(tenant, "The canteen serves noodles.")
    know(tenant, "Speak of the office in Leeds kindly.", kind="tone")
    return alice


def _reply(alice: User, question: str) -> str:
    request = TurnRequest(open_session(alice).pk, ({"type": "text", "text": question},))
    return turn.reply(alice, request).reply


def test_knowledge_alone_is_an_answer(alice: User) -> None:
    assert _reply(alice, QUESTION) == f"Your organisation says:\n“{FACT}”"
    assert _reply(alice, "利兹办公室周五几点关门？") == "你所在组织的知识：\n“利兹办公室周五四点关门。”"


def test_it_stands_before_memory(alice: User) -> None:
    york = "The office in York closes at six on Fridays."
    say(alice, open_session(alice), york)
    answer = _reply(alice, QUESTION)

    assert answer.index("Your organisation says:") < answer.index(FACT) < answer.index(york.rstrip("."))
    assert answer.count("From what I remember:") == 1


def test_a_memory_that_contradicts_it_is_not_quoted(alice: User) -> None:
    say(alice, open_session(alice), "The office in Leeds closes at six on Fridays.")
    assert "at six" not in _reply(alice, QUESTION)


def test_who_asks_about_something_else_is_not_told_of_it(alice: User) -> None:
    assert "organisation" not in _reply(alice, "When does my sister come?")
