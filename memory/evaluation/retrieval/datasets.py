"""Reads public data sets as conversations to import and questions to ask of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from foundation.language import split_sentences
from memory.importing import locomo
from memory.importing.types import ImportedTurn, SessionPart
from memory.importing.validation import text_blocks

DatasetFormat = Literal["locomo", "cmrc"]
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}  # 5, adversarial, is not scored
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_CMRC_DAY = datetime(2018, 1, 1, 12, tzinfo=UTC)  # passages have no date; a fixed one keeps figures the same
_CMRC_READER = "读者"


@dataclass(frozen=True)
class DatasetQuestion:
    """A question; ``evidence`` holds the refs of the turns that answer it, at least one.

    ``number`` counts the memory's questions in the document's order from 1, including those that are not asked.
    """

    number: int
    text: str
    category: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class DatasetMemory:
    """A conversation and the questions asked of it. Turn refs are unique within it.

    ``refused_turns`` could not be imported; questions that they answer are asked all the same.
    """

    name: str
    people: tuple[str, ...]
    parts: tuple[SessionPart, ...]
    questions: tuple[DatasetQuestion, ...]
    refused_turns: int = 0


def recognized_format(document: Any) -> DatasetFormat | None:
    """The format of a parsed document: LoCoMo's conversations, or CMRC's articles in ``data``."""
    if isinstance(document, dict) and isinstance(document.get("data"), list):
        return "cmrc"
    samples = _read_samples(document)
    is_locomo = bool(samples) and all(isinstance(sample, dict) and "conversation" in sample for sample in samples)
    return "locomo" if is_locomo else None


def read_dataset(document: Any, form: DatasetFormat) -> list[DatasetMemory]:
    """The memories of a parsed document, those without questions left out."""
    memories = list(_read_locomo(document) if form == "locomo" else _read_cmrc(document))
    return [memory for memory in memories if memory.questions]


def evidence_of(raw: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """The turn refs in LoCoMo's evidence strings (some hold several, some are misspelt), each once, in order."""
    refs = [f"D{int(session)}:{int(turn)}" for text in raw for session, turn in _EVIDENCE.findall(text)]
    return tuple(dict.fromkeys(ref for ref in refs if ref in known))


def _read_samples(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _read_locomo(document: Any) -> Iterator[DatasetMemory]:
    for sample in _read_samples(document):
        records = list(locomo.read(sample).records)
        parts = tuple(record for record in records if isinstance(record, SessionPart))
        known = {turn["dia_id"] for turn in _raw_turns(sample["conversation"])}
        if parts:
            questions = tuple(_read_questions(sample["qa"], known))
            refused = known - {turn.ref for part in parts for turn in part.turns}
            yield DatasetMemory(str(sample["sample_id"]), parts[0].people, parts, questions, len(refused))


def _raw_turns(conversation: dict[str, Any]) -> list[dict[str, Any]]:
    """All turns of the document, also those that the import refuses: as evidence they count as not found."""
    return [turn for value in conversation.values() if isinstance(value, list) for turn in value]


def _read_questions(raw: Iterable[dict[str, Any]], known: Collection[str]) -> Iterator[DatasetQuestion]:
    for number, question in enumerate(raw, 1):
        evidence = evidence_of(question.get("evidence", ()), known)
        category = _CATEGORIES.get(question["category"])
        if category and evidence:
            yield DatasetQuestion(number, question["question"], category, evidence)


def _read_cmrc(document: Any) -> Iterator[DatasetMemory]:
    """Read CMRC: every passage is a session of one user, every sentence a turn; all of them are one memory."""
    passages = [passage for article in document["data"] for passage in article["paragraphs"]]
    sentences = {passage["id"]: list(located_sentences(passage["context"])) for passage in passages}
    parts = tuple(_session_of_passage(name, located) for name, located in sentences.items())
    asked = [(passage["id"], question) for passage in passages for question in passage["qas"]]
    questions = [
        DatasetQuestion(number, question["question"], "sentence", (_turn_ref(name, at),))
        for number, (name, question) in enumerate(asked, 1)
        if (at := _answering_sentence(question, sentences[name])) is not None
    ]
    yield DatasetMemory("cmrc", (_CMRC_READER,), parts, tuple(questions))


def located_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of ``text``, each with its position."""
    end = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        yield start, sentence


def _session_of_passage(name: str, sentences: Iterable[tuple[int, str]]) -> SessionPart:
    turns = (
        ImportedTurn(_turn_ref(name, at), _CMRC_READER, "user", text_blocks(sentence), _CMRC_DAY)
        for at, (_, sentence) in enumerate(sentences)
    )
    return SessionPart("cmrc", (_CMRC_READER,), name, tuple(turns))


def _answering_sentence(asked: dict[str, Any], sentences: Sequence[tuple[int, str]]) -> int | None:
    """The number of the sentence in which the first given answer begins."""
    begins = asked["answers"][0]["answer_start"]
    return next((at for at, (start, text) in enumerate(sentences) if start <= begins < start + len(text)), None)


def _turn_ref(passage: str, number: int) -> str:
    return f"{passage}:{number}"
