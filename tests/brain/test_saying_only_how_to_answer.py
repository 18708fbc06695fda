"""A message that only says how to be answered is acknowledged, in the language wanted, and taken back by a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.research import profile_context
from tests.support.cast import allow, group_with
from tests.support.speaking import ask, persona_file, state_of
from tests.support.talk import memories, open_session, permit_of

CHINESE, ENGLISH = "语言模型", "language model"


@pytest.fixture
def configure(tmp_path: Path, settings: Settings) -> Callable[[str], None]:
    """Let persona.yaml say this."""
    return persona_file(tmp_path, settings)


@pytest.mark.parametrize(
    ("said", "told", "way_back"),
    [
        ("be warm", "warm and encouraging", "back to normal"),
        ("Be rational, please.", "rational", "back to normal"),
        ("Keep it short", "short answers", "back to normal"),
        ("温柔一点", "温暖", "恢复正常"),
        ("用要点回答", "分点回答", "恢复正常"),
        ("From now on, always keep your answers short.", "From now on: short answers", "How I speak"),
        ("以后都温柔一点", "从现在起：语气亲切", "How I speak"),
    ],
)
def test_what_changed_is_said_with_how_to_take_it_back(alice: User, said: str, told: str, way_back: str) -> None:
    allow(alice)

    reply = ask(alice, open_session(alice), said).reply

    assert told in reply
    assert way_back in reply


@pytest.mark.parametrize("back", ["Back to normal!", "be yourself again", "恢复正常", "像平时一样说话"])
def test_a_word_brings_the_usual_way_back(alice: User, back: str) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "be warm and keep it short")
    assert (state_of(alice, session).mode, state_of(alice, session).mode_source) == ("idol", "user")

    reply = ask(alice, session, back).reply

    state = state_of(alice, session)
    assert (state.mode, state.mode_source, state.wishes) == ("hybrid", "default", ())
    assert "my usual way" in reply or "平时的方式" in reply


def test_a_message_that_asks_something_too_is_answered(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "I follow BTC")

    reply = ask(alice, session, "Be warm. What do I follow?").reply

    assert "BTC" in reply
    assert "Understood" not in reply
    assert state_of(alice, session).mode == "idol"


@pytest.mark.parametrize(
    "wish", ["Keep it short.", "reply in Chinese", "简短一点", "用英文回答", "be warm", "温柔一点"]
)
def test_what_the_memory_learns_as_well_is_said_to_hold_elsewhere(alice: User, wish: str) -> None:
    allow(alice)
    temporary = ask(alice, open_session(alice, remember=False), wish).reply
    remembered = ask(alice, open_session(alice), wish).reply
    drain()

    is_learned = bool(memories(alice))
    assert ("What I remember" in remembered or "我记得的内容" in remembered) is is_learned
    assert "What I remember" not in temporary
    assert "我记得的内容" not in temporary


def test_nothing_is_said_to_last_that_is_not_kept(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    always = "From now on, always keep your answers short."
    temporary = open_session(alice, remember=False)
    shared = open_session(alice, group_id=group_with(alice, [bob]).pk)

    assert "From now on" not in ask(alice, temporary, always).reply
    assert "From now on" not in ask(alice, shared, always).reply


def test_where_no_way_can_be_chosen_that_is_said(alice: User, configure: Callable[[str], None]) -> None:
    allow(alice)
    configure("{dynamic_modes: false, default_mode: strict}")

    assert "cannot be chosen: strict" in ask(alice, open_session(alice), "be warm").reply


def test_a_command_is_no_memory(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    for command in ("be warm", "back to usual.", "换成严格模式", "改成温柔一点的语气", "恢复正常"):
        ask(alice, session, command)
    drain()

    assert memories(alice) == []


# The language.


@pytest.mark.parametrize(
    ("wish", "asked", "answered_in"),
    [
        ("Reply in Chinese", "What do I follow?", CHINESE),
        ("用英文回答", "我关注什么？", ENGLISH),
        ("speak English please", "我关注什么？", ENGLISH),
    ],
)
def test_a_language_asked_for_holds_at_once_and_in_the_conversation(
    alice: User, wish: str, asked: str, answered_in: str
) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        profile_context.save_profile_context(permit, {"language_preference": "en" if answered_in == CHINESE else "zh"})
    session = open_session(alice, remember=False)

    assert answered_in in ask(alice, session, wish).reply
    assert answered_in in ask(alice, session, asked).reply


@pytest.mark.parametrize("wish", ["From now on, reply in Chinese", "以后都用中文回答"])
def test_a_language_that_was_learned_holds_in_other_conversations(alice: User, wish: str) -> None:
    allow(alice)
    ask(alice, open_session(alice), wish)
    drain()

    assert CHINESE in ask(alice, open_session(alice), "What do I follow?").reply


def test_the_language_stated_comes_before_the_one_learned_and_both_before_the_messages(alice: User) -> None:
    allow(alice)
    ask(alice, open_session(alice), "From now on, reply in Chinese")
    with acting_as(alice.pk):
        profile_context.save_profile_context(permit_of(alice), {"language_preference": "en"})

    assert ENGLISH in ask(alice, open_session(alice), "我关注什么？").reply
