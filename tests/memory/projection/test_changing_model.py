"""While another model embeds everything anew, the former projection is searched; then, at once, the new one is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import time_machine
from django.utils import timezone
from pytest_django import Settings

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configuration
from foundation.outbox.tasks import drain
from foundation.qdrant import QdrantUnavailable, collections_of, drop_collection
from memory.indexing.reembedding import queue_waiting
from memory.projection import registry
from memory.projection.points import ProjectedPoints
from memory.projection.registry import forget_searched, projections
from memory.projection.upkeep import COMPARE_EVERY, keep_up
from memory.retrieval.services import embed_query, search
from memory.types import SearchQuery
from tests.support.cast import allow
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import open_session, permit_of, say

SAID = tuple(f"I like {what} very much." for what in ("oboes", "tea", "gold"))


@pytest.fixture
def former(alice: User, model: WordsEmbedder, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> WordsEmbedder:
    """The model that embedded what Alice said, and whose projection is searched."""
    monkeypatch.setattr(configuration, "_EMBEDDED", {model.model_id: lambda: model})
    settings.MEMORY_PROJECTION = "searched"
    allow(alice)
    say(alice, open_session(alice), *SAID)
    keep_up()
    forget_searched()
    return model


@pytest.fixture
def changed(former: WordsEmbedder) -> Iterator[WordsEmbedder]:
    """Another model is configured, of other dimensions."""
    configuration._embedded.cache_clear()
    with embedding_with(new := WordsEmbedder("words-2", dimensions=30)):
        yield new
    configuration._embedded.cache_clear()


def _first(user: User, text: str) -> tuple[str, float, str]:
    """What is found first by vectors alone, its cosine, and by which model's vector it was asked for."""
    embedded = embed_query(text)
    with acting_as(user.pk):
        found = search(permit_of(user), SearchQuery(text, ("turn",), strategy="vector"), embedded)
    assert found.degraded == ()
    return found.hits[0].text, found.hits[0].signals["semantic"], embedded.model_id


def test_search_by_meaning_goes_on_without_a_gap(alice: User, former: WordsEmbedder, changed: WordsEmbedder) -> None:
    expected = _first(alice, SAID[0])
    assert (expected[0], expected[2]) == (SAID[0], former.model_id)

    assert keep_up() == 0  # another projection is begun, and stays empty: nothing has its vectors yet
    assert [(each.model_id, each.state) for each in projections()] == [
        (former.model_id, "serving"),
        (changed.model_id, "building"),
    ]
    queue_waiting()
    drain()
    assert set(models_of(alice)) == {changed.model_id}
    forget_searched()
    text, cosine, asked_by = _first(alice, SAID[0])  # the database has no vector of that model any more
    assert (text, asked_by) == (SAID[0], former.model_id)
    assert cosine == pytest.approx(expected[1], abs=0.001)

    keep_up()
    forget_searched()
    assert [(each.model_id, each.state) for each in projections()] == [(changed.model_id, "serving")]
    assert collections_of("memory") == [projections()[0].name]
    text, cosine, asked_by = _first(alice, SAID[0])
    assert (text, asked_by) == (SAID[0], changed.model_id)
    assert cosine > 0.5


def test_what_is_said_meanwhile_is_found_by_the_former_model_too(
    alice: User, former: WordsEmbedder, changed: WordsEmbedder
) -> None:
    keep_up()
    say(alice, open_session(alice), "I like chess very much.")
    text, cosine, asked_by = _first(alice, "I like chess very much.")
    assert (text, asked_by) == ("I like chess very much.", former.model_id)
    assert cosine > 0.5
    sizes = [ProjectedPoints(each).count(alice.pk) for each in projections()]
    assert sizes[0] > sizes[1] > 0  # all in the one, the new in the other


def test_what_has_its_point_is_not_embedded_by_the_former_model_again(
    alice: User, former: WordsEmbedder, changed: WordsEmbedder
) -> None:
    keep_up()
    former.asked.clear()
    queue_waiting()
    drain()
    assert former.asked == []


def test_a_former_model_that_cannot_be_had_leaves_search_to_the_database(
    alice: User, former: WordsEmbedder, changed: WordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configuration, "_EMBEDDED", {})
    embedded = embed_query(SAID[0])
    assert embedded.model_id == changed.model_id
    with acting_as(alice.pk):
        found = search(permit_of(alice), SearchQuery(SAID[0], ("turn",)), embedded)
    assert found.hits[0].text == SAID[0]
    assert found.degraded == ()


def test_a_switch_that_qdrant_breaks_off_is_ended_by_a_later_run(
    alice: User, former: WordsEmbedder, changed: WordsEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_up()
    queue_waiting()
    drain()
    with monkeypatch.context() as broken:
        broken.setattr(registry, "drop_collection", _fails)
        keep_up()
    assert [each.state for each in projections()] == ["building", "serving"]
    keep_up()

    assert [(each.model_id, each.state) for each in projections()] == [(changed.model_id, "serving")]
    assert collections_of("memory") == [projections()[0].name]


def _fails(_: str) -> None:
    raise QdrantUnavailable


def test_a_change_that_is_taken_back_leaves_no_second_projection(
    alice: User, former: WordsEmbedder, changed: WordsEmbedder
) -> None:
    keep_up()
    assert len(projections()) == 2
    with embedding_with(former):
        keep_up()

    assert [(each.model_id, each.state) for each in projections()] == [(former.model_id, "serving")]
    assert collections_of("memory") == [projections()[0].name]


def test_the_new_one_is_built_though_the_store_loses_the_former(
    alice: User, former: WordsEmbedder, changed: WordsEmbedder
) -> None:
    keep_up()
    queue_waiting()
    drain()
    drop_collection(projections()[0].name)
    with time_machine.travel(timezone.now() + 2 * COMPARE_EVERY, tick=False):
        keep_up()

    assert [(each.model_id, each.state) for each in projections()] == [(changed.model_id, "serving")]
