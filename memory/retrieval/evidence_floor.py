"""Decides whether a hit bears on the question: its evidence must reach a floor, measured for each model and language.
Pure.

    evidence = cosine + .2 · (BM25 / Σ idf of the question) + .1 where the question speaks of its asker
    evidence ≥ floor of the language

The floors stand in ``foundation.embeddings.cosine_floors``.
"""

from __future__ import annotations

import re
from typing import Final

from foundation.embeddings.cosine_floors import measured_floor
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

HELD_WEIGHT: Final = 0.2  # weight of the hit's BM25 as a share of the idf of the question's words
ASKER_WEIGHT: Final = 0.1  # general knowledge is seldom asked for in the first person
_ASKER = _WORDS.pattern("asker", re.IGNORECASE)


def floor_for(model_id: str, question: str) -> float | None:
    """The least evidence that a hit needs, apart from the asker's weight; None for an unmeasured model."""
    floor = measured_floor(model_id, question)
    if floor is None:
        return None
    return floor - ASKER_WEIGHT if _ASKER.search(question) else floor


def bears_on_question(cosine: float | None, held: float, floor: float) -> bool:
    """Whether a hit with this cosine and this share of the question's words stands above ``floor``.

    A hit without a vector of the model is judged by its words alone: ``held`` must be at least a half.
    """
    return held >= 0.5 if cosine is None else cosine + HELD_WEIGHT * held >= floor
