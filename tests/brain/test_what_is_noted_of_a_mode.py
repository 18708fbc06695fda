"""What somebody asked of the assistant's manner is noted with how long it holds, ends when it was to, and is erased."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import reverse
from structlog.typing import EventDict

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from memory.models import Session
from personas.models import PersonaState
from personas.services.states import set_mode
from tests.support.api import signed_in
from tests.support.cast import allow, allow_nothing, make_person
from tests.support.operators import persona_telemetry
from tests.support.speaking import ask, state_of
from tests.support.talk import memories, open_session, permit_of


@pytest.fixture
def session(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


@pytest.fixture
def logs() -> Iterator[list[EventDict]]:
    with persona_telemetry() as lines:
        yield lines


def _changes(logs: list[EventDict]) -> list[tuple[str, str, str, bool]]:
    told = [line for line in logs if line["event"] == "persona.mode.changed"]
    return [(line["mode_before"], line["mode_after"], line["mode_source"], line["turns_over"]) for line in told]


def _choose(user: User, session: Session, mode: str, notes: str = "", ttl_turns: int | None = None) -> None:
    with acting_as(user.pk):
        session.refresh_from_db()
        set_mode(permit_of(user), session, mode, notes=notes, ttl_turns=ttl_turns)


# What is noted.


@pytest.mark.parametrize(
    ("said", "noted", "left"),
    [
        (
            "Be rational for the next three answers. Where does Zqcorp stand?",
            "As you asked: rational, facts and steps first, for 3 messages.",
            2,
        ),
        ("接下来两条回答用严格模式。Zqcorp 怎么样？", "按你的要求：严格，结构清楚、简短，持续 2 条消息。", 1),
        ("Should I sell Zqcorp?", "Fits what you wrote: rational, facts and steps first, for 20 messages.", 19),
        ("Keep it short. What about Zqcorp?", "In this chat, as you asked: short answers.", 0),
        ("Just for this answer, be playful. How is Zqcorp?", "", 0),
    ],
)
def test_the_message_says_what_is_noted_and_for_how_long(
    alice: User, session: Session, said: str, noted: str, left: int
) -> None:
    ask(alice, session, said)

    state = state_of(alice, session)
    assert (state.notes, state.ttl_turns) == (noted, left)
    assert "Zqcorp" not in state.notes


def test_its_person_reads_it_and_nobody_else(client: Client, alice: User, bob: User, session: Session) -> None:
    allow(bob)
    ask(alice, session, "Use strict mode for the next five messages.")
    noted = "As you asked: strict, structured and short, for 5 messages."
    path = f"/api/sessions/{session.pk}/persona"

    assert signed_in(alice).get(path).json()["notes"] == noted
    assert signed_in(bob).get(path).status_code == 404
    client.force_login(alice, backend="django.contrib.auth.backends.ModelBackend")
    assert noted in client.get(reverse("web:chat_session", args=[session.pk])).content.decode()


def test_a_mode_asked_for_alone_holds_for_as_many_answers_as_was_said(alice: User, session: Session) -> None:
    reply = ask(alice, session, "For the next message, be rational.").reply
    assert "For your next message here: rational" in reply
    assert state_of(alice, session).mode == "rational"

    ask(alice, session, "What about copper?")

    assert state_of(alice, session).mode == "hybrid"


def test_what_its_person_wrote_on_a_page_stays_beside_a_wish_and_goes_with_the_mode(
    alice: User, session: Session
) -> None:
    _choose(alice, session, "strict", notes="For the audit")
    ask(alice, session, "Keep it short. What about copper?")
    assert state_of(alice, session).notes == "For the audit"

    ask(alice, session, "Be rational. What about zinc?")

    notes = "As you asked: rational, facts and steps first, for 20 messages. In this chat, as you asked: short answers."
    assert state_of(alice, session).notes == notes


def test_taken_back_is_noted_too(alice: User, session: Session) -> None:
    ask(alice, session, "Be warm. What about copper?")
    ask(alice, session, "Back to normal!")

    assert state_of(alice, session).notes == "Back to my usual way, as you asked."


def test_no_scope_of_the_consent_is_needed_for_what_stays_in_the_chat(alice: User) -> None:
    allow_nothing(alice)
    session = open_session(alice)

    ask(alice, session, "Be strict for two answers. What about copper?")

    assert state_of(alice, session).notes == "As you asked: strict, structured and short, for 2 messages."


# How it ends.


def test_the_end_of_a_mode_is_told_once_with_its_last_turn(
    alice: User, session: Session, logs: list[EventDict]
) -> None:
    ask(alice, session, "Be playful for two answers. What about copper?")
    ask(alice, session, "And zinc?")
    ended = [("hybrid", "idol", "user", False), ("idol", "hybrid", "default", True)]
    assert _changes(logs) == ended

    ask(alice, session, "And tin?")

    assert _changes(logs) == ended
    assert {line["session_id"] for line in logs if line["event"] == "persona.mode.changed"} == {str(session.pk)}


def test_a_mode_chosen_on_a_page_ends_alike(alice: User, session: Session, logs: list[EventDict]) -> None:
    _choose(alice, session, "strict", notes="For the audit", ttl_turns=1)
    ask(alice, session, "And zinc?")

    assert _changes(logs) == [("hybrid", "strict", "user", False), ("strict", "hybrid", "default", True)]
    assert state_of(alice, session).notes == ""


def test_the_wishes_outlive_the_mode_in_the_notes(alice: User, session: Session) -> None:
    ask(alice, session, "Keep it short. What about copper?")
    ask(alice, session, "Be strict for two answers. And zinc?")
    ask(alice, session, "And tin?")

    state = state_of(alice, session)
    assert (state.mode, state.notes) == ("hybrid", "In this chat, as you asked: short answers.")


def test_an_end_that_no_turn_recorded_is_told_before_the_next_mode(
    alice: User, session: Session, logs: list[EventDict]
) -> None:
    _choose(alice, session, "strict", ttl_turns=1)
    with acting_as(alice.pk):
        PersonaState.objects.update(since_turn=0)
        Session.objects.filter(pk=session.pk).update(last_seq=4)

    ask(alice, session, "Be playful. What about copper?")

    assert _changes(logs) == [
        ("hybrid", "strict", "user", False),
        ("strict", "hybrid", "default", True),
        ("hybrid", "idol", "user", False),
    ]


# How it goes.


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scope", [ErasureScope.ITEM, ErasureScope.SESSION, ErasureScope.ACCOUNT])
def test_it_is_erased_with_the_message_it_came_from(scope: ErasureScope) -> None:
    alice = make_person("alice")
    allow(alice)
    session = open_session(alice)
    ask(alice, session, "I follow BTC. Be strict for five answers.")
    drain()
    (memory,) = [item for item in memories(alice) if "BTC" in item.content]
    target = {ErasureScope.ITEM: str(memory.pk), ErasureScope.SESSION: str(session.pk)}.get(scope, "")

    with acting_as(alice.pk):
        tombstone = forget(alice, scope, target, Sources.REDACT, source="api")
    drain()

    with acting_as(alice.pk):
        assert Tombstone.objects.get(pk=tombstone.pk).state == "completed"
        left = list(PersonaState.with_erased.values_list("mode", "notes", "noted_in"))
    assert left == ([("strict", "", None)] if scope == ErasureScope.ITEM else [])
