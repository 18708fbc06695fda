"""Threads of research are closed to programs, and so is the question below an answer that one leaves open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings
from rest_framework.test import APIClient

from foundation.accounts.models import User
from foundation.accounts.scopes import CONVERSE, READ
from foundation.accounts.services import issue_token
from foundation.database.acting_user import acting_as
from memory.models import Receipt
from memory.services.follow_ups import FOLLOW_UP_KEY
from tests.support.api import post, signed_in
from tests.support.cast import allow
from tests.support.model_server import ModelServer, Says
from tests.support.oauth import Assistant, with_token
from tests.support.research import thread_kept
from tests.support.talk import open_session

ASKS = "I hear that SOL moved a lot this week."
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _model() -> Iterator[None]:
    with (
        ModelServer(Says(("SOL had a good week.",))) as started,
        override_settings(OPENAI_BASE_URL=started.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0),
    ):
        yield


@pytest.fixture
def path(alice: User) -> str:
    """Where Alice, whose thread on SOL leaves a question open, says something."""
    allow(alice)
    thread_kept(alice)
    return f"/api/sessions/{open_session(alice).pk}/messages"


def _program(alice: User) -> APIClient:
    return Assistant().connect(alice, scope=f"{CONVERSE} {READ}")


def _kept_key(alice: User) -> APIClient:
    token, plain = issue_token(alice, "notes")
    kept = signed_in(alice).patch(f"/api/auth/tokens/{token.id}", {"withheld_kinds": ["preference"]})
    assert kept.status_code == 200
    return with_token(plain)


def _told(answer: Any) -> str:
    """All that an answer says, a streamed one too."""
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content if answer.streaming else [answer.content]).decode()


def _asked(alice: User) -> int:
    with acting_as(alice.pk):
        return Receipt.objects.filter(generation_metadata__has_key=FOLLOW_UP_KEY).count()


@pytest.mark.parametrize("connect", [_program, _kept_key])
@pytest.mark.parametrize("stream", ["", "?stream=true"])
def test_a_program_is_not_told_of_it_and_its_user_is_asked_later(
    alice: User, path: str, connect: Any, stream: str
) -> None:
    program = connect(alice)
    own = f"/api/sessions/{post(program, '/api/sessions', {}).json()['session_id']}/messages"
    told = _told(post(program, own + stream, {"content": ASKS}))
    assert "SOL had a good week." in told
    assert "Do fees hold?" not in told
    assert _asked(alice) == 0
    assert "Do fees hold?" in _told(post(signed_in(alice), path + stream, {"content": ASKS}))


@pytest.mark.parametrize("connect", [_program, _kept_key])
def test_nor_is_one_that_chats(alice: User, path: str, connect: Any) -> None:
    asked = {"model": "finclaw", "messages": [{"role": "user", "content": ASKS}]}
    told = _told(post(connect(alice), "/v1/chat/completions", asked))
    assert "SOL had a good week." in told
    assert "Do fees hold?" not in told
    assert _asked(alice) == 0


def test_nor_is_one_that_repeats_what_its_user_asked(alice: User, path: str) -> None:
    own = post(signed_in(alice), path, {"content": ASKS}, key="once").json()
    assert own["follow_up"]
    repeated = post(_program(alice), path, {"content": ASKS}, key="once").json()
    assert repeated["message_id"] == own["message_id"]
    assert repeated["follow_up"] is None
