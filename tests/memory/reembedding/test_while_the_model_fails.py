"""While the model does not answer nothing waits for it in the queue; afterwards everything gets its vector."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import DataError
from django.test import override_settings
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as, in_role
from foundation.database.roles import WORKER_ROLE
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.importing.imported_people import username_of
from memory.importing.services import ConversationImporter
from memory.importing.types import ImportedTurn, SessionPart
from memory.indexing import services as indexing
from memory.indexing.embedding import BATCH, EMBED_TOPIC
from memory.indexing.reembedding import BACKLOG, PAUSE, REEMBED_TOPIC, queue_waiting
from memory.models import SearchEntry
from memory.retrieval.services import search
from memory.types import SearchQuery
from tests.support.cast import A_MONDAY, allow
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import open_session, permit_of, say


@pytest.fixture
def switched(alice: User, new: WordsEmbedder) -> Iterator[WordsEmbedder]:
    """Alice said something before the new model was configured, which does not answer."""
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    new.answers = False
    with embedding_with(new):
        yield new


def _jobs(topic: str) -> list[OutboxMessage]:
    with in_role(WORKER_ROLE):
        return list(OutboxMessage.objects.filter(topic=topic))


def test_nobody_is_queued_for_a_model_that_does_not_answer(switched: WordsEmbedder) -> None:
    assert queue_waiting() == 0
    assert _jobs(REEMBED_TOPIC) == []


def test_search_serves_by_words(alice: User, switched: WordsEmbedder) -> None:
    with acting_as(alice.pk):
        found = search(permit_of(alice), SearchQuery("BTC"))
    assert found.degraded == ("vector_unavailable",)
    assert "BTC" in found.hits[0].text


def test_where_it_stops_answering_the_round_ends_and_the_next_goes_on(
    alice: User, switched: WordsEmbedder, old: str
) -> None:
    BACKLOG.queue_now()
    drain()

    [job] = _jobs(REEMBED_TOPIC)
    assert (job.state, job.result) == ("done", {"degraded": ["vector_unavailable"]})
    assert set(models_of(alice)) == {old}
    switched.answers = True
    assert queue_waiting() == 0
    with time_machine.travel(timezone.now() + PAUSE + timedelta(seconds=1)):
        assert queue_waiting() == 1
        drain()
    assert set(models_of(alice)) == {switched.model_id}


def test_where_the_database_fails_on_vectors_the_round_ends_too(
    alice: User, switched: WordsEmbedder, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    switched.answers = True

    def fail(*_: object) -> None:
        error = DataError()
        error.__cause__ = Exception()
        error.__cause__.sqlstate = "58P01"  # type: ignore[attr-defined]
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(indexing, "add_vectors", fail)
        BACKLOG.queue_now()
        drain()

    assert [job.state for job in _jobs(REEMBED_TOPIC)] == ["done"]
    assert set(models_of(alice)) == {old}


def test_what_got_no_vector_at_first_and_whose_job_was_given_up_is_embedded_in_the_end(
    alice: User, switched: WordsEmbedder
) -> None:
    with override_settings(OUTBOX_MAX_ATTEMPTS=1):
        say(alice, open_session(alice), "I live in Oslo")
    assert {(job.state, job.attempts) for job in _jobs(EMBED_TOPIC)} == {("pending", 0)}  # it waits for the model
    with in_role(WORKER_ROLE):
        OutboxMessage.objects.filter(topic=EMBED_TOPIC).update(state="failed", finished_at=timezone.now())
    assert "" in models_of(alice)
    switched.answers = True
    assert queue_waiting() == 1
    drain()

    assert set(models_of(alice)) == {switched.model_id}


def test_an_import_without_vectors_is_queued_in_batches(new: WordsEmbedder, db: None) -> None:
    new.answers = False
    turns = tuple(
        ImportedTurn(f"t{number}", "Maya", "user", ({"type": "text", "text": f"What is bond {number}?"},), A_MONDAY)
        for number in range(BATCH + 1)
    )
    with embedding_with(new):
        ConversationImporter().add(SessionPart("trip", ("Maya",), "monday", turns))
        maya = User.objects.get(username=username_of("trip", "Maya"))
        assert set(models_of(maya)) == {""}
        queued = [set(job.payload["entries"]) for job in _jobs(EMBED_TOPIC)]
        new.answers = True
        drain()

    assert sorted(map(len, queued)) == [1, BATCH]
    with acting_as(maya.pk):
        assert set().union(*queued) == {str(key) for key in SearchEntry.objects.values_list("pk", flat=True)}
    assert set(models_of(maya)) == {new.model_id}
