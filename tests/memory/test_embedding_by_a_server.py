"""With an embedding server, full text serves at once and vectors follow; without it, they follow later."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import override_settings
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.indexing.embedding import EMBED_TOPIC
from memory.models import SearchEntry
from memory.retrieval.services import search
from memory.services import item_decisions
from memory.types import SearchQuery
from tests.support.cast import allow
from tests.support.model_server import ModelServer, Refuses
from tests.support.talk import open_session, permit_of, say


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with (
        ModelServer() as running,
        override_settings(EMBEDDINGS_BASE_URL=running.base_url, EMBEDDINGS_MODEL="tiny", OUTBOX_RETRY_SECONDS=60),
    ):
        yield running


def entries(user: User) -> dict[str, str]:
    """Kind → the model that embedded it, empty where none has."""
    with acting_as(user.pk):
        return dict(SearchEntry.objects.filter(live=True).values_list("kind", "model_id"))


def test_turns_and_items_are_embedded_by_the_worker(alice: User, server: ModelServer) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    assert entries(alice) == {"turn": "tiny", "item": "tiny"}


def test_what_was_embedded_to_be_compared_is_not_embedded_again_to_be_found(alice: User, server: ModelServer) -> None:
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    assert len(server.requests) == 1
    with acting_as(alice.pk):
        assert not OutboxMessage.objects.filter(topic=EMBED_TOPIC).exists()


def test_no_server_is_asked_while_a_correction_holds_its_locks(alice: User, server: ModelServer) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit, "Follows BTC")
        asked = len(server.requests)
        assert asked == 0
    assert entries(alice) == {"item": ""}
    drain()
    assert entries(alice) == {"item": "tiny"}


def test_a_vector_that_comes_late_serves_the_first_look_too(alice: User, server: ModelServer) -> None:
    permit = allow(alice)
    with acting_as(alice.pk):
        item_decisions.add_stated(permit, "Follows BTC")
    drain()
    with acting_as(alice.pk):
        entry = SearchEntry.objects.get()
    assert entry.vector is not None
    signs = "".join("1" if value > 0 else "0" for value in entry.vector)
    assert entry.quantized == signs


def test_what_is_stored_is_embedded_however_full_the_queue(alice: User, server: ModelServer) -> None:
    permit = allow(alice)
    with override_settings(OUTBOX_COLD_LIMIT=0), acting_as(alice.pk):
        item_decisions.add_stated(permit, "Follows BTC")
    drain()
    assert entries(alice) == {"item": "tiny"}


def test_while_the_server_fails_full_text_serves_and_the_vectors_are_made_later(
    alice: User, server: ModelServer
) -> None:
    allow(alice)
    server.script([Refuses(401)] * 4)  # the turn, twice the worker's second try, and the question
    say(alice, open_session(alice), "I follow BTC")
    with acting_as(alice.pk):
        found = search(permit_of(alice), SearchQuery("BTC"))
        assert found.degraded == ("vector_unavailable",)
        assert "BTC" in found.hits[0].text
        assert entries(alice) == {"turn": "", "item": ""}
        OutboxMessage.objects.filter(state="pending").update(available_at=timezone.now())
    drain()
    assert set(entries(alice).values()) == {"tiny"}
    with acting_as(alice.pk):
        assert search(permit_of(alice), SearchQuery("BTC")).degraded == ()
