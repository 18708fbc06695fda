"""Of very many entries a first look chooses those that are read, in an index alone."""

from __future__ import annotations

import random
from dataclasses import replace
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.embeddings import configured_embedder
from foundation.ids import new_id
from memory.indexing import services as indexing
from memory.indexing.documents import SearchDocument, terms_literals
from memory.retrieval import formula
from memory.retrieval import services as retrieval
from memory.retrieval.search_sql import build_search
from memory.types import SearchQuery, Strategy
from tests.support.cast import A_MONDAY, allow
from tests.support.talk import permit_of

WORDS = ("coffee", "garden", "ledger", "winter", "puzzle", "violin", "market", "mountain", "letter", "咖啡", "花园")
SAID = {"the silver boat": "Caroline bought a silver boat.", "银色的帆船": "她买了一艘银色的帆船。"}
READ = 40
MANY = 190


@pytest.fixture
def remembered(alice: User, monkeypatch: pytest.MonkeyPatch) -> dict[str, UUID]:
    """Alice, who has told more than a second look reads; the id of each thing she said."""
    monkeypatch.setattr(formula, "SECOND_LOOK", READ)
    monkeypatch.setattr(formula, "FEW", READ)
    allow(alice)
    chance = random.Random(3)
    told = [" ".join(chance.sample(WORDS, 4)) for _ in range(MANY)] + list(SAID.values())
    documents = [_document(alice, text) for text in told]
    embedder = configured_embedder()
    with acting_as(alice.pk):
        indexing.store_entries(documents, list(embedder.embed_passages(told)), embedder.model_id)
    return {document.text: document.id for document in documents}


def _document(owner: User, text: str) -> SearchDocument:
    return SearchDocument(new_id(), "turn", owner.pk, None, None, timezone.now(), text)


@pytest.mark.parametrize("strategy", ["score", "rrf", "lexical", "vector"])
@pytest.mark.parametrize("asked", SAID)
def test_what_answers_comes_first_among_more_than_are_read(
    alice: User, remembered: dict[str, UUID], asked: str, strategy: Strategy
) -> None:
    with acting_as(alice.pk):
        hits = retrieval.search(permit_of(alice), SearchQuery(asked, ("turn",), top_k=3, strategy=strategy)).hits
    assert hits[0].id == remembered[SAID[asked]]


def test_the_only_one_that_holds_the_words_is_read_though_its_vector_is_the_farthest(
    alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(formula, "SECOND_LOOK", READ)
    monkeypatch.setattr(formula, "FEW", READ)
    allow(alice)
    asked = retrieval.embed_query("silver boat")
    assert asked.vector is not None
    nearest = asked.vector.to_list()
    farthest = [-number for number in nearest]
    documents = [_document(alice, text) for text in ["garden ledger"] * MANY + ["silver boat"]]
    with acting_as(alice.pk):
        indexing.store_entries(documents, [*[nearest] * MANY, farthest], asked.model_id)
        hits = retrieval.search(permit_of(alice), SearchQuery("silver boat", ("turn",)), asked).hits
    assert hits[0].id == documents[-1].id


def test_without_vectors_words_choose(alice: User, remembered: dict[str, UUID]) -> None:
    embedded = replace(retrieval.embed_query("silver boat"), vector=None, model_id="")
    with acting_as(alice.pk):
        hits = retrieval.search(permit_of(alice), SearchQuery("silver boat", ("turn",)), embedded).hits
    assert [hit.id for hit in hits] == [remembered[SAID["the silver boat"]]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # nothing is written
@given(
    held=st.sets(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12), max_size=60)
)
def test_no_word_that_an_entry_holds_is_missed(db: None, held: set[str]) -> None:
    document = replace(_NOBODYS, text=" ".join(held))
    terms = terms_literals([document])[0]
    with connection.cursor() as cursor:
        cursor.execute(_BITS, {"terms": terms})
        assert cursor.fetchall() == []


_NOBODYS = SearchDocument(new_id(), "turn", new_id(), None, None, A_MONDAY, "")
# The lexemes of which a bit is missing: as the statement asks for them.
_BITS = """
    SELECT lexeme FROM (SELECT %(terms)s::tsvector AS terms, memory_bloom(%(terms)s::tsvector) AS bloom) entry,
    LATERAL unnest(tsvector_to_array(terms)) AS lexeme, LATERAL (SELECT hashtextextended(lexeme, 0) AS hash) hashed
    WHERE get_bit(bloom, (hash & length(bloom) - 1)::int) = 0
    OR get_bit(bloom, (hash >> 32 & length(bloom) - 1)::int) = 0
"""


@pytest.mark.parametrize("length", [1, 5, 500, 2_000])
def test_the_filter_grows_with_the_entry_and_stays_within_what_an_index_takes(db: None, length: int) -> None:
    terms = " ".join(f"w{number}:1" for number in range(length))
    with connection.cursor() as cursor:
        cursor.execute("SELECT length(memory_bloom(%s::tsvector))", [terms])
        (bits,) = cursor.fetchone() or (0,)
    assert 64 <= bits <= 8_192
    assert bits >= min(8_192, 16 * length)


@pytest.mark.parametrize("of_group", [False, True])
def test_an_index_alone_answers_the_first_look(
    alice: User, remembered: dict[str, UUID], superuser_connection: psycopg.Connection, of_group: bool
) -> None:
    superuser_connection.execute("VACUUM ANALYZE memory_searchentry")
    query = SearchQuery(
        "silver boat", ("turn", "event"), group_id=new_id() if of_group else None, exclude_session=new_id(),
        exclude_since=timezone.now(), time_from=A_MONDAY, time_to=timezone.now(),
    )  # fmt: skip
    terms = retrieval.embed_query(query.text).terms
    statement = build_search(
        query, user_id=alice.pk, terms=terms, periods=[(A_MONDAY, timezone.now())], vector=None, model_id="",
        strategy="lexical", limit=8,
    )  # fmt: skip
    with acting_as(alice.pk), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_bitmapscan = off; SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN " + statement.sql, statement.parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Only Scan using first_look_" in plan
