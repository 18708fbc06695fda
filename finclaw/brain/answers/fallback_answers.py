"""The answer of the offline model where the language model failed: from memory, and saying why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from foundation.language import Language, answer_language
from foundation.lexicon import read_lexicon
from foundation.llm import ModelUnavailable, Prompt, Reply, model_id_for
from foundation.llm.offline_model import OFFLINE_MODEL_ID, OfflineModel
from foundation.llm.prompt_elements import preferred_language
from foundation.telemetry.degradations import report_degraded

MODEL_UNAVAILABLE: Final = ModelUnavailable.code
"""The degraded reason of an answer that was given in place of the language model's."""
_WORDS: Final = read_lexicon(__file__)
_FAILED: Final = _WORDS.sentence("failed")
_REASONS: Final = _WORDS.by_language("reasons")
Piece = TypeVar("Piece")


@dataclass(frozen=True)
class Interruption:
    """Marks where in a stream a model failed. The pieces before it are dropped; the large model's answer, or one from
    memory, follows. A turn may have two.
    """

    error: ModelUnavailable


def one_answer(pieces: Iterable[Piece | Interruption]) -> Iterator[Piece]:
    """The pieces of a stream for who cannot take back what was sent: if a model fails once some of its answer was, its
    error is raised. Nothing of the turn is stored then.
    """
    has_begun = False
    for piece in pieces:
        if not isinstance(piece, Interruption):
            has_begun = has_begun or bool(piece)
            yield piece
        elif has_begun:
            raise piece.error


def answer_without_model(prompt: Prompt, error: ModelUnavailable) -> Reply:
    """What can be answered from the prompt alone, after the sentence that says which model failed, and how."""
    report_degraded(MODEL_UNAVAILABLE)
    answer = OfflineModel().call(prompt, OFFLINE_MODEL_ID)
    said = describe_failure(error, answer_language(prompt.question, preferred_language(prompt)))
    return replace(answer, text=f"{said}\n\n{answer.text}", degraded=(MODEL_UNAVAILABLE, *answer.degraded))


def describe_failure(error: ModelUnavailable, language: Language) -> str:
    """Which model could not be reached, and why."""
    reasons = _REASONS[language]
    why = reasons.get(error.reason, reasons["other"])
    return _FAILED[language].format(model=error.details.get("model") or model_id_for("large"), why=why)
