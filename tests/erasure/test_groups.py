"""Erasing in a group: one's own words leave everybody's rows, and everybody else keeps theirs (C-9)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from consent.exceptions import ErasureInProgress
from consent.models import ErasureScope, Sources, Tombstone
from finclaw.brain import turn
from finclaw.brain.records.turn_storage import store_turn
from finclaw.brain.types import TurnRequest
from finclaw.erasure import forget
from foundation.accounts.groups import remove_member
from foundation.accounts.models import ChatGroup, User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import OPERATOR_ROLE
from foundation.llm import Prompt, Reply, configured_model
from foundation.llm.types import TokenUsage
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, SearchEntry, Session, ToolReceipt
from memory.services.tool_receipts import write_tool_receipts
from memory.types import EndInput, ToolRun
from tests.support.cast import allow, group_with, make_person
from tests.support.needles import dump
from tests.support.talk import memories, open_session, permit_of

pytestmark = pytest.mark.django_db(transaction=True)
ALICE, BOB = "zqalicezq", "zqbobzq"


class Echo:
    """A model that says again whatever needle stands in its prompt, as a real one may."""

    def __init__(self) -> None:
        self._model = configured_model(None)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def call(self, prompt: Prompt, *args: Any, **kwargs: Any) -> Reply:
        shown = "\n".join(prompt.texts)
        words = [needle for needle in (ALICE, BOB) if needle in shown]
        return Reply(f"Noted: {' '.join(words)}.", "echo", TokenUsage(1, 1))


@pytest.fixture(autouse=True)
def _echoing(monkeypatch: pytest.MonkeyPatch) -> None:
    echo = Echo()
    monkeypatch.setattr(turn, "configured_model", lambda *_: echo)


@pytest.fixture
def people() -> tuple[User, User]:
    alice, bob = make_person("alice"), make_person("bob")
    allow(alice)
    allow(bob)
    return alice, bob


@pytest.fixture
def desk(people: tuple[User, User]) -> ChatGroup:
    alice, bob = people
    return group_with(alice, [bob])


def _tell(user: User, session: Session, text: str) -> str:
    result = turn.reply(user, TurnRequest(session.pk, ({"type": "text", "text": text},)))
    drain()
    return result.reply


def _talk(alice: User, bob: User, session: Session) -> None:
    """Both speak, each is answered with what the other said, and an end makes an event of the group's."""
    _tell(alice, session, f"I prefer answers about {ALICE}.")
    assert ALICE in _tell(bob, session, f"I prefer answers about {BOB}.")
    with acting_as(alice.pk):
        end(permit_of(alice), alice, session, EndInput("r", new_info=f"Alice asked for {ALICE}.", force=True))
    with acting_as(alice.pk):
        Session.objects.filter(pk=session.pk).update(entity_slots={"topic": [ALICE, BOB]})
    drain()


def _ask(user: User, scope: ErasureScope, session: Session) -> Tombstone:
    target = str(session.pk) if scope == ErasureScope.SESSION else ""
    if scope == ErasureScope.ITEM:
        target = str(next(item.pk for item in memories(user) if ALICE in item.content))
    with acting_as(user.pk):
        return forget(user, scope, target, Sources.REDACT, source="api")


def _done(tombstone: Tombstone) -> None:
    drain()
    with in_role(OPERATOR_ROLE):
        row = Tombstone.objects.prefetch_related("steps").get(pk=tombstone.pk)
    assert row.state == "completed", [step.reason for step in row.steps.all()]


def _rows_of_bob(bob: User) -> tuple[list[str], list[str]]:
    """His own messages, and what was learned of him."""
    with acting_as(bob.pk):
        said = ConversationEvent.objects.filter(user_id=bob.pk, role="user").order_by("seq")
        return [event.text for event in said], [item.content for item in memories(bob)]


Leaving = Callable[[User, User, ChatGroup], None]
LEAVINGS: dict[str, Leaving] = {
    "both are there": lambda alice, bob, desk: None,
    "Alice has left": lambda alice, bob, desk: remove_member(alice, desk.pk, alice.pk),
    "Bob has left": lambda alice, bob, desk: remove_member(bob, desk.pk, bob.pk),
}


@pytest.mark.parametrize("leaving", LEAVINGS)
@pytest.mark.parametrize("begun_by", ["alice", "bob"])
@pytest.mark.parametrize("scope", [ErasureScope.ACCOUNT, ErasureScope.MEMORIES])
def test_everything_of_alice_leaves_everybodys_rows_and_bob_keeps_his(
    people: tuple[User, User], desk: ChatGroup, scope: ErasureScope, begun_by: str, leaving: str
) -> None:
    alice, bob = people
    session = open_session(alice if begun_by == "alice" else bob, group_id=desk.pk)
    _talk(alice, bob, session)
    LEAVINGS[leaving](alice, bob, desk)
    kept = _rows_of_bob(bob)
    assert BOB in str(kept[0]) and BOB in str(kept[1])  # noqa: PT018  one premise
    _done(_ask(alice, scope, session))
    assert ALICE not in dump()
    assert _rows_of_bob(bob) == kept
    with in_role(OPERATOR_ROLE):
        row = Session.objects.get(pk=session.pk)
    assert (row.title, row.entity_slots, row.summary_blocks) == ("", {}, [])
    assert row.user_id == (bob.pk if scope == ErasureScope.ACCOUNT or begun_by == "bob" else alice.pk)


@pytest.mark.parametrize("begun_by", ["alice", "bob"])
def test_her_part_of_a_conversation_goes_and_his_stays(
    people: tuple[User, User], desk: ChatGroup, begun_by: str
) -> None:
    alice, bob = people
    session = open_session(alice if begun_by == "alice" else bob, group_id=desk.pk)
    _talk(alice, bob, session)
    kept = _rows_of_bob(bob)
    _done(_ask(alice, ErasureScope.SESSION, session))
    assert ALICE not in dump()
    assert _rows_of_bob(bob) == kept
    with acting_as(bob.pk):
        assert Session.objects.get(pk=session.pk).title == ""
        assert BOB in _tell(bob, session, "What do I prefer?")  # he goes on in it


def test_what_ran_in_her_replies_is_of_nobody_once_they_are_gone(people: tuple[User, User], desk: ChatGroup) -> None:
    session = open_session(people[0], group_id=desk.pk)
    run = ToolRun("tool", "cognitive_search", outcome="done", duration_ms=1.0)
    for person in people:
        reply = turn.reply(person, TurnRequest(session.pk, ({"type": "text", "text": "I follow BTC."},)))
        with acting_as(person.pk):
            write_tool_receipts(permit_of(person), [run], run_id=reply.message_id, intent_type="chat", session=session)
    _done(_ask(people[0], ErasureScope.SESSION, session))
    with in_role(OPERATOR_ROLE):
        assert set(ToolReceipt.objects.values_list("user_id", flat=True)) == {people[1].pk}


def test_one_memory_of_hers_leaves_the_replies_and_neighbours_of_others(
    people: tuple[User, User], desk: ChatGroup
) -> None:
    alice, bob = people
    session = open_session(alice, group_id=desk.pk)
    _tell(alice, session, f"I prefer answers about {ALICE}.")
    _tell(bob, session, f"I prefer answers about {BOB}.")
    _tell(alice, session, "I follow BTC.")
    kept = _rows_of_bob(bob)
    with acting_as(bob.pk):
        assert any(ALICE in terms for terms in SearchEntry.objects.filter(user=bob).values_list("terms", flat=True))
    _done(_ask(alice, ErasureScope.ITEM, session))
    assert ALICE not in dump()
    assert _rows_of_bob(bob) == kept
    assert [item.content for item in memories(alice) if "BTC" in item.content] != []


def test_replies_that_repeat_none_of_it_stay(people: tuple[User, User], desk: ChatGroup) -> None:
    alice, bob = people
    session = open_session(alice, group_id=desk.pk)
    _tell(bob, session, f"I prefer answers about {BOB}.")
    _tell(alice, session, f"I prefer answers about {ALICE}.")
    _done(_ask(alice, ErasureScope.ITEM, session))
    with acting_as(bob.pk):
        replies = ConversationEvent.objects.filter(session=session, role="assistant").order_by("seq")
        assert [reply.text for reply in replies] == [f"Noted: {BOB}.", ""]


@pytest.mark.parametrize("scope", [ErasureScope.ACCOUNT, ErasureScope.MEMORIES, ErasureScope.SESSION])
def test_bob_sees_no_row_of_hers_from_the_moment_she_asks(
    people: tuple[User, User], desk: ChatGroup, scope: ErasureScope
) -> None:
    alice, bob = people
    session = open_session(bob, group_id=desk.pk)
    _talk(alice, bob, session)
    with acting_as(bob.pk):
        assert ConversationEvent.objects.filter(user_id=alice.pk).exists()
        assert CognitiveEvent.objects.filter(user_id=alice.pk).exists()
    _ask(alice, scope, session)
    for model in (ConversationEvent, CognitiveEvent, SearchEntry, MemoryItem):
        with acting_as(bob.pk):
            assert not model._base_manager.filter(user_id=alice.pk).exists()
        with in_role(OPERATOR_ROLE):
            assert not model._base_manager.filter(user_id=alice.pk).exists()
    with acting_as(bob.pk):
        row = Session.objects.get(pk=session.pk)
        assert (row.title, row.entity_slots) == ("", {})


def test_an_answer_to_bob_made_of_what_she_erases_meanwhile_is_not_stored(
    people: tuple[User, User], desk: ChatGroup
) -> None:
    alice, bob = people
    session = open_session(bob, group_id=desk.pk)
    _tell(alice, session, f"I prefer answers about {ALICE}.")
    prepared = turn.prepare(bob, TurnRequest(session.pk, ({"type": "text", "text": "What did she say?"},)))
    tombstone = _ask(alice, ErasureScope.ITEM, session)
    answer = Reply(f"She said {ALICE}.", "echo", TokenUsage(1, 1))
    with pytest.raises(ErasureInProgress):
        store_turn(prepared, answer)
    _done(tombstone)
    with pytest.raises(ErasureInProgress):
        store_turn(prepared, answer)
    assert ALICE not in dump()


def test_a_group_goes_with_the_last_who_was_ever_in_it(people: tuple[User, User], desk: ChatGroup) -> None:
    alice, bob = people
    alone = group_with(alice)
    session = open_session(alice, group_id=desk.pk)
    _talk(alice, bob, session)
    _tell(alice, open_session(alice, group_id=alone.pk), f"I prefer answers about {ALICE}.")
    _done(_ask(alice, ErasureScope.ACCOUNT, session))
    assert set(ChatGroup.objects.values_list("pk", flat=True)) == {desk.pk}
    with acting_as(bob.pk):
        assert ChatGroup.objects.get().memberships.get().is_owner
        assert Session.objects.get(pk=session.pk).user_id == bob.pk
    _done(_ask(bob, ErasureScope.ACCOUNT, session))
    assert not ChatGroup.objects.exists()
    assert BOB not in dump()
