"""An account that goes leaves its groups their conversations, and none of its own words in them (C-9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from foundation.accounts.models import ChatGroup, User
from foundation.outbox.tasks import drain
from tests.consent.export.support import archive_of, built, everything
from tests.support.api import signed_in
from tests.support.cast import allow, group_with

pytestmark = pytest.mark.django_db(transaction=True)
WORD = "zqalicezq"


@pytest.fixture
def group(alice: User, bob: User, settings: Settings, tmp_path: Path) -> ChatGroup:
    settings.ERASURE_JOURNAL, settings.EXPORT_DIR = str(tmp_path / "journal.jsonl"), tmp_path / "exports"
    allow(alice)
    allow(bob)
    return group_with(alice, [bob])


def _session_of(alice: APIClient, group: ChatGroup) -> str:
    """A conversation Alice began in her group, and an event of hers in it."""
    session = alice.post("/api/sessions", {"group_id": str(group.pk)}).json()["session_id"]
    alice.post(f"/api/sessions/{session}/end", {"request_id": "r", "new_info": f"I prefer answers about {WORD}."})
    drain()
    return str(session)


def _asked(bob: APIClient, session: str) -> str:
    """What Bob is answered, which quotes Alice's event."""
    answer = bob.post(f"/api/sessions/{session}/messages", {"content": "What do I prefer? answers analysis"})
    drain()
    return str(answer.json()["reply"])


def _erase(alice: APIClient) -> Any:
    receipt = alice.post("/api/users/me/erasure", {"scope": "account", "confirm": "alice"}).json()
    drain()
    return APIClient().get(receipt["certificate_url"])


@pytest.mark.parametrize("leaver", ["nobody", "alice"])
def test_the_others_keep_the_conversation_without_a_word_of_hers(
    alice: User, bob: User, group: ChatGroup, leaver: str
) -> None:
    program, bobs = signed_in(alice), signed_in(bob)
    session = _session_of(program, group)
    assert WORD in _asked(bobs, session)
    if leaver == "alice":
        assert program.delete(f"/api/groups/{group.pk}/members/{alice.pk}").status_code == 204
    assert _erase(program).status_code == 200
    messages = bobs.get(f"/api/sessions/{session}/messages").json()["results"]
    assert [message["role"] for message in messages] == ["user", "assistant"]
    assert WORD not in str(messages)
    assert bobs.get(f"/api/sessions/{session}").json()["user_id"] == str(bob.pk)


@pytest.mark.parametrize("is_written", [True, False], ids=["its event is written", "the end still waits"])
def test_one_who_only_ended_a_turn_there_keeps_the_conversation(
    alice: User, bob: User, group: ChatGroup, is_written: bool
) -> None:
    program, bobs = signed_in(alice), signed_in(bob)
    session = _session_of(program, group)
    bobs.post(f"/api/sessions/{session}/end", {"request_id": "b", "new_info": "Bob bought a vineyard."})
    if is_written:
        drain()
    assert _erase(program).status_code == 200
    assert bobs.get(f"/api/sessions/{session}").json()["user_id"] == str(bob.pk)
    assert "vineyard" in str(bobs.get("/api/events").json()["results"])


def test_who_left_before_loses_her_words_too(alice: User, bob: User, group: ChatGroup) -> None:
    program, bobs = signed_in(alice), signed_in(bob)
    assert WORD in _asked(bobs, _session_of(program, group))
    assert bobs.delete(f"/api/groups/{group.pk}/members/{bob.pk}").status_code == 204
    assert _erase(program).status_code == 200
    archive = everything(archive_of(built(bob)))
    assert b"What do I prefer?" in archive
    assert WORD.encode() not in archive
