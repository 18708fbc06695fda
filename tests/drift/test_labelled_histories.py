"""The detectors on a labelled table of histories, both languages, each window and threshold at its edge (seed A §9.1).

A line of the table: a person's feedback, a thread's theses or a question's updates, oldest first, and the signals that
a careful reader finds in it, by kind and the moments of their two sides. No database.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from drift import stance_lexicon
from drift.configuration import configured_thresholds
from drift.detectors import feedback_signals, reopenings, thesis_reversal
from drift.types import DatedThesis, QuestionHistory, QuestionUpdate, RatedFeedback, Reversal, SignalKind, ThesisHistory
from memory.research.types import CognitionObject

HISTORIES = [
    json.loads(line) for line in Path(__file__).with_name("histories.jsonl").read_text(encoding="utf-8").splitlines()
]
SOL = CognitionObject("asset", "SOL")


def _at(record: dict[str, Any]) -> datetime:
    return datetime.fromisoformat(record["at"])


def _said(record: dict[str, Any]) -> RatedFeedback:
    kind, _, name = record["about"].partition(":")
    about = CognitionObject(kind, name) if name else None
    words = stance_lexicon.configured_lexicon().keywords_in(record["comment"])
    return RatedFeedback(_at(record), record["on"], about, record["rating"], words)


def _feedback(labelled: dict[str, Any]) -> Iterable[Reversal]:
    return feedback_signals(map(_said, labelled["history"]), configured_thresholds())


def _thesis(labelled: dict[str, Any]) -> Iterable[Reversal]:
    theses = tuple(DatedThesis(_at(one), one["text"], f"snapshot:{n}") for n, one in enumerate(labelled["history"]))
    signal = thesis_reversal(ThesisHistory("thread:1", SOL, theses, labelled["changes"]), configured_thresholds())
    return [signal] if signal else []


def _question(labelled: dict[str, Any]) -> Iterable[Reversal]:
    updates = tuple(QuestionUpdate(_at(one), one["state"]) for one in labelled["history"])
    life = QuestionHistory("watch_question:1", "thread:1", SOL, updates)
    return reopenings(life, datetime.fromisoformat(labelled["now"]), configured_thresholds())


_DETECTORS = {"feedback": _feedback, "thesis": _thesis, "question": _question}


def _label(signal: Reversal) -> tuple[str, str, str]:
    return signal.kind, signal.prior.at.isoformat(), signal.current.at.isoformat()


@pytest.mark.parametrize("labelled", HISTORIES, ids=lambda labelled: labelled["name"])
def test_what_a_careful_reader_finds_is_found(labelled: dict[str, Any]) -> None:
    found = _DETECTORS[labelled["detector"]](labelled)

    assert sorted(map(_label, found)) == sorted(
        (one["kind"], one["prior"], one["current"]) for one in labelled["expected"]
    )


def test_the_table_is_large_and_knows_both_languages_and_every_kind() -> None:
    assert len(HISTORIES) >= 98
    assert min(Counter(one["language"] for one in HISTORIES).values()) >= 20
    by_kind = Counter(signal["kind"] for one in HISTORIES for signal in one["expected"])
    assert set(by_kind) == set(get_args(SignalKind))
    assert min(by_kind.values()) >= 5
    assert sum(not one["expected"] for one in HISTORIES) >= 20
