"""Runs an evaluation: asks a data set's questions of the product's search, and of BM25 over the same texts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from time import perf_counter
from uuid import UUID

from django.db import connection, transaction

from foundation.database.acting_user import acting_as
from foundation.exceptions import FinClawError
from memory.evaluation.retrieval.bm25 import Bm25
from memory.evaluation.retrieval.datasets import DatasetMemory
from memory.evaluation.retrieval.metrics import CUTS, RankedAnswer, ranks_of
from memory.importing.imported_people import SpeakerUsers, people_of, permit_of
from memory.importing.services import ConversationImporter
from memory.indexing.documents import turn_text
from memory.models import ConversationEvent
from memory.retrieval.services import embed_query, search
from memory.types import SearchQuery, Strategy

TOP_K = max(CUTS)
PLANNED_ANEW_AFTER = 500  # turns imported
Progress = Callable[[int], object]


@dataclass(frozen=True)
class RefusedQuestion:
    """A question for which search raised an error, by its number in the memory; it counts as a miss."""

    memory: str
    number: int
    code: str


@dataclass
class SearchEvaluation:
    """The answers of both searches to the same questions, in order."""

    finclaw: list[RankedAnswer] = field(default_factory=list)
    bm25: list[RankedAnswer] = field(default_factory=list)
    refused: list[RefusedQuestion] = field(default_factory=list)


@contextmanager
def rolled_back_transaction() -> Iterator[None]:
    """Run in a transaction that is rolled back, however it ends."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def evaluate(
    memories: Sequence[DatasetMemory], strategy: Strategy | None, imported: Progress, asked: Progress
) -> SearchEvaluation:
    """Import all memories, then ask every question of each as its first person.

    All imports come first, because a search sets a time-out and planner options for the rest of its transaction.
    ``imported`` is called with the number of turns of each part, ``asked`` with 1 for each question.
    """
    _import(memories, imported)
    conversations = [_ImportedMemory(people_of(memory.name, memory.people)) for memory in memories]
    evaluation = SearchEvaluation()
    for memory, conversation in zip(memories, conversations, strict=True):
        for question in memory.questions:
            found, milliseconds, code = conversation.ask_finclaw(question.text, strategy)
            evaluation.finclaw.append(RankedAnswer(question.category, ranks_of(found, question.evidence), milliseconds))
            if code:
                evaluation.refused.append(RefusedQuestion(memory.name, question.number, code))
            found, milliseconds = conversation.ask_bm25(question.text)
            evaluation.bm25.append(RankedAnswer(question.category, ranks_of(found, question.evidence), milliseconds))
            asked(1)
    return evaluation


def _import(memories: Sequence[DatasetMemory], imported: Progress) -> None:
    importer, since_planned = ConversationImporter(), 0
    for part in chain.from_iterable(memory.parts for memory in memories):
        importer.add(part)
        imported(len(part.turns))
        since_planned += len(part.turns)
        if since_planned >= PLANNED_ANEW_AFTER:
            _discard_plans()
            since_planned = 0
    _discard_plans()


def _discard_plans() -> None:
    """Discard PostgreSQL's cached plans, which were made for empty tables.

    New statistics would replace a cached plan, but rows of an open transaction get none.
    """
    with connection.cursor() as cursor:
        cursor.execute("DISCARD PLANS")


class _ImportedMemory:
    """An imported memory, searched by its host; results are named by the turns' refs."""

    def __init__(self, cast: SpeakerUsers) -> None:
        self._cast = cast
        self._permit = permit_of(cast.host)
        with acting_as(cast.host.pk):
            turns = list(ConversationEvent.objects.filter(session__user=cast.host).with_clock().order_by("pk"))
        self._refs: dict[UUID, str] = {turn.pk: turn.external_ref for turn in turns}
        self._bm25 = Bm25({turn.external_ref: turn_text(turn) for turn in turns})

    def ask_finclaw(self, text: str, strategy: Strategy | None) -> tuple[list[str], float, str]:
        """The refs found, the milliseconds it took, and the code of the error where there was one."""
        query = SearchQuery(text, ("turn",), group_id=self._cast.group_id, top_k=TOP_K, strategy=strategy)
        with acting_as(self._cast.host.pk):
            started, refs, code = perf_counter(), list[str](), ""
            try:
                refs = [self._refs[hit.id] for hit in search(self._permit, query, embed_query(text)).hits]
            except FinClawError as error:
                code = error.code
            return refs, (perf_counter() - started) * 1000, code

    def ask_bm25(self, text: str) -> tuple[list[str], float]:
        """The refs found and the milliseconds it took."""
        started = perf_counter()
        refs = self._bm25.search(text, TOP_K)
        return refs, (perf_counter() - started) * 1000
