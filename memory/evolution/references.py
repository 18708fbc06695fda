"""Whether a sentence can be understood by itself, and is about its speaker."""

from __future__ import annotations

import re
from typing import Final

_OPENER: Final = r"(?:so|and|but|also|then|plus|well|yeah|yes|ok|okay|oh|honestly|actually|because)"
_OUTSIDE: Final = re.compile(
    rf"^\W*+(?:{_OPENER}\W++)*+(?:it|they|he|she|that|this|these|those|there)(?:['’](?:s|re|ve|ll|d))?+\b"
    r"(?! (?:(?:is|are|was|were|will be|would be|has been) )?+(?:my|our|mine|ours|why|how|when|where)\b)"
    r"(?! (?:year|month|week|morning|afternoon|evening|summer|winter|autumn|fall|spring|weekend|term|quarter)\b)",
    re.IGNORECASE,
)
_OUTSIDE_CHINESE: Final = re.compile(
    r"^\W*+(?:所以|而且|但是?|不过|然后|因为|其实|对|嗯)?+[，,\s]*+"
    r"(?:它们?|[他她]们?|这(?!周|个?月|几|两|学期|年|辈子|次|里|边|是我)|那(?!年|时|天|段|阵|是我))"
)
_ADDRESSED: Final = re.compile(r"\b(?:you|your|yourself)\b|[你您]", re.IGNORECASE)
_SPEAKER: Final = re.compile(r"\b(?:i|im|me|my|mine|myself|we|us|our|ours)\b|[我咱俺]", re.IGNORECASE)


def points_outside(sentence: str) -> bool:
    """Whether a sentence refers to something in another sentence, or is about "you" alone.

    It opens with "it", "they", 他, 这 and the like and does not say what that is ("this is my ..."), or it speaks of
    "you" and not of its speaker.
    """
    if _ADDRESSED.search(sentence) and not _SPEAKER.search(sentence):
        return True
    return _OUTSIDE.match(sentence) is not None or _OUTSIDE_CHINESE.match(sentence) is not None
