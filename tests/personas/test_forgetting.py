"""What a person's persona leaves behind after an erasure: nothing (C-9)."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest
from pytest_django import Settings

from consent.models import ErasureScope, Sources, Tombstone
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import ERASER_ROLE
from foundation.outbox.tasks import drain
from memory.erasure.expiry import delete_expired
from memory.models import Session
from personas.models import PersonaSignal, PersonaState, UserDocument
from personas.services.documents import write_user_document
from personas.services.preferences import preferences_of
from personas.services.states import set_mode
from tests.consent.export.support import exported
from tests.personas.support import learned, signs, tell, waiting
from tests.support.cast import allow, group_with, make_person
from tests.support.needles import dump
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
NOTE = "zqnotezq"


@pytest.fixture
def alice() -> User:
    alice = make_person("alice")
    allow(alice)
    return alice


@pytest.fixture
def bob() -> User:
    bob = make_person("bob")
    allow(bob)
    return bob


def _forget(user: User, scope: ErasureScope, target: object = "", sources: Sources = Sources.REDACT) -> Tombstone:
    with acting_as(user.pk):
        return forget(user, scope, str(target), sources, source="api")


def _state(user: User, session: Session) -> None:
    with acting_as(user.pk):
        set_mode(permit_of(user), session, "strict", notes=NOTE)


def _states(user: User) -> int:
    with acting_as(user.pk):
        return PersonaState.objects.count()


def _end(session: Session, last_seq: int) -> None:
    """Its time is over."""
    with acting_as(session.user_id), in_role(ERASER_ROLE):
        Session.with_erased.filter(pk=session.pk).update(expires_at="2026-01-01T00:00Z", last_seq=last_seq)


def _done(user: User, tombstone: Tombstone) -> dict[str, int]:
    drain()
    with acting_as(user.pk):
        tombstone = Tombstone.objects.get(pk=tombstone.pk)
        assert tombstone.state == "completed", [step.reason for step in tombstone.steps.all()]
        return dict(tombstone.deleted)


def test_a_forgotten_preference_is_used_no_more_and_its_signs_go(alice: User) -> None:
    session = open_session(alice)
    tell(alice, session, "Always keep your answers short.")
    with acting_as(alice.pk):
        (one,) = preferences_of(permit_of(alice))
    tombstone = _forget(alice, ErasureScope.ITEM, one.id)
    assert learned(alice) == {}
    _done(alice, tombstone)

    assert memories(alice) == []
    assert "Always keep your answers short" not in dump()


@pytest.mark.parametrize("sources", list(Sources))
def test_the_signs_of_a_message_that_goes_are_counted_no_more(alice: User, sources: Sources) -> None:
    session = open_session(alice)
    (message,) = say(alice, session, "I follow BTC. Stop being so poetic!")
    tell(alice, session, "Stop being so poetic!")
    with acting_as(alice.pk):
        PersonaSignal.objects.update(message_id=message.pk)
    (memory,) = memories(alice)
    tombstone = _forget(alice, ErasureScope.ITEM, memory.pk, sources)
    assert (signs(alice), waiting(alice)) == (0, [])

    assert _done(alice, tombstone)["personas.PersonaSignal"] == 1


def test_a_conversation_takes_its_mode_and_signs_along(alice: User) -> None:
    session, other = open_session(alice), open_session(alice)
    for one in (session, other):
        _state(alice, one)
        tell(alice, one, "keep it short")
    tombstone = _forget(alice, ErasureScope.SESSION, session.pk)
    assert (_states(alice), signs(alice)) == (1, 1)
    deleted = _done(alice, tombstone)

    assert (deleted["personas.PersonaState"], deleted["personas.PersonaSignal"]) == (1, 1)
    assert dump().count(NOTE) == 1


def test_of_a_groups_conversation_ones_own_mode_goes(alice: User, bob: User) -> None:
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    say(bob, session, "I follow gold.")
    _state(alice, session)
    _state(bob, session)
    say(alice, session, "I follow BTC.")
    _done(alice, _forget(alice, ErasureScope.SESSION, session.pk))

    assert (_states(alice), _states(bob)) == (0, 1)


def test_an_account_that_goes_takes_others_modes_in_its_conversations_along(alice: User, bob: User) -> None:
    """Bob never spoke there: nobody is left to keep the conversation for."""
    session = open_session(alice, group_id=group_with(alice, [bob]).pk)
    _state(bob, session)
    _state(alice, session)
    tombstone = _forget(alice, ErasureScope.ACCOUNT)
    drain()
    with acting_as(alice.pk):
        assert Tombstone.objects.get(pk=tombstone.pk).state == "completed"

    assert _states(bob) == 0
    assert NOTE not in dump()


def test_everything_learned_takes_the_signs_along_and_leaves_the_mode(alice: User) -> None:
    session = open_session(alice)
    _state(alice, session)
    tell(alice, session, "Always keep your answers short.")
    tell(alice, session, "Stop being so poetic!")
    tombstone = _forget(alice, ErasureScope.MEMORIES)
    assert (learned(alice), signs(alice)) == ({}, 0)
    _done(alice, tombstone)

    assert _states(alice) == 1


def test_what_was_stated_takes_ones_own_text_along_with_its_versions(alice: User) -> None:
    with acting_as(alice.pk):
        write_user_document(permit_of(alice), alice, f"Mention {NOTE} first.")
        write_user_document(permit_of(alice), alice, f"Mention {NOTE} last.")
    tombstone = _forget(alice, ErasureScope.PROFILE)
    with acting_as(alice.pk):
        assert not UserDocument.objects.exists()
        assert not UserDocument.history.exists()
    _done(alice, tombstone)

    assert NOTE not in dump()


def test_a_conversation_whose_time_is_over_goes_with_its_mode(alice: User) -> None:
    session = open_session(alice, remember=False)
    _state(alice, session)
    say(alice, session, "I follow BTC.", learn=False)
    _end(session, last_seq=1)
    delete_expired()

    assert _states(alice) == 0
    assert NOTE not in dump()


def test_a_mode_keeps_no_conversation_that_holds_nothing_else(alice: User) -> None:
    session = open_session(alice)
    _state(alice, session)
    _end(session, last_seq=2)
    delete_expired()

    assert _states(alice) == 0
    with acting_as(alice.pk):
        assert not Session.objects.filter(pk=session.pk).exists()


def test_the_archive_holds_the_persona_that_is_ones_own(alice: User, settings: Settings, tmp_path: Path) -> None:
    settings.EXPORT_DIR = tmp_path
    session = open_session(alice)
    _state(alice, session)
    with acting_as(alice.pk):
        write_user_document(permit_of(alice), alice, "Tea before trades.")
    tell(alice, session, "Stop being so poetic!")
    tell(alice, session, "Always keep your answers short.")
    with ZipFile(exported(alice)) as archive:
        files = {name.split("/", 1)[1]: archive.read(name).decode() for name in archive.namelist()}

    (own,) = [text for name, text in files.items() if name.startswith("personas/user/")]
    assert own.endswith("Tea before trades.\n")
    assert "Tea before trades." in files["personas/user_history.jsonl"]
    assert json.loads(files["personas/states.jsonl"])["mode"] == "strict"
    assert json.loads(files["personas/signals.jsonl"])["value"] == "plain"
    assert "persona_preference" in files["memory_items/items.jsonl"]
