"""A correction in a list of values puts away what the person said in the message before, and nothing else (M-15)."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from finclaw.brain.types import TurnRequest
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.learning.services import observe
from memory.models import EvolutionEvent, Session
from memory.retrieval.services import search
from memory.services.history import undo
from memory.services.sessions import record_messages
from memory.types import NewMessage, SearchQuery
from tests.memory.evolution.support import believed, changes, recallable
from tests.support.cast import A_MONDAY, allow, group_with
from tests.support.talk import memories, open_session, permit_of, say

CORRECTIONS = pytest.mark.parametrize(
    ("first", "correction", "wrong", "right"),
    [
        ("I like tea", "No, I like coffee", "Likes tea", "Likes coffee"),
        ("I like tea", "Actually, I like coffee", "Likes tea", "Likes coffee"),
        ("I like tea", "I meant I like coffee", "Likes tea", "Likes coffee"),
        ("I like tea", "Sorry, I meant that I like coffee.", "Likes tea", "Likes coffee"),
        ("I like tea", "That's wrong. I like coffee.", "Likes tea", "Likes coffee"),
        ("I prefer detailed charts", "No, I prefer short text", "Prefers detailed charts", "Prefers short text"),
        ("I follow BTC", "Wait, I follow ETH", "Follows BTC", "Follows ETH"),
        ("I hate coffee", "No, I hate tea", "Dislikes coffee", "Dislikes tea"),
        ("I like tea", "I meant coffee", "Likes tea", "Likes coffee"),
        ("I like tea", "No, sorry, I meant green tea.", "Likes tea", "Likes green tea"),
        ("I live in Berlin", "I meant Hamburg", "Lives in Berlin", "Lives in Hamburg"),
        ("我喜欢喝茶", "不对,我喜欢咖啡", "喜欢喝茶", "喜欢咖啡"),
        ("我喜欢喝茶", "不是，我喜欢咖啡", "喜欢喝茶", "喜欢咖啡"),
        ("我喜欢喝茶", "不对，应该是我喜欢咖啡", "喜欢喝茶", "喜欢咖啡"),
        ("我喜欢喝茶", "说错了，我喜欢咖啡", "喜欢喝茶", "喜欢咖啡"),
        ("我喜欢喝茶", "我的意思是我喜欢咖啡", "喜欢喝茶", "喜欢咖啡"),
        ("我喜欢茶", "不对，应该是咖啡", "喜欢茶", "喜欢咖啡"),
        ("我喜欢茶", "不对，是咖啡。", "喜欢茶", "喜欢咖啡"),
        ("我住在北京", "我说的是上海", "住在北京", "住在上海"),
        ("我喜欢北京", "不对，我喜欢成都", "喜欢北京", "喜欢成都"),
        ("我关注比特币", "不对，我关注以太坊", "关注比特币", "关注以太坊"),
        ("我讨厌咖啡", "不，我讨厌茶", "不喜欢咖啡", "不喜欢茶"),
    ],
)


def answer(user: User, session: Session, text: str) -> None:
    """The assistant says something in the conversation."""
    with acting_as(user.pk):
        said = [NewMessage.of_text("assistant", text, "FinClaw")]
        observe(permit_of(user), record_messages(permit_of(user), session, said))
    drain()


@CORRECTIONS
def test_a_marked_correction_takes_the_place_of_the_last_statement(
    alice: User, first: str, correction: str, wrong: str, right: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    assert believed(alice) == {wrong}
    say(alice, session, correction)
    assert believed(alice) == recallable(alice) == {right}
    [old, new] = memories(alice)
    assert (old.superseded_by_id, old.invalid_at, new.confidence) == (new.pk, new.valid_at, 0.9)
    change = changes(alice)[-1]
    assert (change.action, change.inputs["previous"]) == (EvolutionEvent.Action.SUPERSEDED, str(old.pk))
    assert change.rule
    with acting_as(alice.pk):
        found = search(permit_of(alice), SearchQuery(first, ("turn",), with_past=True)).hits
    assert [hit.is_past for hit in found if hit.text == first] == [True]


@CORRECTIONS
def test_an_undo_brings_the_old_statement_and_its_message_back(
    alice: User, first: str, correction: str, wrong: str, right: str
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first, correction)
    [_, new] = memories(alice)
    with acting_as(alice.pk):
        undo(permit_of(alice), new.pk)
        found = search(permit_of(alice), SearchQuery(first, ("turn",))).hits
    assert believed(alice) == recallable(alice) == {wrong}
    assert first in {hit.text for hit in found}


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ("I like tea", "I like coffee", {"Likes tea", "Likes coffee"}),
        ("I like tea", "Also I like coffee", {"Likes tea", "Likes coffee"}),
        ("I like tea", "No, thanks, I like coffee too", {"Likes tea", "Likes coffee"}),
        ("I like tea", "No, I like coffee too", {"Likes tea", "Likes coffee"}),
        ("I like tea", "Actually, I also like coffee", {"Likes tea", "Likes coffee"}),
        ("I like tea", "No, I like coffee as well", {"Likes tea", "Likes coffee"}),
        ("I like tea", "No, I like tea and coffee", {"Likes tea", "Likes coffee"}),
        ("I like tea", "No, I like coffee and tea", {"Likes tea", "Likes coffee"}),
        ("I like tea", "No, I hate coffee", {"Likes tea", "Dislikes coffee"}),
        ("I like tea", "Actually, I follow BTC", {"Likes tea", "Follows BTC"}),
        ("I like tea", "Maybe I like coffee", {"Likes tea"}),
        ("I like tea", "I meant well", {"Likes tea"}),
        ("I like tea", "I meant to say hello", {"Likes tea"}),
        ("I like tea", "I meant coffee?", {"Likes tea"}),
        ("I like tea and cocoa", "I meant coffee", {"Likes tea", "Likes cocoa"}),
        ("Nice weather today", "I meant tomorrow", set()),
        ("我喜欢茶", "应该是吧", {"喜欢茶"}),
        ("我喜欢茶", "不对，应该是咖啡吗？", {"喜欢茶"}),
        ("我喜欢茶和可可", "我说的是咖啡", {"喜欢茶", "喜欢可可"}),
        ("我喜欢茶", "我喜欢咖啡", {"喜欢茶", "喜欢咖啡"}),
        ("我喜欢茶", "我也喜欢咖啡", {"喜欢茶", "喜欢咖啡"}),
        ("我喜欢茶", "不，我也喜欢咖啡", {"喜欢茶", "喜欢咖啡"}),
        ("我喜欢茶", "不对，我还喜欢咖啡", {"喜欢茶", "喜欢咖啡"}),
        ("我喜欢茶", "不用了，我喜欢咖啡", {"喜欢茶", "喜欢咖啡"}),
        ("我喜欢茶", "不对，我讨厌咖啡", {"喜欢茶", "不喜欢咖啡"}),
        ("我喜欢茶", "其实我关注比特币", {"喜欢茶", "关注比特币"}),
    ],
)
def test_without_a_mark_with_a_too_or_of_something_else_both_stay(
    alice: User, first: str, second: str, both: set[str]
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first, second)
    assert believed(alice) == both


@pytest.mark.parametrize(
    ("first", "between", "correction", "kept"),
    [
        ("I like tea", "The weather is nice", "No, I like coffee", {"Likes tea", "Likes coffee"}),
        ("我喜欢茶", "今天天气不错", "不对，我喜欢咖啡", {"喜欢茶", "喜欢咖啡"}),
    ],
)
def test_it_reaches_no_further_than_the_last_message(
    alice: User, first: str, between: str, correction: str, kept: set[str]
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first, between, correction)
    assert believed(alice) == kept


def test_nor_into_another_conversation_or_what_was_known_before(alice: User) -> None:
    allow(alice)
    say(alice, open_session(alice), "I like tea")
    session = open_session(alice)
    say(alice, session, "I like cocoa")
    say(alice, open_session(alice), "No, I like coffee")
    assert believed(alice) == {"Likes tea", "Likes cocoa", "Likes coffee"}
    say(alice, session, "Actually, I like juice")
    assert believed(alice) == {"Likes tea", "Likes juice", "Likes coffee"}


def test_an_older_correction_puts_nothing_away(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I like tea")
    say(alice, session, "No, I like coffee", at=A_MONDAY)
    assert believed(alice) == {"Likes tea", "Likes coffee"}


def test_all_that_the_last_message_listed_goes_and_each_step_is_undone(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I like tea and cocoa", "No, I like coffee and juice")
    assert believed(alice) == recallable(alice) == {"Likes coffee", "Likes juice"}
    [coffee] = memories(alice, content="Likes coffee")
    with acting_as(alice.pk):
        undo(permit_of(alice), coffee.pk)
        undo(permit_of(alice), coffee.pk)
    assert believed(alice) == {"Likes tea", "Likes cocoa", "Likes juice"}


@pytest.mark.parametrize(
    ("known", "slip", "correction", "left"),
    [
        ("I like tea", "I like coffee", "No, I like tea", {"Likes tea"}),
        ("我喜欢茶", "我喜欢咖啡", "不对，我喜欢茶", {"喜欢茶"}),
    ],
)
def test_back_to_what_was_known_confirms_it_and_drops_the_slip(
    alice: User, known: str, slip: str, correction: str, left: set[str]
) -> None:
    allow(alice)
    say(alice, open_session(alice), known)
    session = open_session(alice)
    say(alice, session, slip, correction)
    assert believed(alice) == recallable(alice) == left
    [current] = memories(alice, state="active")
    assert current.provenance == "confirmed_by_user"
    with acting_as(alice.pk):
        undo(permit_of(alice), current.pk)
    assert len(believed(alice)) == 2


def test_the_assistants_answer_in_between_does_not_matter(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    for text in ("I like tea", "No, I like coffee"):
        turn.reply(alice, TurnRequest(session.pk, ({"type": "text", "text": text},)))
        drain()
    assert believed(alice) == {"Likes coffee"}


@pytest.mark.parametrize(
    ("first", "question", "no", "left"),
    [
        ("I like tea", "Noted. Shall I order a sandwich?", "No, I like coffee", {"Likes tea", "Likes coffee"}),
        ("I like tea", "Noted. Shall I order a sandwich?", "No, I meant I like coffee", {"Likes coffee"}),
        ("I like tea", "Tea is fine. Which kind?", "No, I like coffee", {"Likes coffee"}),
        ("I like tea", "Noted.", "No, I like coffee", {"Likes coffee"}),
        ("我喜欢乌龙茶", "好的。需要我订一份三明治吗？", "不，我喜欢咖啡", {"喜欢乌龙茶", "喜欢咖啡"}),
        ("我喜欢乌龙茶", "好的。需要我订一份三明治吗？", "不对，我喜欢咖啡", {"喜欢咖啡"}),
        ("我喜欢乌龙茶", "您喜欢乌龙茶，对吗？", "不，我喜欢咖啡", {"喜欢咖啡"}),
    ],
)
def test_a_bare_no_to_a_question_about_something_else_answers_that(
    alice: User, first: str, question: str, no: str, left: set[str]
) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, first)
    answer(alice, session, question)
    say(alice, session, no)
    assert believed(alice) == left


def test_in_a_group_nobody_corrects_somebody_else(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    say(alice, session, "I like tea")
    say(bob, session, "I like cocoa")
    say(alice, session, "No, I like coffee")
    assert (believed(alice), believed(bob)) == ({"Likes coffee"}, {"Likes cocoa"})
