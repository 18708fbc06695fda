"""What waits for its person's word is not quoted from the message that told of it either (M-13)."""

from __future__ import annotations

from unittest.mock import patch

import pytest

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from finclaw.web.chat_end import build_end_input
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.evolution import health_statements
from memory.governance.governor import UpkeepStep
from memory.historian.archival import archive_session
from memory.indexing import visibility, withheld_messages
from memory.indexing.withheld_messages import find_withheld_messages
from memory.learning.services import observe
from memory.models import CognitiveEvent, ConversationEvent, MemoryItem, Session
from memory.retrieval.services import search
from memory.services import item_decisions, items, sessions
from memory.services.history import undo
from memory.types import NewMessage, SearchQuery
from tests.support.cast import allow, group_with
from tests.support.talk import memories, open_session, permit_of, say
from tests.support.upkeep import govern

TEXTS = pytest.mark.parametrize(
    ("stated", "answer", "question"),
    [
        ("I have diabetes.", "You told me that you have diabetes.", "What about my diabetes?"),
        ("我有糖尿病。", "你说过你有糖尿病。", "我的糖尿病怎么样？"),
    ],
    ids=["English", "Chinese"],
)


def told(user: User, *turns: str, group_id: object = None) -> None:
    """What the person says and what they are answered, in turns, in one conversation; learned from."""
    session = open_session(user, group_id=group_id)
    with acting_as(user.pk):
        roles = ("user", "assistant")
        messages = [NewMessage.of_text(roles[at % 2], text, user.name) for at, text in enumerate(turns)]  # type: ignore[arg-type]
        observe(permit_of(user), sessions.record_messages(permit_of(user), session, messages))
    drain()


def found(user: User, question: str, **query: object) -> set[str]:
    with acting_as(user.pk):
        asked = SearchQuery(question, ("turn",), with_past=True, **query)  # type: ignore[arg-type]
        return {hit.text for hit in search(permit_of(user), asked).hits}


def waiting(user: User) -> MemoryItem:
    """The one statement of health that waits for its person."""
    waits = memories(user, state="quarantined", superseded_at=None)
    [item] = (one for one in waits if one.provenance_detail["doubt"] == health_statements.RULE)
    return item


@TEXTS
def test_neither_the_message_nor_its_answer_is_found_until_its_person_says_yes(
    alice: User, stated: str, answer: str, question: str
) -> None:
    permit = allow(alice)
    told(alice, stated, answer)
    assert found(alice, question) == set()
    with acting_as(alice.pk):
        item = items.accept(permit, waiting(alice).pk)
    assert found(alice, question) == {stated, answer}
    with acting_as(alice.pk):
        undo(permit, item.pk)
    assert found(alice, question) == set()


def test_a_message_that_was_searchable_before_is_taken_out_by_the_daily_upkeep(alice: User) -> None:
    allow(alice)
    told(alice, "I have diabetes.")
    with patch.object(withheld_messages, "_still_withheld", return_value=set()), acting_as(alice.pk):
        withheld_messages.restore_messages(alice.pk, ConversationEvent.objects.values_list("pk", flat=True))
    assert found(alice, "What about my diabetes?") == {"I have diabetes."}
    govern(alice, UpkeepStep.CLEAN_UP)
    assert found(alice, "What about my diabetes?") == set()


@TEXTS
def test_once_its_person_says_no_it_stays_out(alice: User, stated: str, answer: str, question: str) -> None:
    permit = allow(alice)
    told(alice, stated, answer)
    with acting_as(alice.pk):
        rejected = item_decisions.reject(permit, waiting(alice).pk)
        assert found(alice, question) == set()
        undo(permit, rejected.pk)
    assert found(alice, question) == set()


def test_the_answer_to_a_message_that_was_taken_back_stays_out_whatever_else_the_message_taught(alice: User) -> None:
    permit = allow(alice)
    told(alice, "I have diabetes. I have asthma.", "You told me that you have diabetes.")
    refused, other = memories(alice, state="quarantined", superseded_at=None)
    with acting_as(alice.pk):
        rejected = item_decisions.reject(permit, refused.pk)
        forget(alice, ErasureScope.ITEM, str(rejected.pk), Sources.KEEP, source="web")
    drain()
    with acting_as(alice.pk):
        items.accept(permit_of(alice), other.pk)
    assert found(alice, "What about my diabetes?") == set()


def test_following_an_item_writes_nothing_where_an_answer_was_never_to_be_found(alice: User) -> None:
    permit = allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        answer = NewMessage.of_text("assistant", "You follow copper.", "FinClaw", echo=True)
        turn = [NewMessage.of_text("user", "I follow copper.", alice.name), answer]
        observe(permit, sessions.record_messages(permit, session, turn))
    drain()
    with acting_as(alice.pk), patch.object(withheld_messages, "index_now") as again:
        visibility.update_visibility(memories(alice)[0])
    assert not again.called


@pytest.mark.parametrize(
    ("stated", "answer", "question"),
    [
        ("My depression is back.", "I am sorry about your depression.", "What about my depression?"),
        ("My doctor says my diabetes is getting worse, sadly. I follow copper.", "Copper it is.", "my diabetes"),
        ("我的糖尿病越来越严重了。", "糖尿病要当心。", "我的糖尿病怎么样？"),
    ],
)
def test_health_that_no_memory_was_made_of_is_not_found_either(
    alice: User, stated: str, answer: str, question: str
) -> None:
    allow(alice)
    told(alice, stated, answer)
    assert found(alice, question) == set()
    with acting_as(alice.pk):
        for item in memories(alice):
            visibility.update_visibility(item)
    assert found(alice, question) == set()


@TEXTS
def test_nor_is_what_said_it_again(alice: User, stated: str, answer: str, question: str) -> None:
    permit = allow(alice)
    told(alice, stated, answer)
    told(alice, f"OK. {stated}")
    assert found(alice, question) == set()
    with acting_as(alice.pk):
        items.accept(permit, waiting(alice).pk)
    assert found(alice, question) == {stated, answer, f"OK. {stated}"}


def test_the_messages_beside_it_lend_none_of_its_words(alice: User) -> None:
    permit = allow(alice)
    told(alice, "Good morning.", "Hello.", "I have diabetes.", "Noted.", "Now to copper.", "Copper rose.")
    asked = {"strategy": "lexical"}
    assert found(alice, "diabetes", **asked) == set()
    assert found(alice, "copper", **asked) >= {"Now to copper.", "Copper rose."}
    with acting_as(alice.pk):
        items.accept(permit, waiting(alice).pk)
    assert found(alice, "diabetes", **asked) >= {"I have diabetes.", "Hello.", "Now to copper."}


def test_a_message_is_given_back_when_nothing_in_it_waits_any_more(alice: User) -> None:
    permit = allow(alice)
    [message] = say(alice, open_session(alice), "I have diabetes. I have asthma.")
    one, other = memories(alice, state="quarantined")
    with acting_as(alice.pk):
        items.accept(permit, one.pk)
        assert find_withheld_messages(alice.pk, [message.pk]) == {message.pk}
        assert found(alice, "diabetes") == set()
        items.accept(permit, other.pk)
        assert find_withheld_messages(alice.pk, [message.pk]) == set()
    assert found(alice, "diabetes") == {message.text}


def test_a_group_does_not_find_it_either(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    group = group_with(alice, [bob])
    told(alice, "I have diabetes.", "You have diabetes.", group_id=group.pk)
    assert found(bob, "diabetes", group_id=group.pk) == set()


def archived(user: User, *texts: str) -> list[str]:
    """The texts of the events that the end of a conversation made; who has asthma said that it may be kept."""
    session = open_session(user)
    say(user, session, *texts)
    with acting_as(user.pk):
        for item in memories(user, state="quarantined", superseded_at=None):
            if "asthma" in item.content or "哮喘" in item.content:
                items.accept(permit_of(user), item.pk)
        archive_session(permit_of(user), user, Session.objects.get(pk=session.pk))
    drain()
    with acting_as(user.pk):
        return list(CognitiveEvent.objects.filter(session=session).values_list("canonical_text", flat=True))


@pytest.mark.parametrize(
    ("texts", "told_of", "kept_back"),
    [
        (("I follow copper. I have diabetes.",), "copper", "diabetes"),
        (("I have asthma.", "I have diabetes."), "asthma", "diabetes"),
        (("Remember that I have diabetes.", "I'm diabetic and follow copper."), "diabetes", "copper"),
        (("我关注铜价。我有糖尿病。",), "铜价", "糖尿病"),
        (("我有哮喘。", "我有糖尿病。"), "哮喘", "糖尿病"),
    ],
)
def test_an_event_tells_of_health_only_what_its_person_confirmed(
    alice: User, texts: tuple[str, ...], told_of: str, kept_back: str
) -> None:
    allow(alice)
    event = "\n".join(archived(alice, *texts))
    assert told_of in event
    assert kept_back not in event


@pytest.mark.parametrize("text", ["I have diabetes.", "I have diabetes, what may I eat?", "我有糖尿病，可以吃什么？"])
def test_a_conversation_of_nothing_else_makes_no_event(alice: User, text: str) -> None:
    permit = allow(alice)
    session = open_session(alice)
    say(alice, session, text)
    with acting_as(alice.pk):
        ending = build_end_input(permit, alice, session)
    assert (ending.action_summary, ending.new_info, ending.message_ids) == ("", "", ())
    assert archived(alice, text) == []
