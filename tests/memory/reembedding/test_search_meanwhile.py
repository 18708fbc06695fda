"""Search serves before, while and after everything is embedded anew, and compares no vectors of two models."""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pytest
import time_machine

from consent.permit import Permit
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.outbox.job_run import run
from foundation.outbox.leases import claim
from foundation.outbox.tasks import drain
from memory.evolution.types import StatementCandidate
from memory.governance.similarity import find_clusters
from memory.governance.thresholds import Thresholds
from memory.indexing import reembedding
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument
from memory.indexing.reembedding import BACKLOG
from memory.learning.extraction import EmbeddedCandidate as FoundCandidate
from memory.learning.item_lookup import matching_items, similar_items
from memory.models import MemoryItem
from memory.retrieval import formula
from memory.retrieval import services as retrieval
from memory.services.comparable_items import comparable_items
from memory.types import SearchHit, SearchQuery, SearchResult, Strategy
from tests.support.cast import A_MONDAY, allow
from tests.support.embedders import WordsEmbedder, embedding_with, models_of
from tests.support.talk import open_session, permit_of, say
from tests.support.upkeep import remember

STRATEGIES = ("score", "rrf", "lexical", "vector")
SAID = ("What is a bond ladder?", "How do heat pumps work?", "Is Oslo cold in May?", "Who was Ada Lovelace?")
DIMENSIONS = (20, 48)  # those of the old model too: nothing would fail if the two were compared


def find(user: User, text: str, strategy: Strategy | None = None) -> SearchResult:
    with acting_as(user.pk):
        return retrieval.search(permit_of(user), SearchQuery(text, ("turn", "item"), strategy=strategy))


def _hits(user: User, text: str, strategy: Strategy | None = None) -> dict[str, SearchHit]:
    found = find(user, text, strategy)
    assert found.degraded == ()
    return {hit.text: hit for hit in found.hits}


def _half_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Embed the latest two of four anew."""
    monkeypatch.setattr(reembedding, "BATCH", 2)
    BACKLOG.queue_now()
    claimed = claim()
    assert claimed is not None
    run(claimed)


@pytest.fixture
def talkative(alice: User, new: WordsEmbedder) -> User:
    allow(alice)
    with time_machine.travel(A_MONDAY):  # a date is among the words, and of few dimensions some dates hide a question
        say(alice, open_session(alice), *SAID)
    return alice


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_everything_is_found_by_its_words_before_while_and_after(
    talkative: User, new: WordsEmbedder, dimensions: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    new.dimensions = dimensions

    def all_found() -> bool:
        asked = ((text, strategy) for text in SAID for strategy in ("score", "rrf", "lexical"))
        return all(text in _hits(talkative, text, strategy) for text, strategy in asked)  # type: ignore[arg-type]

    assert all_found()
    with embedding_with(new):
        assert all_found()
        _half_of_it(monkeypatch)
        assert len(set(models_of(talkative))) == 2
        assert all_found()
        drain()
        assert all_found()


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_a_question_is_compared_with_vectors_of_its_own_model_alone(
    talkative: User, new: WordsEmbedder, dimensions: int, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    new.dimensions = dimensions
    with embedding_with(new):
        compared = [{text for text, hit in _all(talkative, strategy).items() if hit.signals["semantic"]}]
        _half_of_it(monkeypatch)
        compared.append({text for text, hit in _all(talkative, strategy).items() if hit.signals["semantic"]})
        drain()
        compared.append({text for text, hit in _all(talkative, strategy).items() if hit.signals["semantic"]})

    assert compared == [set(), set(SAID[2:]), set(SAID)]


def _all(user: User, strategy: Strategy) -> dict[str, SearchHit]:
    """Every message, each found by its words or its vector."""
    return {text: hits[text] for text in SAID if text in (hits := _hits(user, text, strategy))}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_among_very_many_entries_the_first_look_compares_no_two_models_either(
    alice: User, new: WordsEmbedder, dimensions: int, strategy: Strategy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formula, "SECOND_LOOK", 10)
    monkeypatch.setattr(formula, "FEW", 40)
    new.dimensions = dimensions
    allow(alice)
    keys = _store_alternately(alice, WordsEmbedder("old-1", dimensions=20), new, formula.FEW + 30)
    with embedding_with(new):
        found = _hits(alice, "matter 7 matter 12", strategy)

    assert found["matter 12"].id == keys[12]
    assert found["matter 12"].signals["semantic"]
    compared = {int(text.removeprefix("matter ")) for text, hit in found.items() if hit.signals["semantic"]}
    assert {number % 2 for number in compared} == {0}  # every other one is the old model's


def _store_alternately(user: User, old: WordsEmbedder, new: WordsEmbedder, count: int) -> list[UUID]:
    """So many messages of the user's, every second one embedded by the new model."""
    session = open_session(user)
    said = say(user, session, *(f"matter {number}" for number in range(count)), learn=False)
    with acting_as(user.pk):
        for number, event in enumerate(said):
            text, embedder = f"matter {number}", (new, old)[number % 2]
            document = SearchDocument(event.pk, "turn", user.pk, None, session.pk, A_MONDAY, text)
            indexing.store_entries([document], list(embedder.embed_queries([text])), embedder.model_id)
    return [event.pk for event in said]


def test_switching_back_and_forth_loses_nothing(talkative: User, new: WordsEmbedder, old: str) -> None:
    def state() -> list[tuple[str, float, dict[str, float]]]:
        found = find(talkative, SAID[0])
        return [(hit.text, hit.score, dict(hit.signals)) for hit in found.hits]

    before, entries = state(), models_of(talkative)
    with embedding_with(new):
        BACKLOG.queue_now()
        drain()
        assert set(models_of(talkative)) == {new.model_id}
    BACKLOG.queue_now()
    drain()

    assert models_of(talkative) == entries
    assert set(entries) == {old}
    assert state() == before


def test_switched_back_in_the_middle_the_rest_follows_the_settings(
    talkative: User, new: WordsEmbedder, old: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with embedding_with(new):
        _half_of_it(monkeypatch)
    drain()  # of the other half, which the old model has embedded already
    BACKLOG.queue_now()
    drain()

    assert set(models_of(talkative)) == {old}


def _candidate(value: str) -> StatementCandidate:
    return StatementCandidate(
        content=f"Likes {value}",
        memory_type="preference",
        epistemic_type="preference",
        category="likes",
        attributes={"subject": "user", "slot": "likes", "value": value, "polarity": "positive"},
        confidence=0.5,
        provenance="observation",
        rule="test",
        quote=f"I like {value}",
        valid_at=A_MONDAY,
    )


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_what_is_learned_is_not_compared_with_vectors_of_another_model(
    alice: User, new: WordsEmbedder, dimensions: int
) -> None:
    new.dimensions = dimensions
    permit = allow(alice)
    remember(alice, "Likes green tea", "likes", "green tea")

    assert _similar(alice, permit, WordsEmbedder("old-1", dimensions=20)) == 1
    assert _similar(alice, permit, new) == 0


def _similar(alice: User, permit: Permit, embedder: WordsEmbedder) -> int:
    candidate = _candidate("green tea")
    [vector] = embedder.embed_queries(["likes: Likes green tea"])
    with acting_as(alice.pk):
        seen = matching_items(permit, candidate, since=0)
        assert seen
        return len(similar_items(FoundCandidate(candidate, list(map(float, vector)), embedder.model_id), seen))


@pytest.mark.parametrize("dimensions", DIMENSIONS)
def test_upkeep_merges_nothing_by_vectors_of_two_models(alice: User, new: WordsEmbedder, dimensions: int) -> None:
    new.dimensions = dimensions
    allow(alice)
    for value in ("Berlin", "Berlin, Germany"):
        remember(alice, f"Lives in {value}", value=value)
    with embedding_with(new):
        remember(alice, "Lives in old Berlin", value="old Berlin")
    with acting_as(alice.pk):
        statements = comparable_items(list(MemoryItem.objects.order_by("created_at")))
    loose = Thresholds(consolidate_from=2, similarity=0.001)

    assert {one.model_id for one in statements} == {"old-1", new.model_id}
    assert [{one.value for one in found.members} for found in find_clusters(statements, loose)] == [
        {"Berlin", "Berlin, Germany"}
    ]


def test_upkeep_passes_over_vectors_of_another_length_under_the_same_name(alice: User, new: WordsEmbedder) -> None:
    allow(alice)
    for value in ("Berlin", "Berlin, Germany"):
        remember(alice, f"Lives in {value}", value=value)
    with acting_as(alice.pk):
        one, *others = comparable_items(list(MemoryItem.objects.order_by("created_at")))
    assert one.vector is not None
    longer = np.append(one.vector, [0.0]).astype(np.float32)
    object.__setattr__(one, "vector", longer)

    assert find_clusters([one, *others], Thresholds(consolidate_from=2, similarity=0.001)) == []
