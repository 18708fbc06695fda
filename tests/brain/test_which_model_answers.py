"""Small talk and short follow-ups are answered by the small model, everything else by the large one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import settings as current
from django.test import override_settings
from pytest_django import Settings

from finclaw.brain import turn
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Receipt, Session
from tests.brain.test_turn import ask, message
from tests.support.cast import allow
from tests.support.model_server import ModelServer
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db
CORRECTION = "Actually, I live in Hull now"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with (
        ModelServer() as server,
        override_settings(
            OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="k", MODEL_MAX_RETRIES=0, MODEL_CALLS_TOOLS=True
        ),
    ):
        yield server


@pytest.fixture
def session(alice: User) -> Session:
    allow(alice)
    return open_session(alice)


def answered_by(user: User, session: Session, text: str) -> str:
    """The model that the receipt of an answer names."""
    result = ask(user, session, text)
    with acting_as(user.pk):
        return Receipt.objects.get(pk=result.receipt_id).answered_by


@pytest.mark.parametrize("text", ["Hello!", "谢谢", "Why?", "Tell me more", "继续"])
def test_what_is_plain_goes_to_the_small_one(alice: User, session: Session, server: ModelServer, text: str) -> None:
    assert answered_by(alice, session, text) == current.MODEL_SMALL
    [request] = server.requests
    assert request.body["model"] == current.MODEL_SMALL
    assert "tools" not in request.body  # of the large one alone it is declared that it takes them


@pytest.mark.parametrize("text", ["I live in Hull", "What would bonds do then?", CORRECTION])
def test_everything_else_goes_to_the_large_one(alice: User, session: Session, server: ModelServer, text: str) -> None:
    assert answered_by(alice, session, text) == current.MODEL_LARGE
    assert server.requests[-1].body["model"] == current.MODEL_LARGE


def test_a_follow_up_on_a_correction_stays_with_the_large_one(
    alice: User, session: Session, server: ModelServer
) -> None:
    assert answered_by(alice, session, "Why?") == current.MODEL_SMALL
    ask(alice, session, CORRECTION)
    assert answered_by(alice, session, "Why?") == current.MODEL_LARGE


@pytest.mark.parametrize("off", [{"MODEL_ROUTING": False}, {"MODEL_SMALL": ""}], ids=["by setting", "one model"])
def test_switched_off_the_large_one_answers_all(
    alice: User, session: Session, server: ModelServer, settings: Settings, off: dict[str, object]
) -> None:
    for name, value in off.items():
        setattr(settings, name, value)
    assert answered_by(alice, session, "Hello!") == current.MODEL_LARGE
    assert "tools" in server.requests[-1].body


def test_a_stream_is_routed_alike(alice: User, session: Session, server: ModelServer) -> None:
    list(turn.stream(turn.prepare(alice, message(session.pk, "Hello!"))))
    assert [request.body["model"] for request in server.requests] == [current.MODEL_SMALL]


def test_an_answer_by_rule_names_no_model_and_offline_one_names_itself(alice: User, session: Session) -> None:
    assert answered_by(alice, session, "What do you know about me?") == ""
    assert answered_by(alice, session, "What would bonds do then?") == "offline"
