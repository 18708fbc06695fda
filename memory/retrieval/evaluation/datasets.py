"""Public data sets as conversations to import and questions to ask of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from foundation.text import split_sentences
from memory.importing import locomo
from memory.importing.types import SessionPart, Turn
from memory.importing.validation import text_blocks

DatasetFormat = Literal["locomo", "cmrc"]
_CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}  # 5, adversarial, is not scored
_EVIDENCE = re.compile(r"D:?(\d+):(\d+)")
_CMRC_DAY = datetime(2018, 1, 1, 12, tzinfo=UTC)  # passages have no date; a fixed one keeps figures the same
_CMRC_READER = "读者"


@dataclass(frozen=True)
class Question:
    """``evidence`` holds the refs of the turns that answer it, at least one."""

    text: str
    category: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Memory:
    """One conversation and what is asked of it. Turn refs are unique within it."""

    name: str
    people: tuple[str, ...]
    parts: tuple[SessionPart, ...]
    questions: tuple[Question, ...]


def read_dataset(document: Any, form: DatasetFormat) -> list[Memory]:
    """The memories of a parsed document, those without questions left out."""
    memories = list(_locomo(document) if form == "locomo" else _cmrc(document))
    return [memory for memory in memories if memory.questions]


def evidence_of(raw: Iterable[str], known: Collection[str]) -> tuple[str, ...]:
    """Turn refs of LoCoMo's evidence strings (some hold several, some are misspelt), each once, in order."""
    refs = [f"D{int(session)}:{int(turn)}" for text in raw for session, turn in _EVIDENCE.findall(text)]
    return tuple(dict.fromkeys(ref for ref in refs if ref in known))


def _locomo(document: Any) -> Iterator[Memory]:
    parts = defaultdict(list)
    for record in locomo.read(document).records:
        if isinstance(record, SessionPart):
            parts[record.conversation].append(record)
    for sample in document:
        name = sample["sample_id"]
        own = parts[name]
        yield Memory(name, own[0].people, tuple(own), tuple(_questions(sample["qa"], own)))


def _questions(raw: Iterable[dict[str, Any]], parts: Sequence[SessionPart]) -> Iterator[Question]:
    known = {turn.ref for part in parts for turn in part.turns}
    for one in raw:
        evidence = evidence_of(one.get("evidence", ()), known)
        category = _CATEGORIES.get(one["category"])
        if category and evidence:
            yield Question(one["question"], category, evidence)


def _cmrc(document: Any) -> Iterator[Memory]:
    """Every passage is a session of one person's, every sentence a turn; all of them are one memory."""
    passages = [passage for article in document["data"] for passage in article["paragraphs"]]
    sentences = {passage["id"]: list(located_sentences(passage["context"])) for passage in passages}
    parts = tuple(_passage(name, located) for name, located in sentences.items())
    questions = [question for passage in passages for question in _asked(passage, sentences[passage["id"]])]
    yield Memory("cmrc", (_CMRC_READER,), parts, tuple(questions))


def located_sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences of ``text`` and where each begins."""
    end = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        yield start, sentence


def _passage(name: str, sentences: Iterable[tuple[int, str]]) -> SessionPart:
    turns = (
        Turn(_ref(name, at), _CMRC_READER, "user", text_blocks(sentence), _CMRC_DAY)
        for at, (_, sentence) in enumerate(sentences)
    )
    return SessionPart("cmrc", (_CMRC_READER,), name, tuple(turns))


def _asked(passage: dict[str, Any], sentences: Sequence[tuple[int, str]]) -> Iterator[Question]:
    for one in passage["qas"]:
        begins = one["answers"][0]["answer_start"]
        holding = [at for at, (start, sentence) in enumerate(sentences) if start <= begins < start + len(sentence)]
        if holding:
            yield Question(one["question"], "sentence", (_ref(passage["id"], holding[0]),))


def _ref(passage: str, number: int) -> str:
    return f"{passage}:{number}"
