"""The mode of a conversation as it is kept: its person's, and gone with the conversation (P-2)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from consent.exceptions import ProfileConsentRequired
from consent.sensitive.exceptions import SensitiveInput
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.exceptions import ValidationFailed
from foundation.language import ParsedMessage
from memory.models import Session
from memory.services.sessions import record_messages
from memory.types import NewMessage
from personas.exceptions import PersonaModesOff
from personas.message_wishes import infer_wishes
from personas.models import PersonaState
from personas.services.states import clear_mode, mode_of, plan_mode_change, set_mode, store_mode_change
from personas.services.turn_inputs import read_persona_inputs
from personas.types import ModeChange, ModeInForce
from tests.personas.support import tell
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.operators import persona_telemetry
from tests.support.talk import open_session, permit_of


@pytest.fixture
def session(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def _state(user: User, session: Session) -> ModeInForce:
    with acting_as(user.pk):
        return mode_of(permit_of(user), Session.objects.get(pk=session.pk))


def _choose(user: User, session: Session, mode: str, **fields: object) -> ModeInForce:
    with acting_as(user.pk):
        return set_mode(permit_of(user), session, mode, **fields)  # type: ignore[arg-type]


def _planned(user: User, session: Session, text: str) -> ModeChange:
    permit = permit_of(user)
    found = read_persona_inputs(permit, user, session)
    return plan_mode_change(permit, found.stored_mode, session, infer_wishes(ParsedMessage(text)), found.preferences)


def _turn(user: User, session: Session, text: str) -> ModeInForce:
    """A message and its reply, and what that does to the mode."""
    with acting_as(user.pk):
        permit = permit_of(user)
        session.refresh_from_db()
        change = _planned(user, session, text)
        store_mode_change(permit, session, change)
        said = NewMessage.of_text("user", text, user.name), NewMessage.of_text("assistant", "Noted.", "FinClaw")
        record_messages(permit, session, said)
    return change.after


def test_at_first_the_default_holds_and_nothing_is_stored(alice: User, session: Session) -> None:
    assert _state(alice, session) == ModeInForce("hybrid", "default")
    _turn(alice, session, "I follow BTC.")
    with acting_as(alice.pk):
        assert not PersonaState.objects.exists()


def test_a_chosen_mode_acts_at_once_and_tells_what_is_left_of_it(alice: User, session: Session) -> None:
    chosen = _choose(alice, session, "strict", notes="For the audit", ttl_turns=2)

    assert (chosen.mode, chosen.mode_source, chosen.ttl_turns, chosen.notes) == ("strict", "user", 2, "For the audit")
    assert chosen.since is not None
    _turn(alice, session, "Cheer me up, write me a poem.")
    assert (_state(alice, session).mode, _state(alice, session).ttl_turns) == ("strict", 1)
    _turn(alice, session, "Go on.")
    assert _state(alice, session).mode == "hybrid"


def test_a_command_in_a_message_holds_from_that_very_reply(alice: User, session: Session) -> None:
    assert _turn(alice, session, "理性一点").mode == "rational"
    assert _state(alice, session).ttl_turns == 19


def test_a_rule_switches_and_a_user_overrules_it(alice: User, session: Session) -> None:
    assert _turn(alice, session, "Should I sell my shares?").mode_source == "rule"
    assert _turn(alice, session, "be playful").mode == "idol"
    assert _turn(alice, session, "Should I sell my shares?").mode == "idol"


def test_planning_stores_nothing(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        assert _planned(alice, session, "be rational").after.mode == "rational"
        assert not PersonaState.objects.exists()


def test_what_was_chosen_while_a_reply_was_made_stays(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        permit = permit_of(alice)
        change = _planned(alice, session, "Should I sell my shares?")
        set_mode(permit, session, "strict")
        store_mode_change(permit, session, change)

    assert _state(alice, session).mode == "strict"


def test_clearing_gives_the_default_back(alice: User, session: Session) -> None:
    _turn(alice, session, "keep it short")
    _choose(alice, session, "strict")
    assert _state(alice, session).wishes == (("reply_length", "concise"),)
    with acting_as(alice.pk):
        cleared = clear_mode(permit_of(alice), session)

    assert cleared.mode_source == "default"
    assert _state(alice, session) == ModeInForce("hybrid", "default")


def test_clearing_what_was_never_set_changes_nothing(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        assert clear_mode(permit_of(alice), session) == ModeInForce("hybrid", "default")
        assert not PersonaState.objects.exists()


def test_a_learned_mode_is_the_default_of_every_conversation(alice: User, session: Session) -> None:
    tell(alice, session, "Always be rational")

    assert _state(alice, open_session(alice)) == ModeInForce("rational", "default")


def test_switched_off_the_default_holds_and_a_wish_is_refused(
    alice: User, session: Session, configure: Callable[[str], None]
) -> None:
    _choose(alice, session, "strict")
    configure("dynamic_modes: false\ndefault_mode: rational")

    assert _state(alice, session) == ModeInForce("rational", "default")
    assert _turn(alice, session, "be playful and keep it short") == ModeInForce("rational", "default")
    with pytest.raises(PersonaModesOff):
        _choose(alice, session, "idol")
    configure("")
    assert _state(alice, session).mode == "strict"


@pytest.mark.parametrize(
    ("mode", "fields", "named"),
    [
        ("pirate", {}, "mode"),
        ("", {}, "mode"),
        ("strict", {"ttl_turns": 0}, "ttl_turns"),
        ("strict", {"ttl_turns": 100_000}, "ttl_turns"),
        ("strict", {"notes": "x" * 201}, "notes"),
    ],
)
def test_what_cannot_be_is_refused_by_name(
    alice: User, session: Session, mode: str, fields: dict[str, object], named: str
) -> None:
    with pytest.raises(ValidationFailed) as refused:
        _choose(alice, session, mode, **fields)

    assert set(refused.value.details) == {named}


def test_a_secret_in_a_note_is_refused(alice: User, session: Session) -> None:
    with pytest.raises(SensitiveInput):
        _choose(alice, session, "strict", notes="sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD")
    with acting_as(alice.pk):
        assert not PersonaState.objects.exists()


def test_a_mode_needs_a_decision_on_consent_and_no_scope(alice: User, bob: User, session: Session) -> None:
    with pytest.raises(ProfileConsentRequired):
        _choose(bob, session, "strict")
    allow_nothing(alice)

    assert _choose(alice, session, "strict").mode == "strict"


def test_in_a_group_everybody_has_a_mode_of_their_own(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    _choose(alice, session, "strict", notes="Only me")

    assert _state(bob, session) == ModeInForce("hybrid", "default")
    with acting_as(bob.pk):
        assert not PersonaState.objects.exists()


def test_telemetry_tells_which_mode_followed_which(alice: User, session: Session) -> None:
    with persona_telemetry() as logs:
        _choose(alice, session, "strict", notes="krugerrands")
        _choose(alice, session, "strict")
        _turn(alice, session, "be playful")

    changes = [one for one in logs if one["event"] == "persona.mode.changed"]
    assert [(one["mode_before"], one["mode_after"], one["mode_source"]) for one in changes] == [
        ("hybrid", "strict", "user"),
        ("strict", "idol", "user"),
    ]
    assert {one["session_id"] for one in changes} == {str(session.pk)}
    assert "krugerrands" not in str(logs)


def test_in_a_group_a_mode_lasts_for_ones_own_turns(alice: User, bob: User) -> None:
    allow(alice)
    allow(bob)
    shared = open_session(alice, group_id=group_with(alice, [bob]).pk)
    _choose(alice, shared, "strict", ttl_turns=2)
    for _ in range(3):
        _turn(bob, shared, "What about copper?")
    assert _state(alice, shared).ttl_turns == 2

    for left in (1, 0):
        _turn(alice, shared, "And zinc?")
        assert _state(alice, shared).ttl_turns == left
    assert _state(alice, shared).mode_source == "default"
