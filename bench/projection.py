"""Memory in Qdrant against PostgreSQL: the same best ten, nothing after an erasure, nothing of anybody else's.

    FINCLAW_BENCH_DATA=folder python -m bench.projection --items 100000

Items of twenty people, one with half of all: sentences of the public data sets, each once, and their questions. Without
the folder the words are made up, and how alike two rankings of chance words are is not judged. The vectors are those of
EMBEDDER, light unless it is named: with e5 the texts alone take a core ten minutes. Without QDRANT_URL the store is the
client's local mode in memory, which compares with every point in numpy and evaluates the filter in Python for each: its
times say nothing of a server's, and the probes for foreign rows are made on a smaller number of items.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.data import VARIABLE, strings_in
from bench.report import publish_outcome
from bench.runner import measured_database, parse_arguments

if TYPE_CHECKING:
    from uuid import UUID

    from foundation.accounts.models import User
    from memory.projection.points import ProjectedPoints

PEOPLE = 20
BEST = 10
SEED = 0
_STORE = {"MEMORY_PROJECTION": "searched", "QDRANT_PREFIX": f"bench-{os.getpid()}", "QDRANT_TIMEOUT_SECONDS": "60"}
# In local mode a search among all takes a second.
_PATIENCE = {"QDRANT_SEARCH_TIMEOUT_MS": "60000"}
_ENTRIES = "SELECT id, user_id, array_to_string(tsvector_to_array(terms), ' ') FROM memory_searchentry ORDER BY id"
_KINDS = ("item", "turn", "event")
_LEAST_CHARACTERS = 13  # of a sentence; what is shorter is a name or a greeting


@dataclass(frozen=True)
class RealTexts:
    """Sentences and questions of the public data sets, each once, in an order of chance; empty without them."""

    sentences: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProjectionResult:
    """What the two found. ``same_best_ten``: the mean share of PostgreSQL's best ten that search through the store
    finds as well; ``same_nearest_ten``: the mean share of the ten entries whose vectors PostgreSQL finds nearest by
    comparing with each that are the store's ten; ``asked`` searches, ``degraded`` without the store. ``left``: points
    and entries of a person after the erasure of all they had taught. ``foreign``: rows of others in ``probes`` of the
    store among ``probed_items``, and in a tenth as many of the product's own searches. Times in milliseconds, rates a
    second.
    """

    store: str
    embedder: str
    texts: str
    items: int
    points: int
    written_per_second: float
    asked: int
    degraded: int
    same_best_ten: float
    same_nearest_ten: float
    p50_database: float
    p50_through_store: float
    erased: int
    left: int
    probes: int
    probed_items: int
    foreign: int

    @property
    def holds(self) -> bool:
        """Whether every promise was kept."""
        is_alike = self.same_best_ten >= 0.95 or self.texts == "made up"
        return is_alike and not (self.left or self.foreign or self.degraded)


def run(
    database: str, items: int, questions: int, probes: int, probed_items: int, texts: RealTexts
) -> ProjectionResult:
    """Fill ``database`` and the store twice, few for the probes and then all, and compare what is found."""
    from django.conf import settings

    from foundation.qdrant import is_local
    from memory.retrieval import formula

    few = _fill(database, "probed", probed_items, texts)
    formula.FEW, kept = 0, formula.FEW
    points, _ = _project()
    foreign = _probe(points, few, probes) + _search_foreign(few, probes // 10, texts)
    formula.FEW = kept

    many = _fill(database, "asked", items, texts)
    points, rate = _project()
    compared = _compare(points, many, questions, texts)
    held = points.count_everybodys()
    return ProjectionResult(
        store="local mode, in memory" if is_local() else settings.QDRANT_URL,
        embedder=settings.EMBEDDER,
        texts="of the public data sets" if texts.sentences else "made up",
        items=items,
        points=held,
        written_per_second=rate,
        **compared,
        **_erase(points, many[-1]),
        probes=probes,
        probed_items=probed_items,
        foreign=foreign,
    )


def _fill(database: str, name: str, items: int, texts: RealTexts) -> list[User]:
    """Twenty people, the first with half of the items, each item with a text and a vector of its own."""
    from django.conf import settings

    from bench.people import somebody
    from bench.row_multiplication import multiply_items, one_of_each, settle
    from foundation.database.embedded_server import EmbeddedServer

    made = [somebody(f"{name}-{number}") for number in range(PEOPLE)]
    people = [person for person, _ in made]
    models = one_of_each(*made[0])
    with EmbeddedServer(settings.DATA_DIR).connect(database) as superuser:
        superuser.autocommit = True
        superuser.execute("SET memory.unqueued_projections = 'everybody'")  # all is written by the walk
        multiply_items(superuser, models, [people[0].pk], items // 2)
        multiply_items(superuser, models, [person.pk for person in people[1:]], items // 2 // (PEOPLE - 1))
        rows = superuser.execute(_ENTRIES.encode()).fetchall()
        own = [row for row in rows if row[1] in {person.pk for person in people}]
        _give_texts(superuser, own, texts.sentences)
        settle(superuser)
    return people


def _give_texts(superuser: Any, rows: Sequence[tuple[UUID, UUID, str]], sentences: Sequence[str]) -> None:
    """Each entry and its item gets the next sentence; without enough of them the words that it has."""
    from django.utils import timezone
    from pgvector import HalfVector
    from pgvector.psycopg import register_vector

    from foundation.embeddings import configured_embedder
    from memory.indexing.documents import SearchDocument, terms_literals

    texts = sentences if len(sentences) >= len(rows) else [row[2] for row in rows]
    documents = [
        SearchDocument(key, "item", owner, None, None, timezone.now(), text)
        for (key, owner, _), text in zip(rows, texts, strict=False)
    ]
    embedder = configured_embedder()
    register_vector(superuser)
    with superuser.transaction(), superuser.cursor() as cursor:
        cursor.execute(
            "CREATE TEMP TABLE made (id uuid PRIMARY KEY, text text, terms text, vector halfvec) ON COMMIT DROP"
        )
        with cursor.copy("COPY made (id, text, terms, vector) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["uuid", "text", "text", "halfvec"])
            for start in range(0, len(documents), 1_000):
                some = documents[start : start + 1_000]
                vectors = embedder.embed_passages([document.text for document in some])
                for document, terms, vector in zip(some, terms_literals(some), vectors, strict=True):
                    copy.write_row((document.id, document.text, terms, HalfVector(vector)))
        cursor.execute(
            "UPDATE memory_searchentry e SET terms = m.terms::tsvector, vector = m.vector,"
            " quantized = binary_quantize(m.vector)::varbit, model_id = %s FROM made m WHERE m.id = e.id",
            [embedder.model_id],
        )
        cursor.execute("UPDATE memory_memoryitem i SET content = m.text FROM made m WHERE m.id = i.id")


def _project() -> tuple[ProjectedPoints, float]:
    """Fill the projection from the first entry on; answers its points, and how many were written a second."""
    from memory.projection.points import ProjectedPoints
    from memory.projection.registry import begin_projection, switch_to
    from memory.projection.walk import begin_anew, walk_on

    projection = begin_projection()
    begin_anew(projection)
    started = time.perf_counter()
    while walk_on(projection):
        pass
    rate = round(projection.written / (time.perf_counter() - started), 1)
    switch_to(projection)
    return ProjectedPoints(projection), rate


def _compare(points: ProjectedPoints, people: Sequence[User], questions: int, texts: RealTexts) -> dict[str, Any]:
    """The same questions through the store and to the database alone."""
    from django.test import override_settings

    shares: list[float] = []
    nearest: list[float] = []
    times: dict[bool, list[float]] = {True: [], False: []}
    degraded = 0
    for person, text in _questions(people, questions, texts):
        found = {}
        for through in (False, True):
            with override_settings(MEMORY_PROJECTION="searched" if through else "written"):
                started = time.perf_counter()
                result = _search(person, text)
                times[through].append((time.perf_counter() - started) * 1000)
                found[through] = {hit.id for hit in result.hits}
                degraded += bool(result.degraded)
        shares.append(_share(found[False], found[True]))
        nearest.append(_share_of_nearest(points, person, text))
    return {
        "asked": questions,
        "degraded": degraded,
        "same_best_ten": round(sum(shares) / len(shares), 4),
        "same_nearest_ten": round(sum(nearest) / len(nearest), 4),
        "p50_database": _median(times[False]),
        "p50_through_store": _median(times[True]),
    }


def _share_of_nearest(points: ProjectedPoints, person: User, text: str) -> float:
    """The share of the ten nearest vectors by comparing with each that the store finds as well."""
    from pgvector import HalfVector
    from pgvector.django import MaxInnerProduct

    from foundation.database.acting_user import acting_as
    from foundation.embeddings import configured_embedder
    from memory.models import SearchEntry

    (vector,) = configured_embedder().embed_queries([text])
    with acting_as(person.pk):
        entries = SearchEntry.objects.filter(user=person, live=True).order_by(
            MaxInnerProduct("vector", HalfVector(vector))
        )
        exact = set(entries.values_list("pk", flat=True)[:BEST])
    return _share(exact, {key for key, _ in points.nearest(person.pk, _KINDS, vector, BEST, 60)})


def _share(expected: set[UUID], found: set[UUID]) -> float:
    """The share of what is expected that was found; 0 where nothing is."""
    return len(expected & found) / max(1, len(expected))


def _questions(people: Sequence[User], count: int, texts: RealTexts) -> Iterator[tuple[User, str]]:
    """Questions of the data sets; without these three words of an item that the person has, and one of none."""
    from foundation.database.acting_user import acting_as
    from memory.models import MemoryItem

    chance = random.Random(SEED)
    for number in range(count):
        person = people[0] if number % 2 else chance.choice(people[1:])
        if texts.questions:
            yield person, chance.choice(texts.questions)
            continue
        with acting_as(person.pk):
            items = MemoryItem.objects.filter(user=person).order_by("content_hash")
            words = chance.choice(list(items.values_list("content", flat=True)[:100])).split()
        yield person, " ".join([*chance.sample(words, min(3, len(words))), f"term{chance.randrange(8192)}"])


def _search(person: User, text: str) -> Any:
    from consent.services import permit_for
    from foundation.database.acting_user import acting_as
    from memory.retrieval.services import embed_query, search
    from memory.types import SearchQuery

    embedded = embed_query(text)
    with acting_as(person.pk):
        return search(permit_for(person), SearchQuery(text, top_k=BEST), embedded)


def _probe(points: ProjectedPoints, people: Sequence[User], probes: int) -> int:
    """How many points of others the store answered with."""
    from foundation.embeddings import configured_embedder

    owned, chance, foreign = _owners(), random.Random(SEED), 0
    vectors = configured_embedder().embed_queries([f"term{number}" for number in range(200)])
    for _ in range(probes):
        person = chance.choice(people)
        found = points.nearest(person.pk, _KINDS, chance.choice(vectors), 50, 60)
        foreign += sum(owned[key] != person.pk for key, _ in found)
    return foreign


def _search_foreign(people: Sequence[User], searches: int, texts: RealTexts) -> int:
    """How many rows of others the product's searches answered with, which ask the store."""
    owned, foreign = _owners(), 0
    for person, text in _questions(people, searches, texts):
        foreign += sum(owned[hit.id] != person.pk for hit in _search(person, text).hits)
    return foreign


def _owners() -> dict[UUID, UUID]:
    from foundation.database.acting_user import in_role
    from foundation.database.roles import OPERATOR_ROLE
    from memory.models import SearchEntry

    with in_role(OPERATOR_ROLE):
        return dict(SearchEntry.objects.values_list("pk", "user_id"))


def _erase(points: ProjectedPoints, person: User) -> dict[str, int]:
    """Have everything be forgotten that a person taught; what the certificate and the store say of it."""
    from consent.models import ErasureScope, Sources
    from finclaw.erasure import forget
    from foundation.database.acting_user import acting_as
    from foundation.outbox.tasks import drain

    with acting_as(person.pk):
        tombstone = forget(person, ErasureScope.MEMORIES, "", Sources.REDACT, source="command")
    drain()
    with acting_as(person.pk):
        tombstone.refresh_from_db()
    left = points.count(person.pk) + sum(owner == person.pk for owner in _owners().values())
    if tombstone.certificate is None:
        raise AssertionError("the erasure was not certified")
    return {"erased": tombstone.deleted[f"Qdrant {points.name}"], "left": left}


def real_texts(folder: str) -> RealTexts:
    """The sentences of at least ``_LEAST_CHARACTERS`` and the questions of all data sets in ``folder``."""
    from foundation.language.sentences import split_sentences

    sentences, questions = set[str](), set[str]()
    for path in sorted(Path(folder).glob("*.json")) if folder else ():
        for name, text in strings_in(json.loads(path.read_bytes())):
            if name == "question":
                questions.add(text)
            else:
                sentences.update(part for part in split_sentences(text) if len(part) >= _LEAST_CHARACTERS)
    chance = random.Random(SEED)
    return RealTexts(
        tuple(chance.sample(sorted(sentences), len(sentences))), tuple(chance.sample(sorted(questions), len(questions)))
    )


def _median(times: Sequence[float]) -> float:
    from memory.evaluation.retrieval.metrics import percentile

    return round(percentile(times, 50), 2)


def main() -> None:
    """Run on a scratch database, print the table, write the figures; exit 1 where a promise was broken."""
    given = parse_arguments(
        __doc__, items=100_000, questions=(100, "searches that are compared"), probes=10_000, probed_items=1_000
    )
    store = _STORE | _PATIENCE | ({} if os.environ.get("QDRANT_URL") else {"QDRANT_PATH": ":memory:"})
    embedder = os.environ.get("EMBEDDER", "light")
    with measured_database({"EMBEDDER": embedder, **store}) as database:
        texts = real_texts(os.environ.get(VARIABLE, ""))
        outcome = run(database, given.items, given.questions, given.probes, given.probed_items, texts)
    publish_outcome("projection", outcome)
    sys.exit(not outcome.holds)


if __name__ == "__main__":
    main()
