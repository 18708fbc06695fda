"""Whether a sentence can be understood by itself, and is about its speaker."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_OUTSIDE_EN: Final = _WORDS.of("en").pattern("outside", re.IGNORECASE)
_OUTSIDE_ZH: Final = _WORDS.of("zh").pattern("outside")
_ADDRESSED: Final = _WORDS.pattern("addressed", re.IGNORECASE)
_SPEAKER: Final = _WORDS.pattern("speaker", re.IGNORECASE)


def refers_outside(sentence: str) -> bool:
    """Whether a sentence refers to something in another sentence, or is about "you" alone.

    It opens with "it", "they", 他, 这 and the like and does not say what that is ("this is my ..."), or it speaks of
    "you" and not of its speaker.
    """
    if _ADDRESSED.search(sentence) and not _SPEAKER.search(sentence):
        return True
    return _OUTSIDE_EN.match(sentence) is not None or _OUTSIDE_ZH.match(sentence) is not None
