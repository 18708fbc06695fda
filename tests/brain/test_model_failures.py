"""A model that fails loses no message: it is stored, and answered from memory with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings

from finclaw.brain import turn
from finclaw.brain.answers.fallback_answers import MODEL_UNAVAILABLE, Interruption
from finclaw.brain.types import TurnRequest, TurnResult
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.llm.offline_model import MODEL_OFFLINE
from foundation.outbox.tasks import drain
from memory.models import ConversationEvent, MemoryItem, Receipt, SearchEntry, Session
from tests.support.cast import allow
from tests.support.model_server import Behaviour, Drops, ModelServer, Refuses
from tests.support.talk import open_session

pytestmark = pytest.mark.django_db


def message(session: Session, text: str) -> TurnRequest:
    return TurnRequest(session.pk, ({"type": "text", "text": text},))


@pytest.fixture
def failing() -> Iterator[ModelServer]:
    """A server whose small model knows nothing, and whose large one fails."""
    with (
        ModelServer(default=Refuses(503)) as server,
        override_settings(OPENAI_BASE_URL=server.base_url, MODEL_LARGE="big-7b", MODEL_MAX_RETRIES=0),
    ):
        yield server


@pytest.fixture
def session(alice: User) -> Session:
    allow(alice)
    turn.reply(alice, message(open_session(alice), "I follow BTC"))
    drain()
    return open_session(alice)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("What do I follow?", "I could not reach the language model “big-7b” (its server failed)"),
        ("我关注什么？", "暂时连不上语言模型“big-7b”（服务器出错）"),
    ],
)
def test_the_message_is_stored_and_answered_from_memory_with_the_reason(
    alice: User, session: Session, failing: ModelServer, asked: str, why: str
) -> None:
    result = turn.reply(alice, message(session, asked))
    assert result.reply.startswith(why)
    assert "BTC" in result.reply
    assert {MODEL_UNAVAILABLE, MODEL_OFFLINE} <= {*result.degraded}
    with acting_as(alice.pk):
        assert [said.text for said in session.events.order_by("seq")] == [asked, result.reply]
        assert MODEL_UNAVAILABLE in Receipt.objects.get(pk=result.receipt_id).degraded


def test_what_came_of_a_broken_answer_is_no_answer(alice: User, session: Session, failing: ModelServer) -> None:
    prepared = turn.prepare(alice, message(session, "What do I follow?"))
    failing.default = Drops(("Half a ", "sen"))
    *pieces, result = turn.stream(prepared)
    assert isinstance(result, TurnResult)
    broken = [isinstance(piece, Interruption) for piece in pieces].index(True)
    assert "".join(map(str, pieces[:broken])) == "Half a sen"
    assert "".join(map(str, pieces[broken + 1 :])) == result.reply
    with acting_as(alice.pk):
        assert ConversationEvent.objects.get(pk=result.message_id).text == result.reply


def test_the_message_is_learned_from_and_the_answer_in_its_place_is_not(
    alice: User, session: Session, failing: ModelServer
) -> None:
    result = turn.reply(alice, message(session, "I live in Lisbon"))
    drain()
    with acting_as(alice.pk):
        assert MemoryItem.objects.filter(content__contains="Lisbon").count() == 1
        assert not SearchEntry.objects.filter(pk=result.message_id).exists()


@pytest.mark.parametrize("behaviour", [Refuses(401), Refuses(400), Refuses(429)])
def test_whatever_the_failure_the_turn_goes_on(
    alice: User, session: Session, failing: ModelServer, behaviour: Behaviour
) -> None:
    failing.default = behaviour
    assert MODEL_UNAVAILABLE in turn.reply(alice, message(session, "What do I follow?")).degraded
