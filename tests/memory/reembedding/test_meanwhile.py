"""What is rewritten, embedded or erased while the model is asked stays as whoever did it left it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from memory.historian.services import end
from memory.indexing.documents import item_document
from memory.indexing.reembedding import BACKLOG
from memory.indexing.services import store_entries
from memory.models import EntityProfile, MemoryItem, SearchEntry
from memory.services import item_decisions
from memory.types import EndInput
from tests.memory.portraits.support import edit
from tests.support.cast import allow
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import open_session, permit_of, say


@pytest.fixture
def alices(alice: User, new: WordsEmbedder) -> User:
    """Somebody with a memory and its message, both embedded by the old model."""
    allow(alice)
    say(alice, open_session(alice), "I follow BTC")
    return alice


def _reembed(new: WordsEmbedder, meanwhile: Callable[[], object]) -> None:
    """Embed anew, with this happening while the model is asked first."""
    with embedding_with(new):
        BACKLOG.queue_now()
        new.before_answering = lambda _: meanwhile()
        drain()


def _vector(user: User, **which: object) -> tuple[str, list[float] | None]:
    with acting_as(user.pk):
        entry = SearchEntry.objects.get(**which)
    return entry.model_id, None if entry.vector is None else list(entry.vector)


def test_an_entry_that_the_current_model_wrote_meanwhile_is_left_alone(alices: User, new: WordsEmbedder) -> None:
    def rewrite() -> None:
        with acting_as(alices.pk):
            store_entries([item_document(MemoryItem.objects.get())], [[0.5, 0.5]], new.model_id)

    _reembed(new, rewrite)

    assert _vector(alices, kind="item") == (new.model_id, [0.5, 0.5])
    assert set(models_of(alices)) == {new.model_id}


def test_a_portrait_rewritten_meanwhile_gets_no_vector_of_its_former_words(alice: User, new: WordsEmbedder) -> None:
    permit = allow(alice)
    session = open_session(alice)
    with acting_as(alice.pk):
        end(permit, alice, session, EndInput("r1", new_info="I bought BTC"))
    drain()
    new.is_local = False  # what is rewritten waits for its vector

    def rewrite() -> None:
        edit(alice, "- Alice keeps bees.")
        with acting_as(alice.pk):
            OutboxMessage.objects.filter(topic="memory.embed").delete()  # the job of the new words is lost
        assert _vector(alice, kind="profile") == ("", None)

    _reembed(new, rewrite)
    assert _vector(alice, kind="profile") == ("", None)
    with acting_as(alice.pk):
        OutboxMessage.objects.filter(topic="memory.reembed").delete()
    _reembed(new, lambda: None)

    with acting_as(alice.pk):
        text = "\n".join(line["text"] for line in EntityProfile.objects.get().lines)
    assert "bees" in text
    model, vector = _vector(alice, kind="profile")
    assert model == new.model_id
    assert vector == pytest.approx(list(map(float, new.embed_queries([text])[0])), abs=0.001)


def test_what_was_said_meanwhile_has_the_vector_it_was_given(alices: User, new: WordsEmbedder) -> None:
    with acting_as(alices.pk):
        before = set(SearchEntry.objects.values_list("pk", flat=True))

    def speak() -> None:
        with acting_as(alices.pk):
            item_decisions.add_stated(permit_of(alices), "Keeps bees")

    _reembed(new, speak)

    assert set(models_of(alices)) == {new.model_id}
    with acting_as(alices.pk):
        assert SearchEntry.objects.exclude(pk__in=before).count() == 1
    assert new.asked.count("Keeps bees") == 1


def test_an_entry_taken_out_of_search_meanwhile_is_not_brought_back(alices: User, new: WordsEmbedder) -> None:
    def take_out() -> None:
        with acting_as(alices.pk):
            SearchEntry.objects.filter(kind="turn").delete()

    _reembed(new, take_out)

    assert models_of(alices) == [new.model_id]


def test_the_words_of_an_entry_stay_as_they_are(alices: User, new: WordsEmbedder) -> None:
    def columns() -> list[object]:
        with acting_as(alices.pk):
            rows = SearchEntry.objects.order_by("pk").values_list("pk", "kind", "terms", "live", "occurred_at", "bloom")
            return list(rows)

    before = columns()
    _reembed(new, lambda: None)

    assert columns() == before
    assert set(models_of(alices)) == {new.model_id}
