"""A worker in the middle of its work on a message that loses one of its sentences: the sentence stays away, and the
rest is still worked on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from pytest_django import Settings

from consent.models import ErasureScope
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from foundation.outbox import services as outbox
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory.historian import services as historian
from memory.indexing import services as indexing
from memory.indexing.documents import turn_text
from memory.indexing.reembedding import REEMBED_TOPIC
from memory.learning.services import observe
from memory.models import CognitiveEvent, ConversationEvent, SearchEntry, Session
from memory.services import summaries
from memory.types import EndInput
from tests.support.beside import NEEDLE, Beside, forget_needle, require_gone
from tests.support.talk import memories, open_session, permit_of, say

pytestmark = pytest.mark.django_db(transaction=True)
COMPLETED = pytest.mark.parametrize("completed", [False, True], ids=["while it is pending", "after it is complete"])
STAYS = "I have a cat called Zqmiso."


@pytest.fixture(autouse=True)
def soon(settings: Settings) -> None:
    settings.OUTBOX_RETRY_SECONDS = 0.0


@pytest.fixture
def session(alice: User) -> Session:
    """A conversation of one message of two sentences."""
    session = open_session(alice)
    say(alice, session, f"I prefer answers about {NEEDLE}. {STAYS}")
    return session


@contextmanager
def stopped_at(monkeypatch: pytest.MonkeyPatch, place: object, name: str) -> Iterator[None]:
    """One job of the outbox that stands still before it calls this."""
    beside = Beside(_work_one)
    function: Callable[..., Any] = getattr(place, name)

    def stopping(*args: Any, **kwargs: Any) -> Any:
        beside.stop()
        return function(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(place, name, stopping)
        beside.start()
        yield
        beside.go_on()


def _work_one() -> None:
    message = claim()
    assert message is not None
    run(message)


def _forget(alice: User, session: Session, completed: bool) -> Any:
    tombstone = forget_needle(alice, ErasureScope.ITEM, session)
    if completed:
        drain()
    return tombstone


def _said(alice: User, session: Session) -> ConversationEvent:
    with acting_as(alice.pk):
        return ConversationEvent.objects.filter(session=session).order_by("seq")[0]


def _require_vector_of_the_rest(alice: User, session: Session) -> None:
    with acting_as(alice.pk):
        row = ConversationEvent.objects.with_clock().get(pk=_said(alice, session).pk)
        [anew] = configured_embedder().embed_passages([turn_text(row)])
        assert list(SearchEntry.objects.get(pk=row.pk).vector or ()) == pytest.approx(list(anew), abs=0.01)


@COMPLETED
def test_a_message_read_once_more_is_learned_from_and_indexed_without_it(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, completed: bool
) -> None:
    with acting_as(alice.pk):
        observe(permit_of(alice), [_said(alice, session)])
    with stopped_at(monkeypatch, indexing, "embed"):
        tombstone = _forget(alice, session, completed)
    require_gone(tombstone)
    assert ["Zqmiso" in item.content for item in memories(alice)] == [True]
    with acting_as(alice.pk):
        assert "zqmiso" in SearchEntry.objects.get(pk=_said(alice, session).pk).terms
    _require_vector_of_the_rest(alice, session)


@COMPLETED
def test_an_end_that_is_written_up_becomes_an_event_of_the_rest(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, completed: bool
) -> None:
    with acting_as(alice.pk):
        told = EndInput("r", new_info=f"Alice asked for {NEEDLE}. Alice has a cat called Zqmiso.",
                        message_ids=(_said(alice, session).pk,))  # fmt: skip
        historian.end(permit_of(alice), alice, session, told)
    with stopped_at(monkeypatch, indexing, "embed"):
        tombstone = _forget(alice, session, completed)
    require_gone(tombstone)
    with acting_as(alice.pk):
        assert "Zqmiso" in CognitiveEvent.objects.get().canonical_text


@COMPLETED
def test_a_summary_that_is_made_holds_the_rest_at_most(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, completed: bool
) -> None:
    with acting_as(alice.pk):
        summaries.summarize_later(permit_of(alice), session, 1, 1)
    with stopped_at(monkeypatch, summaries, "_append_block"):
        tombstone = _forget(alice, session, completed)
    require_gone(tombstone)
    with acting_as(alice.pk):
        summaries.summarize_later(permit_of(alice), Session.objects.get(pk=session.pk), 1, 1)
    drain()
    with acting_as(alice.pk):
        assert "Zqmiso" in str(Session.objects.get(pk=session.pk).summary_blocks)


@COMPLETED
def test_a_vector_of_the_whole_message_is_dropped(
    alice: User, session: Session, monkeypatch: pytest.MonkeyPatch, completed: bool
) -> None:
    with acting_as(alice.pk):
        keys = [str(key) for key in SearchEntry.objects.values_list("pk", flat=True)]
        SearchEntry.objects.update(model_id="another")
        outbox.enqueue(REEMBED_TOPIC, user_id=alice.pk, payload={"entries": keys})
    with stopped_at(monkeypatch, configured_embedder(), "embed_passages"):
        tombstone = _forget(alice, session, completed)
    require_gone(tombstone)
    _require_vector_of_the_rest(alice, session)
