"""The mode of a conversation over HTTP: whose it is, what it may be, and how long it holds (P-2)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from memory.models import Session
from tests.support.api import code_of, post, send
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.speaking import persona_file
from tests.support.talk import open_session


@pytest.fixture
def configure(tmp_path: Path, settings: Settings) -> Callable[[str], None]:
    """Let persona.yaml say this."""
    return persona_file(tmp_path, settings)


def _persona(session: Session) -> str:
    return f"/api/sessions/{session.pk}/persona"


def _say(client: APIClient, session: Session, text: str) -> None:
    assert post(client, f"/api/sessions/{session.pk}/messages", {"content": text}).status_code == 200


def test_an_outsider_finds_no_mode_and_sets_none(alice: User, charlie: User, as_charlie: APIClient) -> None:
    allow(alice)
    allow(charlie)
    path = _persona(open_session(alice))
    answers = [as_charlie.get(path), as_charlie.put(path, {"mode": "strict"}), as_charlie.delete(path)]
    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(404, "not_found")] * 3


def test_before_any_decision_on_consent_no_mode_is_stored(alice: User, as_alice: APIClient) -> None:
    assert code_of(post(as_alice, "/api/sessions", {"persona_mode": "strict"})) == "profile_consent_required"


def test_members_of_a_group_have_a_mode_each(alice: User, bob: User, as_alice: APIClient, as_bob: APIClient) -> None:
    allow(alice)
    allow(bob)
    path = _persona(open_session(alice, group_id=group_with(alice, [bob]).pk))
    as_bob.put(path, {"mode": "idol"})
    assert as_bob.get(path).json()["mode"] == "idol"
    assert as_alice.get(path).json()["mode_source"] == "default"


@pytest.mark.parametrize("method", ["post", "patch"])
def test_a_mode_has_no_other_methods(alice: User, as_alice: APIClient, method: str) -> None:
    allow(alice)
    assert getattr(as_alice, method)(_persona(open_session(alice)), {}).status_code == 405


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "mode"),
        ({"mode": "pirate"}, "mode"),
        ({"mode": None}, "mode"),
        ({"mode": "strict", "ttl_turns": 0}, "ttl_turns"),
        ({"mode": "strict", "ttl_turns": 1_001}, "ttl_turns"),
        ({"mode": "strict", "ttl_turns": "long"}, "ttl_turns"),
        ({"mode": "strict", "notes": "x" * 201}, "notes"),
        ({"mode": "strict", "mode_source": "rule"}, "mode_source"),
    ],
)
def test_a_malformed_mode_names_its_field(
    alice: User, as_alice: APIClient, body: dict[str, object], field: str
) -> None:
    allow(alice)
    path = _persona(open_session(alice))
    answer = as_alice.put(path, body)
    assert (code_of(answer), list(answer.json()["details"])) == ("validation_error", [field])
    assert as_alice.get(path).json()["mode_source"] == "default"


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b'"strict"', b'{"mode": ["strict"]}'])
def test_what_is_no_object_with_a_mode_is_refused(alice: User, as_alice: APIClient, body: bytes) -> None:
    allow(alice)
    assert send(as_alice, "PUT", _persona(open_session(alice)), body).status_code == 400


def test_a_conversation_begins_in_the_default_mode(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    assert as_alice.get(_persona(open_session(alice))).json() == {
        "mode": "hybrid", "mode_source": "default", "since": None, "ttl_turns": 0, "notes": "",
    }  # fmt: skip


def test_a_mode_is_chosen_lasts_its_turns_and_is_given_up(alice: User, as_alice: APIClient) -> None:
    allow_nothing(alice)
    session = open_session(alice)
    chosen = as_alice.put(_persona(session), {"mode": "strict", "ttl_turns": 2, "notes": "今天理性一点"}).json()
    assert (chosen["mode"], chosen["mode_source"], chosen["ttl_turns"]) == ("strict", "user", 2)
    assert chosen["notes"] == "今天理性一点"
    _say(as_alice, session, "Hello")
    assert as_alice.get(_persona(session)).json()["ttl_turns"] == 1
    _say(as_alice, session, "Hello again")
    assert as_alice.get(_persona(session)).json()["mode_source"] == "default"
    as_alice.put(_persona(session), {"mode": "idol"})
    assert as_alice.delete(_persona(session)).json()["mode"] == "hybrid"


@pytest.mark.parametrize("mode", ["rational", "idol", "hybrid", "strict"])
def test_a_conversation_opens_in_the_mode_that_was_asked_for(alice: User, as_alice: APIClient, mode: str) -> None:
    allow_nothing(alice)
    made = post(as_alice, "/api/sessions", {"persona_mode": mode}).json()
    state = as_alice.get(f"/api/sessions/{made['session_id']}/persona").json()
    assert (state["mode"], state["mode_source"]) == (mode, "user")


@pytest.mark.parametrize("mode", [None, ""])
def test_a_conversation_without_a_wish_has_the_default(alice: User, as_alice: APIClient, mode: str | None) -> None:
    allow_nothing(alice)
    body = {} if mode == "" else {"persona_mode": mode}
    made = post(as_alice, "/api/sessions", body).json()
    assert as_alice.get(f"/api/sessions/{made['session_id']}/persona").json()["mode_source"] == "default"


def test_with_modes_off_a_wish_is_refused_and_the_default_holds(
    alice: User, as_alice: APIClient, configure: Callable[[str], None]
) -> None:
    allow(alice)
    session = open_session(alice)
    as_alice.put(_persona(session), {"mode": "idol"})
    configure("{dynamic_modes: false, default_mode: strict}")
    refused = [
        as_alice.put(_persona(session), {"mode": "idol"}),
        post(as_alice, "/api/sessions", {"persona_mode": "idol"}),
    ]
    assert [(answer.status_code, code_of(answer)) for answer in refused] == [(409, "persona_modes_off")] * 2
    state = as_alice.get(_persona(session)).json()
    assert (state["mode"], state["mode_source"]) == ("strict", "default")
