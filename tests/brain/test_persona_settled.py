"""What a message does to the mode and teaches about its person is settled with its reply, or not at all (P-2, P-4)."""

from __future__ import annotations

import pytest

from finclaw.brain import turn
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from personas.models import PersonaSignal
from personas.services import states
from tests.personas.support import learned
from tests.support.cast import allow, allow_all_but_learning, group_with
from tests.support.speaking import ask, prepared, prompt_answered, prompt_of, state_of
from tests.support.talk import memories, open_session, permit_of

ALWAYS_BRIEF, BRIEF = "From now on, always keep your answers short.", "Wants short, concise answers."


# Modes.


def test_a_wish_for_a_mode_acts_at_once_and_holds_for_the_turns_that_follow(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    assert "Speak rationally" in prompt_answered(alice, session, "Be rational for now.")
    for text in ("What about copper?", "And zinc?", "Tell me more."):
        assert "Speak rationally" in prompt_answered(alice, session, text)
    assert (state_of(alice, session).mode, state_of(alice, session).mode_source) == ("rational", "user")
    assert "Speak rationally" in prompt_answered(alice, open_session(alice), "理性一点。")


def test_a_mode_chosen_for_two_turns_is_over_at_the_third(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        states.set_mode(permit_of(alice), session, "strict", ttl_turns=2)
    prompts = [prompt_answered(alice, session, text) for text in ("One?", "Two?", "Three?")]
    assert ["Speak strictly" in prompt for prompt in prompts] == [True, True, False]


def test_a_turn_that_is_not_answered_changes_no_mode_and_teaches_nothing(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    answer = turn.stream(prepared(alice, f"Be strict. {ALWAYS_BRIEF}", session))
    next(answer)
    answer.close()
    assert state_of(alice, session).mode_source == "default"
    assert learned(alice) == {}


def test_what_was_chosen_while_the_model_thought_stays(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    asked = prepared(alice, "Be rational.", session)
    with acting_as(alice.pk):
        states.set_mode(permit_of(alice), session, "idol")
    list(turn.stream(asked))
    assert state_of(alice, session).mode == "idol"


# Write-back.


def test_what_is_said_to_last_is_learned_and_a_passing_wish_is_not(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "Keep it short, please.")
    assert learned(alice) == {}
    assert f"In this conversation: {BRIEF}" in prompt_of(alice, session=session)
    assert BRIEF not in prompt_of(alice)
    ask(alice, open_session(alice), "以后回答都简短一点。")
    assert learned(alice) == {"reply_length": "concise"}
    assert "希望回答简洁。" in prompt_of(alice)


def test_the_same_wish_three_times_is_learned(alice: User) -> None:
    allow(alice)
    for kept in ({}, {}, {"reply_length": "concise"}):
        ask(alice, open_session(alice), "Keep it short, please.")
        assert learned(alice) == kept


@pytest.mark.parametrize(("wish", "enough"), [("Be warm.", "Back to normal."), ("温柔一点。", "恢复正常。")])
def test_what_is_taken_back_each_time_is_no_habit(alice: User, wish: str, enough: str) -> None:
    allow(alice)
    for _ in range(3):
        session = open_session(alice)
        ask(alice, session, wish)
        ask(alice, session, enough)
    ask(alice, open_session(alice), wish)
    assert learned(alice) == {}
    with acting_as(alice.pk):
        assert PersonaSignal.objects.count() == 1


def test_nor_is_what_is_taken_back_on_a_page(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "Keep it short, please.")
    with acting_as(alice.pk):
        states.clear_mode(permit_of(alice), session)
        assert not PersonaSignal.objects.exists()


def test_always_like_this_is_the_mode_one_was_answered_in(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "Be strict.")
    ask(alice, session, "以后都这么回复")
    assert learned(alice) == {"mode": "strict"}
    assert "Speak strictly" in prompt_of(alice)


@pytest.mark.parametrize("wish", ["From now on reply in Chinese.", "以后都用中文回答。"])
def test_a_language_wanted_from_now_on_is_one_memory(alice: User, wish: str) -> None:
    allow(alice)
    ask(alice, open_session(alice), wish)
    drain()
    assert learned(alice) == {"reply_language": "zh"}
    assert [item.memory_type for item in memories(alice)] == ["persona_preference"]


@pytest.mark.parametrize("case", ["no scope", "temporary", "group"])
def test_where_nothing_may_be_learned_nothing_is_not_even_a_count(alice: User, case: str) -> None:
    allow_all_but_learning(alice) if case == "no scope" else allow(alice)
    group = group_with(alice).pk if case == "group" else None
    ask(alice, open_session(alice, remember=case != "temporary", group_id=group), ALWAYS_BRIEF)
    assert learned(alice) == {}
    with acting_as(alice.pk):
        assert not PersonaSignal.objects.exists()
