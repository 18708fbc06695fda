"""Hybrid search: finds in both languages, leaks nothing, and serves without its vectors."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.personal_data import ConsentScope
from memory.exceptions import MemoryUnavailable
from memory.retrieval import services as retrieval
from memory.retrieval.search_sql import SqlStatement
from memory.services import item_decisions
from memory.types import SearchQuery, SearchResult
from tests.support.cast import allow, allow_nothing, group_with
from tests.support.talk import memories, open_session, permit_of, say


def find(user: User, text: str, **query: object) -> SearchResult:
    with acting_as(user.pk):
        return retrieval.search(permit_of(user), SearchQuery(text, **query))  # type: ignore[arg-type]


@pytest.fixture
def talkative(alice: User) -> User:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "I prefer concise answers and I follow BTC", "我关注贵州茅台", "I live in Berlin")
    return alice


@pytest.mark.parametrize(
    ("question", "word"),
    [("Which coin do I follow, BTC?", "BTC"), ("茅台的股票我关注吗", "茅台"), ("貴州茅台", "茅台"), ("ＢＴＣ", "BTC")],
)
def test_the_right_memory_comes_first_in_both_languages(talkative: User, question: str, word: str) -> None:
    assert word in find(talkative, question).hits[0].text


@pytest.mark.parametrize("strategy", ["score", "rrf", "lexical", "vector"])
def test_every_strategy_finds_an_exact_word(talkative: User, strategy: str) -> None:
    found = find(talkative, "BTC", strategy=strategy)
    assert found.strategy == strategy
    assert "BTC" in found.hits[0].text


def test_nobody_finds_anothers_memories(talkative: User, charlie: User) -> None:
    allow(charlie)
    assert find(charlie, "BTC", kinds=("item", "event", "turn")).hits == ()


def test_nothing_is_found_without_the_learning_scope(talkative: User) -> None:
    allow_nothing(talkative)
    assert find(talkative, "BTC", kinds=("item", "turn")).hits == ()


def test_a_member_finds_the_groups_turns_and_an_outsider_does_not(alice: User, bob: User, charlie: User) -> None:
    for person in (alice, bob, charlie):
        allow(person)
    group = group_with(alice, [bob])
    session = open_session(alice, group_id=group.pk)
    say(alice, session, "The refinery strike will move diesel cracks")
    assert "refinery" in find(bob, "refinery strike", kinds=("turn",), group_id=group.pk).hits[0].text
    assert find(bob, "refinery strike", kinds=("turn",), group_id=group.pk, speaker_only=True).hits == ()
    assert find(charlie, "refinery strike", kinds=("turn",), group_id=group.pk).hits == ()


def test_what_was_said_in_private_is_never_found_in_a_group(alice: User, bob: User) -> None:
    for person in (alice, bob):
        allow(person)
    group = group_with(alice, [bob])
    say(alice, open_session(alice), "I follow BTC")
    for person in (alice, bob):
        assert find(person, "BTC", kinds=("item", "event", "turn"), group_id=group.pk).hits == ()


def test_a_turn_is_found_by_its_neighbours_words(alice: User) -> None:
    allow(alice)
    session = open_session(alice)
    say(alice, session, "Shall we talk about the Verona pasta place?", "It opens at seven on Sundays.")
    texts = [hit.text for hit in find(alice, "Verona", kinds=("turn",), strategy="lexical").hits]
    assert "It opens at seven on Sundays." in texts


def test_without_the_embedding_model_full_text_answers_and_says_so(
    talkative: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        model_id = "broken"

        def embed_queries(self, texts: list[str]) -> None:
            raise EmbeddingUnavailable()

    monkeypatch.setattr(retrieval, "searching_embedder", Broken)
    found = find(talkative, "BTC")
    assert found.degraded == ("vector_unavailable",)
    assert found.strategy == "lexical"
    assert "BTC" in found.hits[0].text


def test_a_search_past_its_time_is_memory_unavailable_and_the_transaction_lives(
    talkative: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "build_search", lambda *_, **__: SqlStatement("SELECT pg_sleep(5)", {}))
    with acting_as(talkative.pk), override_settings(RETRIEVAL_TIMEOUT_MS=20):
        permit = permit_of(talkative)
        with pytest.raises(MemoryUnavailable):
            retrieval.search(permit, SearchQuery("BTC"))
        assert permit_of(talkative).allows(ConsentScope.MEMORY_LEARNING)


def test_a_replaced_statement_is_found_only_by_asking_about_the_past(talkative: User) -> None:
    [old] = [item for item in memories(talkative) if "Berlin" in item.content]
    before = timezone.now()
    with acting_as(talkative.pk):
        item_decisions.correct(permit_of(talkative), old.pk, "Lives in Hamburg")
    assert all("Berlin" not in hit.text for hit in find(talkative, "Where do I live, Berlin?").hits)
    past = find(talkative, "Where do I live, Berlin?", known_at=before, valid_at=before)
    assert any("Berlin" in hit.text for hit in past.hits)


def test_hits_explain_their_order(talkative: User) -> None:
    hit = find(talkative, "BTC").hits[0]
    assert set(hit.signals) == {"lexical", "semantic", "recency", "confidence_effective", "provenance", "frequency"}


@pytest.mark.parametrize("text", ["", "   ", "'; DROP TABLE memory_searchentry; --", "\\", "'" * 50, "的", "?!。"])
def test_any_text_may_be_searched_for(talkative: User, text: str) -> None:
    assert isinstance(find(talkative, text).hits, tuple)


def test_of_a_conversation_only_what_is_shown_anyway_is_left_out(alice: User) -> None:
    allow(alice)
    session, other = open_session(alice), open_session(alice)
    shown = timezone.now()
    say(alice, session, "Copper was 9,000.", at=shown - timedelta(minutes=5))
    say(alice, session, "Copper is 10,000.", at=shown)
    say(alice, other, "Copper will be 11,000.", at=shown)

    def found(**query: object) -> set[str]:
        return {hit.text for hit in find(alice, "copper", kinds=("turn",), **query).hits}

    assert found() == {"Copper was 9,000.", "Copper is 10,000.", "Copper will be 11,000."}
    assert found(exclude_session=session.pk) == {"Copper will be 11,000."}
    assert found(exclude_session=session.pk, exclude_since=shown) == {"Copper was 9,000.", "Copper will be 11,000."}
