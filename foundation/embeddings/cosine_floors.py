"""The least cosine at which a stored text bears on a question, measured for each model and language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from foundation.encoder import E5Embedder
from foundation.language import language_of

FLOORS: Final[Mapping[str, Mapping[str, float]]] = {
    E5Embedder.model_id: {"en": 0.35, "zh": 0.40},
}
"""Chosen with ``python -m bench.paraphrases --tuned`` so that nine in ten questions about nothing stored find nothing;
of questions in other words than the memory .73 (Chinese) to .80 (English) are then answered."""
UNMEASURED_FLOOR: Final = 0.25
"""For a model whose own floor was not measured: with the light model, unrelated texts stay below .2. For a model whose
cosines are all higher this excludes nothing."""


def measured_floor(model_id: str, question: str) -> float | None:
    """The floor of this model for the question's language; None for an unmeasured model."""
    floors = FLOORS.get(model_id)
    return None if floors is None else floors[language_of(question)]


def cosine_floor(model_id: str, question: str) -> float:
    """As ``measured_floor``; ``UNMEASURED_FLOOR`` for an unmeasured model."""
    measured = measured_floor(model_id, question)
    return UNMEASURED_FLOOR if measured is None else measured
