"""Whether a message only supposes something: "if I were rich", "maybe I'll learn to sail"."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import split_sentences
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

LONGEST: Final = 200
"""The most characters of a mere supposition; a longer message states something, whatever it opens with."""
_SUPPOSES: Final = re.compile(
    rf"\W*(?:{_WORDS.of('en').phrase('opens')})?(?:{_WORDS.phrase('supposes')})", re.IGNORECASE
)
_IDLE: Final = re.compile(rf"\W*(?:{_WORDS.phrase('idle')})\W*", re.IGNORECASE)


def is_supposition(text: str) -> bool:
    """Whether every sentence of a message opens with something imagined or in doubt; False for an empty one."""
    if len(text) > LONGEST:
        return False
    sentences = [sentence for sentence in split_sentences(text) if not _IDLE.fullmatch(sentence)]
    return bool(sentences) and all(map(_SUPPOSES.match, sentences))
