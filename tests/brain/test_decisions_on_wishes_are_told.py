"""Each decision on a style wish is an event with its ground, also where nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytest_django import Settings
from structlog.typing import EventDict

from consent.kill_switches import throw_switch
from consent.models import Capability
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from personas.models import PersonaSignal
from personas.services.mode_choice import choose_mode
from personas.services.preferences import dismiss_waiting
from personas.services.write_back import confirm_preference
from tests.console.test_roles import make_operator
from tests.personas.support import learned, waiting
from tests.support.cast import allow, allow_all_but_learning, group_with
from tests.support.operators import persona_telemetry
from tests.support.speaking import ask, persona_file
from tests.support.talk import open_session, permit_of

SHORT, OBJECTION = "Keep it short. What about krugerrands?", "Stop being so poetic! What about krugerrands?"


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with persona_telemetry() as lines:
        yield lines


def _decided(logs: list[EventDict]) -> list[tuple[str, str, str]]:
    told = [line for line in logs if line["event"] == "persona.preference.decided"]
    return [(line["key"], line["writeback_decision"], line["ground"]) for line in told]


def _signs(user: User) -> int:
    with acting_as(user.pk):
        return PersonaSignal.objects.count()


@pytest.mark.parametrize(
    ("said", "decision", "ground"),
    [
        (SHORT, "session_only", "too_few_signs"),
        ("From now on, keep your answers short. What about krugerrands?", "explicit", "stated_to_last"),
        ("别这么啰嗦！克鲁格金币怎么样？", "waiting", "corrects_the_assistant"),
        ("Just this once, keep it short. What about krugerrands?", "session_only", "said_for_a_while"),
    ],
)
def test_what_a_turn_decides_is_told_with_its_ground(
    alice: User, logs: list[EventDict], said: str, decision: str, ground: str
) -> None:
    allow(alice)
    session = open_session(alice)

    ask(alice, session, said)

    assert _decided(logs) == [("reply_length", decision, ground)]
    assert {line["session_id"] for line in logs if "decided" in str(line["event"])} == {str(session.pk)}
    assert "krugerrands" not in str(logs)
    assert "克鲁格" not in str(logs)


def test_a_habit_is_told_sign_by_sign_and_then_as_kept(alice: User, logs: list[EventDict]) -> None:
    allow(alice)
    for _ in range(3):
        ask(alice, open_session(alice), SHORT)

    assert _decided(logs) == [
        ("reply_length", "session_only", "too_few_signs"),
        ("reply_length", "session_only", "too_few_signs"),
        ("reply_length", "repeated", "said_in_a_row"),
    ]
    assert [line["event"] for line in logs].count("persona.preference.persisted") == 1
    assert learned(alice) == {"reply_length": "concise"}


def test_what_contradicts_a_stated_preference_is_told_to_wait(alice: User, logs: list[EventDict]) -> None:
    allow(alice)
    ask(alice, open_session(alice), "From now on, always answer in detail.")
    for _ in range(3):
        ask(alice, open_session(alice), SHORT)

    assert _decided(logs)[-1] == ("reply_length", "waiting", "contradicts_what_was_told")


def _without_consent(alice: User, **_: object) -> str:
    allow_all_but_learning(alice)
    return "without_consent"


def _stopped(alice: User, **_: object) -> str:
    allow(alice)
    throw_switch(Capability.LEARNING, None, "A fault.", make_operator("superuser"))
    return "learning_stopped"


def _written_off(alice: User, *, configure: Callable[[str], None]) -> str:
    allow(alice)
    configure("write_back: false")
    return "write_back_off"


@pytest.mark.parametrize("refuse", [_without_consent, _stopped, _written_off])
def test_what_may_not_be_written_is_told_with_what_forbids_it(
    alice: User, logs: list[EventDict], tmp_path: Path, settings: Settings, refuse: Callable[..., str]
) -> None:
    ground = refuse(alice, configure=persona_file(tmp_path, settings))

    ask(alice, open_session(alice), "From now on, keep your answers short. What about copper?")

    decision = "off" if ground == "write_back_off" else "session_only"
    assert _decided(logs) == [("reply_length", decision, ground)]
    assert (_signs(alice), learned(alice)) == (0, {})


def test_a_chat_that_is_not_remembered_and_a_group_teach_nothing(alice: User, bob: User, logs: list[EventDict]) -> None:
    allow(alice)
    ask(alice, open_session(alice, remember=False), SHORT)
    ask(alice, open_session(alice, group_id=group_with(alice, [bob]).pk), SHORT)

    assert _decided(logs) == [
        ("reply_length", "session_only", "message_teaches_nothing"),
        ("reply_length", "session_only", "in_a_group"),
    ]
    assert _signs(alice) == 0


def test_what_its_person_decides_is_told_too(alice: User, logs: list[EventDict]) -> None:
    allow(alice)
    session = open_session(alice)
    ask(alice, session, OBJECTION)
    (asked,) = waiting(alice)
    with acting_as(alice.pk):
        assert dismiss_waiting(permit_of(alice), asked.id)
    ask(alice, session, OBJECTION)
    (asked,) = waiting(alice)
    with acting_as(alice.pk):
        confirm_preference(permit_of(alice), asked.id)
        choose_mode(permit_of(alice), "strict")
    ask(alice, session, SHORT)
    ask(alice, session, "Back to normal!")

    told = [(decision, ground) for _, decision, ground in _decided(logs)]
    assert told == [
        ("waiting", "corrects_the_assistant"),
        ("dismissed", "dismissed_by_user"),
        ("waiting", "corrects_the_assistant"),
        ("confirmed", "confirmed_by_user"),
        ("explicit", "chosen_in_settings"),
        ("session_only", "too_few_signs"),
        ("taken_back", "taken_back_by_user"),
    ]
