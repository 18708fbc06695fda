"""Search asks the store which of a user's entries are nearest; what is shown is decided by the database."""

from __future__ import annotations

import socket
from datetime import timedelta
from uuid import UUID

import numpy as np
import pytest
from django.utils import timezone
from pytest_django import Settings

from consent.models import ErasureScope, Sources
from finclaw.erasure import forget
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from memory.models import Projection
from memory.projection import nearest
from memory.projection.nearest import QDRANT_UNAVAILABLE, ask_again
from memory.projection.points import EntryPoint, ProjectedPoints
from memory.projection.registry import forget_searched, switch_to
from memory.retrieval import formula
from memory.retrieval.services import embed_query, search
from memory.types import SearchQuery, SearchResult
from tests.support.cast import allow
from tests.support.embedders import WordsEmbedder
from tests.support.projection import entries_of
from tests.support.talk import memories, open_session, permit_of, say

SAID = tuple(f"I like {what} very much." for what in ("oboes", "tea", "gold", "boats", "chess", "Lisbon", "rain"))
QUESTIONS = ("What about oboes?", "tea or boats", "Lisbon in the rain", "something else")


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[UUID]:
    """For whom the store was asked; it is, of a user with whatever few entries."""
    monkeypatch.setattr(formula, "FEW", 0)
    people: list[UUID] = []
    ask = ProjectedPoints.nearest

    def asking(points: ProjectedPoints, user_id: UUID, *rest: object) -> list[tuple[UUID, float]]:
        people.append(user_id)
        return ask(points, user_id, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(ProjectedPoints, "nearest", asking)
    return people


@pytest.fixture
def told(alice: User, bob: User, projection: Projection, settings: Settings) -> None:
    """Alice and Bob said the same, and the store is searched."""
    for person in (alice, bob):
        allow(person)
        say(person, open_session(person), *SAID)
    switch_to(projection)
    settings.MEMORY_PROJECTION = "searched"
    forget_searched()


def _search(user: User, text: str, **fields: object) -> SearchResult:
    query = SearchQuery(text, ("item", "turn"), **fields)  # type: ignore[arg-type]
    embedded = embed_query(text)
    with acting_as(user.pk):
        return search(permit_of(user), query, embedded)


def _ids(result: SearchResult) -> list[UUID]:
    return [hit.id for hit in result.hits]


@pytest.mark.parametrize("strategy", ["score", "rrf", "vector"])
def test_it_finds_what_the_database_finds(
    alice: User, told: None, asked: list[UUID], settings: Settings, strategy: str
) -> None:
    for question in QUESTIONS:
        through = _search(alice, question, strategy=strategy)
        settings.MEMORY_PROJECTION = "written"
        alone = _search(alice, question, strategy=strategy)
        settings.MEMORY_PROJECTION = "searched"
        assert _ids(through) == _ids(alone)
        assert through.degraded == ()
        assert set(_ids(through)) <= entries_of(alice)
    assert asked == [alice.pk] * len(QUESTIONS)


def test_what_the_store_says_of_anothers_rows_is_not_shown(
    alice: User, bob: User, told: None, projection: Projection, monkeypatch: pytest.MonkeyPatch
) -> None:
    bobs = sorted(entries_of(bob))
    monkeypatch.setattr(ProjectedPoints, "nearest", lambda *_: [(key, 1.0) for key in bobs])
    for question in QUESTIONS:
        assert set(_ids(_search(alice, question))) <= entries_of(alice)


def test_the_store_answers_with_the_askers_points_alone(
    alice: User, bob: User, told: None, projection: Projection, model: WordsEmbedder
) -> None:
    points, mine = ProjectedPoints(projection), entries_of(alice)
    for question in (*SAID, *QUESTIONS):
        found = points.nearest(alice.pk, ("item", "turn"), model.embed_queries([question])[0], 100, 5)
        assert {key for key, _ in found} == mine
    nobody = UUID(int=0)
    assert points.nearest(nobody, ("item",), model.embed_queries(["tea"])[0], 100, 5) == []


def test_what_is_being_forgotten_is_not_shown_while_its_point_still_stands(
    alice: User, told: None, projection: Projection
) -> None:
    memory = next(item for item in memories(alice) if "oboes" in item.content)
    with acting_as(alice.pk):
        forget(alice, ErasureScope.ITEM, str(memory.pk), Sources.REDACT, source="api")
    assert ProjectedPoints(projection).count_named([memory.pk]) == 1
    assert memory.pk not in _ids(_search(alice, QUESTIONS[0]))


def test_without_consent_it_is_not_asked(charlie: User, told: None, asked: list[UUID]) -> None:
    assert _search(charlie, QUESTIONS[0]).hits == ()
    assert asked == []


@pytest.mark.parametrize("where", ["nowhere", "silent"])
def test_while_it_is_down_or_slow_the_database_answers_and_says_so(
    alice: User, told: None, settings: Settings, asked: list[UUID], listening: socket.socket, where: str
) -> None:
    expected = _ids(_search(alice, QUESTIONS[0]))
    settings.QDRANT_URL = f"http://127.0.0.1:{listening.getsockname()[1] if where == 'silent' else 9}"
    settings.QDRANT_SEARCH_TIMEOUT_MS = 50
    asked.clear()
    for _ in range(3):
        found = _search(alice, QUESTIONS[0])
        assert (_ids(found), found.degraded) == (expected, (QDRANT_UNAVAILABLE,))
    assert asked == [alice.pk]  # not at every search

    settings.QDRANT_URL = ""
    ask_again()
    assert _search(alice, QUESTIONS[0]).degraded == ()


def test_after_a_while_it_is_asked_again(
    alice: User, told: None, settings: Settings, asked: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "NOT_ASKED_SECONDS", 0.0)
    settings.QDRANT_URL = "http://127.0.0.1:9"
    _search(alice, QUESTIONS[0])
    settings.QDRANT_URL = ""
    assert _search(alice, QUESTIONS[0]).degraded == ()
    assert len(asked) == 2


def test_a_collection_that_is_gone_is_done_without(alice: User, told: None, projection: Projection) -> None:
    from foundation.qdrant import drop_collection

    drop_collection(projection.name)
    found = _search(alice, QUESTIONS[0])
    assert found.hits
    assert found.degraded == (QDRANT_UNAVAILABLE,)


@pytest.mark.parametrize("limit", ["time_from", "time_to", "valid_at", "known_at", "said_until"])
def test_conditions_that_the_database_alone_knows_are_left_to_it(
    alice: User, told: None, asked: list[UUID], limit: str
) -> None:
    _search(alice, QUESTIONS[0], **{limit: timezone.now() - timedelta(minutes=1)})
    assert asked == []


def test_where_the_database_reads_everything_it_is_not_asked(
    alice: User, told: None, asked: list[UUID], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formula, "FEW", len(entries_of(alice)))
    assert _search(alice, QUESTIONS[0]).hits
    assert asked == []


def test_words_alone_ask_for_no_vectors(alice: User, told: None, asked: list[UUID]) -> None:
    assert _search(alice, QUESTIONS[0], strategy="lexical").hits
    assert asked == []


def test_points_of_unknown_rows_do_no_harm(
    alice: User, told: None, projection: Projection, model: WordsEmbedder
) -> None:
    vector = np.asarray(model.embed_queries(["oboes"])[0])
    ProjectedPoints(projection).write([EntryPoint(UUID(int=7), alice.pk, None, "item", vector)])
    assert set(_ids(_search(alice, QUESTIONS[0]))) <= entries_of(alice)
