"""A gate that judges as a test says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from foundation.language import language_of, split_sentences
from memory.evolution import free_statements
from memory.evolution.gate import Band, Judgement


def judgement(band: Band = "remember", kind: str = "fact", change: float = 0.0, own: float = 0.9) -> Judgement:
    """What a gate says of a sentence; the sentence is filled in."""
    return Judgement("", "en", 0.9, own, kind, change, band)


def judge_as(monkeypatch: pytest.MonkeyPatch, sayings: Mapping[str, Judgement]) -> None:
    """Let the gate judge each sentence that holds a key of ``sayings`` so, and every other as teaching nothing."""

    def judge(text: str) -> list[Judgement]:
        return [_judged(sentence.strip(), sayings) for sentence in split_sentences(text)]

    monkeypatch.setattr(free_statements, "judge", judge)


def _judged(sentence: str, sayings: Mapping[str, Judgement]) -> Judgement:
    said = next((one for words, one in sayings.items() if words in sentence), judgement("ignore"))
    return replace(said, sentence=sentence, language=language_of(sentence))
