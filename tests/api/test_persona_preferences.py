"""How somebody wants to be answered, over HTTP: listed, confirmed, turned down and forgotten (P-4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.tasks import drain
from foundation.personal_data import ConsentScope
from memory.models import Session
from memory.services.item_decisions import add_stated
from tests.support.api import MISSING, code_of, post
from tests.support.cast import allow, allow_all_but_learning
from tests.support.speaking import persona_file
from tests.support.talk import open_session

PREFERENCES = "/api/persona/preferences"
OWN = "/api/persona/documents/user"
ALWAYS_BRIEF = "From now on, always keep your answers short."


@pytest.fixture
def configure(tmp_path: Path, settings: Settings) -> Callable[[str], None]:
    """Let persona.yaml say this."""
    return persona_file(tmp_path, settings)


def _say(client: APIClient, session: Session, text: str) -> None:
    assert post(client, f"/api/sessions/{session.pk}/messages", {"content": text}).status_code == 200


def _listed(client: APIClient) -> list[dict[str, Any]]:
    body = client.get(PREFERENCES).json()
    assert set(body) == {"results", "next", "previous"}
    return list(body["results"])


def test_anothers_preference_is_as_absent_as_a_made_up_one(
    alice: User, charlie: User, as_alice: APIClient, as_charlie: APIClient
) -> None:
    allow(alice)
    allow(charlie)
    _say(as_alice, open_session(alice), ALWAYS_BRIEF)
    (kept,) = _listed(as_alice)
    assert _listed(as_charlie) == []
    for key in (kept["id"], MISSING):
        assert post(as_charlie, f"{PREFERENCES}/{key}/confirm").status_code == 404
        assert as_charlie.delete(f"{PREFERENCES}/{key}").status_code == 404
    assert _listed(as_alice) == [kept]


def test_a_memory_of_another_kind_is_no_preference(alice: User, as_alice: APIClient) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item = add_stated(permit, "Follows BTC.")
    assert post(as_alice, f"{PREFERENCES}/{item.pk}/confirm").status_code == 404
    assert as_alice.delete(f"{PREFERENCES}/{item.pk}").status_code == 404


def test_a_withdrawn_scope_hides_the_text_and_the_preferences(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    as_alice.put(OWN, {"body": "Call me captain."})
    _say(as_alice, open_session(alice), ALWAYS_BRIEF)
    (kept,) = _listed(as_alice)
    allow(alice, ConsentScope.SAVE_TO_THREAD)
    assert as_alice.get(OWN).json()["body"] == ""
    assert _listed(as_alice) == []
    answer = post(as_alice, f"{PREFERENCES}/{kept['id']}/confirm")
    assert (answer.status_code, code_of(answer)) == (403, "consent_scope_missing")


def test_a_lasting_wish_is_listed_confirmed_and_forgotten(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    _say(as_alice, open_session(alice), "以后回答都简短一点。")
    (kept,) = _listed(as_alice)
    assert (kept["key"], kept["value"], kept["source"], kept["waiting"]) == (
        "reply_length", "concise", "explicit", False,
    )  # fmt: skip
    assert kept["memory_id"] == kept["id"]
    confirmed = post(as_alice, f"{PREFERENCES}/{kept['id']}/confirm").json()
    assert (confirmed["value"], confirmed["confidence"]) == ("concise", kept["confidence"])
    (held,) = _listed(as_alice)
    answers = [as_alice.delete(f"{PREFERENCES}/{held['id']}", headers={"Idempotency-Key": "gone"}) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert UUID(answers[0].json()["receipt_id"])
    assert _listed(as_alice) == []
    drain()
    assert as_alice.get(f"/api/memories/{held['id']}").status_code == 404


def test_a_correction_waits_is_turned_down_or_confirmed(alice: User, as_alice: APIClient) -> None:
    allow(alice)
    session = open_session(alice)
    _say(as_alice, session, "Your answers are too long.")
    (waits,) = _listed(as_alice)
    assert (waits["source"], waits["waiting"], waits["memory_id"]) == ("waiting", True, None)
    path = f"{PREFERENCES}/{waits['id']}"
    answers = [as_alice.delete(path, headers={"Idempotency-Key": "no"}) for _ in range(2)]
    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b"")] * 2
    assert _listed(as_alice) == []
    _say(as_alice, session, "Your answers are too long.")
    (waits,) = _listed(as_alice)
    confirmed = post(as_alice, f"{PREFERENCES}/{waits['id']}/confirm").json()
    assert (confirmed["source"], confirmed["waiting"]) == ("confirmed", False)
    assert _listed(as_alice) == [confirmed]


def test_with_write_back_off_nothing_new_is_kept_and_the_old_is_still_its_persons(
    alice: User, as_alice: APIClient, configure: Callable[[str], None]
) -> None:
    allow(alice)
    session = open_session(alice)
    _say(as_alice, session, ALWAYS_BRIEF)
    (kept,) = _listed(as_alice)
    configure("{write_back: false}")
    _say(as_alice, session, "From now on, always answer in bullet points.")
    assert _listed(as_alice) == [kept]
    assert as_alice.delete(f"{PREFERENCES}/{kept['id']}").status_code == 202
    assert _listed(as_alice) == []


def test_the_usual_mode_is_chosen_under_the_learning_scope(alice: User, as_alice: APIClient) -> None:
    allow_all_but_learning(alice)
    assert as_alice.put("/api/persona/mode", {"mode": "strict"}).status_code == 403
    allow(alice)
    assert as_alice.put("/api/persona/mode", {"mode": "shouting"}).status_code == 400
    made = as_alice.put("/api/persona/mode", {"mode": "strict"}).json()
    assert (made["key"], made["value"], made["source"]) == ("mode", "strict", "explicit")
    assert [one["id"] for one in as_alice.get("/api/persona/preferences").json()["results"]] == [made["id"]]
