"""Learning from a message asks the database few questions, however long the conversation around it (M-13)."""

from __future__ import annotations

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.learning.services import observe
from memory.models import MemoryItem, SearchEntry
from tests.support.cast import allow
from tests.support.statements import count_statements
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)  # inside a test's own transaction every other one costs savepoints

STATEMENTS_OF_CHIT_CHAT = 22  # the empty look for more work at the end included
STATEMENTS_A_MEMORY = 14  # on top; two of them queue the events and the portrait that are made of it, one its tenant


def _statements_to_learn_from(alice: User, text: str, *, after: int) -> int:
    session = open_session(alice)
    say(alice, session, *(f"Good morning number {number}!" for number in range(after)))
    with acting_as(alice.pk):
        observe(permit_of(alice), say(alice, session, text, learn=False))
    return count_statements(drain)


@pytest.mark.parametrize("after", [0, 6])
@pytest.mark.parametrize("text", ["Good evening!", "晚上好!"])
def test_chit_chat_costs_few_statements(alice: User, text: str, after: int) -> None:
    allow(alice)
    assert _statements_to_learn_from(alice, text, after=after) <= STATEMENTS_OF_CHIT_CHAT
    with acting_as(alice.pk):
        assert SearchEntry.objects.filter(kind="turn").count() == after + 1


@pytest.mark.parametrize("text", ["I follow BTC", "我关注茅台"])
def test_a_memory_costs_few_more(alice: User, text: str) -> None:
    allow(alice)
    spent = _statements_to_learn_from(alice, text, after=6)
    assert len(memories(alice, state=MemoryItem.State.ACTIVE)) == 1
    assert spent <= STATEMENTS_OF_CHIT_CHAT + STATEMENTS_A_MEMORY
