"""Asking a data set's questions of the product's own search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from uuid import UUID

from django.db import transaction

from foundation.database.acting import acting_as
from memory.importing.cast import Cast, cast_of, permit_of
from memory.importing.services import Importer
from memory.models import ConversationEvent
from memory.retrieval.evaluation.datasets import Memory, Question
from memory.retrieval.evaluation.metrics import CUTS, Answer, ranks_of
from memory.retrieval.services import embed_query, search
from memory.types import SearchQuery, Strategy

TOP_K = max(CUTS)
Step = Callable[[], object]


@contextmanager
def leaving_nothing() -> Iterator[None]:
    """A transaction that is rolled back, however it ends."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def evaluate(memory: Memory, strategy: Strategy | None, imported: Step, asked: Step) -> list[Answer]:
    """Import one memory, ask everything of it as its first person; a call of a step for each part and question."""
    importer = Importer()
    for part in memory.parts:
        importer.add(part)
        imported()
    cast = cast_of(memory.name, memory.people)
    refs = _refs(cast)
    answers = []
    for question in memory.questions:
        answers.append(_ask(cast, question, strategy, refs))
        asked()
    return answers


def _refs(cast: Cast) -> dict[UUID, str]:
    with acting_as(cast.host.pk):
        turns = ConversationEvent.objects.filter(session__user=cast.host)
        return dict(turns.values_list("pk", "external_ref"))


def _ask(cast: Cast, question: Question, strategy: Strategy | None, refs: dict[UUID, str]) -> Answer:
    permit = permit_of(cast.host)
    query = SearchQuery(question.text, ("turn",), group_id=cast.group_id, top_k=TOP_K, strategy=strategy)
    with acting_as(cast.host.pk):
        started = perf_counter()
        found = search(permit, query, embed_query(question.text))
        milliseconds = (perf_counter() - started) * 1000
    ranks = ranks_of([refs[hit.id] for hit in found.hits], question.evidence)
    return Answer(question.category, ranks, milliseconds)
