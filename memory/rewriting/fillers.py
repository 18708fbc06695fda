"""Removes openers that add nothing to a sentence: answers ("No, ", "嗯，") and requests to remember it ("请记住，")."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon
from memory.rewriting.protected_spans import overlaps, quoted_spans

_WORDS: Final = read_lexicon(__file__)

_ANSWER: Final = rf"(?:{_WORDS.phrase('answer')})+"
_KEEP: Final = rf"(?:{_WORDS.phrase('keep')})"
_FILLER: Final = re.compile(rf"{_ANSWER}{_KEEP}?|{_KEEP}", re.IGNORECASE)
_INSIDE: Final = _WORDS.of("en").pattern("inside")
_SENTENCE_START: Final = re.compile(r"(?:\A\s*|(?<=[.!?])\s+|(?<=[。！？…\n])\s*)")


def without_fillers(text: str) -> str:
    """``text`` without openers before its sentences and without "um" inside them. Quotations keep theirs, and a text
    that consists of nothing else stays as it is.
    """
    quoted = quoted_spans(text)
    kept: list[str] = []
    read = 0
    for start in _SENTENCE_START.finditer(text):
        if start.end() < read:  # inside what was taken out already: "No. Yes. I do."
            continue
        filler = _FILLER.match(text, start.end())
        if filler and not overlaps(*filler.span(), quoted):
            end = filler.end()
            kept += [text[read : filler.start()], text[end : end + 1].upper()]
            read = end + 1
    told = "".join([*kept, text[read:]])
    return _without_inside(told) if told.strip() else text


def _without_inside(text: str) -> str:
    quoted = quoted_spans(text)
    return _INSIDE.sub(lambda filler: filler[0] if overlaps(filler.start(), filler.end(), quoted) else "", text)
