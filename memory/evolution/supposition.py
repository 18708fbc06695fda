"""Whether a message only supposes something: "if I were rich", "maybe I'll learn to sail"."""

from __future__ import annotations

import re
from typing import Final

from foundation.text import split_sentences

LONGEST: Final = 200
"""The most characters of a mere supposition; a longer message states something, whatever it opens with."""
_SUPPOSES: Final = re.compile(
    r"\W*(?:(?:well|and|but|so|oh),? )?"
    r"(?:(?:maybe|perhaps|possibly|if only|if|suppose|supposing|imagine|let'?s say|were i)\b"
    r"|i (?:might|may|wish|could)\b(?! not\b)"
    r"|(?:也许|可能|或许|说不定|没准|大概|兴许|如果|假如|要是|假设|倘若|若是|万一)|我(?:也许|可能|或许|说不定|没准|大概|兴许))",
    re.IGNORECASE,
)
_IDLE: Final = re.compile(r"\W*(?:we'?ll see|who knows|just dreaming|再看吧?|再说吧?|谁知道呢?)\W*", re.IGNORECASE)


def is_supposition(text: str) -> bool:
    """Whether every sentence of a message opens with something imagined or in doubt; False for an empty one."""
    if len(text) > LONGEST:
        return False
    sentences = [sentence for sentence in split_sentences(text) if not _IDLE.fullmatch(sentence)]
    return bool(sentences) and all(map(_SUPPOSES.match, sentences))
