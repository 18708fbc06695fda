"""FinClaw's search against bm25s, chromadb and mem0: one interleaved run over LoCoMo's questions.

    python -m bench.retrieval --data FOLDER

Every system holds the same texts. The questions are shuffled and each is put to all systems in turn, so that
whatever slows the machine slows all of them; the time includes embedding the question.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING
from uuid import UUID

from bench.data import load_locomo
from bench.report import publish
from bench.runner import measured_database, parse_arguments, set_up_django

if TYPE_CHECKING:
    from bench.peers import System, Texts
    from memory.evaluation.retrieval.datasets import DatasetMemory, DatasetQuestion
    from memory.evaluation.retrieval.metrics import RankedAnswer
    from memory.importing.imported_people import SpeakerUsers

TOP_K = 20
WARM_UP = 5
SEED = 0
_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "MEM0_TELEMETRY": "false",
    "ANONYMIZED_TELEMETRY": "false",
    "LOG_LEVEL": "WARNING",
}


class FinClaw:
    """The product's own search, as the first person of each conversation and under row-level security."""

    name = "FinClaw"

    def __init__(self, memories: Sequence[DatasetMemory]) -> None:
        from memory.importing.imported_people import people_of, permit_of
        from memory.importing.services import ConversationImporter

        importer = ConversationImporter()
        for memory in memories:
            for part in memory.parts:
                importer.add(part)
        self._casts: dict[str, SpeakerUsers] = {
            memory.name: people_of(memory.name, memory.people) for memory in memories
        }
        self._permits = {name: permit_of(cast.host) for name, cast in self._casts.items()}
        self._refs: dict[UUID, str] = {}

    def texts(self, conversation: str) -> Texts:
        """What FinClaw embeds of each turn: the peers are given the same."""
        from foundation.database.acting_user import acting_as
        from memory.indexing.documents import turn_text
        from memory.models import ConversationEvent

        host = self._casts[conversation].host
        with acting_as(host.pk):
            turns = list(ConversationEvent.objects.filter(session__user=host).select_related("session", "user"))
        self._refs |= {turn.pk: turn.external_ref for turn in turns}
        return {turn.external_ref: turn_text(turn) for turn in turns}

    def add(self, conversation: str, texts: Texts) -> None:
        """The importer did."""

    def ask(self, conversation: str, question: str, top_k: int) -> list[str]:
        from foundation.database.acting_user import acting_as
        from memory.retrieval.services import embed_query, search
        from memory.types import SearchQuery

        cast = self._casts[conversation]
        query = SearchQuery(question, ("turn",), group_id=cast.group_id, top_k=top_k)
        embedded = embed_query(question)
        with acting_as(cast.host.pk):
            found = search(self._permits[conversation], query, embedded)
        return [self._refs[hit.id] for hit in found.hits]


def measure(memories: Sequence[DatasetMemory], database: str) -> dict[str, dict[str, float]]:
    """Quality and times by system; FinClaw's row also holds its ratios to mem0."""
    from memory.evaluation.retrieval.metrics import summarize

    finclaw = FinClaw(memories)
    systems: list[System] = [finclaw, *_peers(database)]
    for memory in memories:
        texts = finclaw.texts(memory.name)
        for system in systems:
            system.add(memory.name, texts)
    answers = _ask_all(systems, memories)
    return {name: dict(summarize(given).as_json()) for name, given in answers.items()}


def _peers(database: str) -> list[System]:
    from bench.peers import Bm25s, Chroma, Mem0, minilm

    model, path = minilm()
    return [Bm25s(), Chroma(model), Mem0(_superuser_url(database), path)]


def _superuser_url(database: str) -> str:
    from django.conf import settings

    from foundation.database.embedded_server import SUPERUSER, EmbeddedServer

    return f"host={EmbeddedServer(settings.DATA_DIR).sockets} port=5432 user={SUPERUSER} dbname={database}"


def _ask_all(systems: Sequence[System], memories: Sequence[DatasetMemory]) -> Mapping[str, list[RankedAnswer]]:
    asked = [(memory.name, question) for memory in memories for question in memory.questions]
    shuffler = random.Random(SEED)
    shuffler.shuffle(asked)
    for conversation, question in asked[:WARM_UP]:
        for system in systems:
            system.ask(conversation, question.text, TOP_K)
    answers: dict[str, list[RankedAnswer]] = {system.name: [] for system in systems}
    for conversation, question in asked:
        for system in shuffler.sample(systems, len(systems)):
            answers[system.name].append(_ask(system, conversation, question))
    return answers


def _ask(system: System, conversation: str, question: DatasetQuestion) -> RankedAnswer:
    from memory.evaluation.retrieval.metrics import RankedAnswer, ranks_of

    started = perf_counter()
    found = system.ask(conversation, question.text, TOP_K)
    milliseconds = (perf_counter() - started) * 1000
    return RankedAnswer(question.category, ranks_of(found, question.evidence), milliseconds)


def _with_ratios(figures: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    ours = figures[FinClaw.name]
    ratios = {
        f"FinClaw / {name}": {key: round(ours[key] / value, 3) for key, value in theirs.items() if value}
        for name, theirs in figures.items()
        if theirs is not ours
    }
    return figures | ratios


def _one_thread() -> None:
    import torch

    torch.set_num_threads(1)


def main() -> None:
    """Run on a scratch database, print the table, write the figures."""
    document = load_locomo(parse_arguments(__doc__, data=True).data)
    set_up_django(_ENVIRONMENT)
    try:
        _one_thread()
    except ImportError:
        sys.exit("The peers are not installed: pip install -r requirements-bench.lock")
    with measured_database() as database:
        from memory.evaluation.retrieval.datasets import read_dataset

        figures = measure(read_dataset(document, "locomo"), database)
    publish("retrieval", "LoCoMo: retrieval against peers", _with_ratios(figures))


if __name__ == "__main__":
    main()
