"""Whether a sentence names its source, by the forms in which sources are cited; Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_ORGAN = _WORDS.of("zh").phrase("organ")
_KNOWN = _WORDS.of("zh").phrase("known")
_PAPER_ZH = _WORDS.of("zh").phrase("paper")
_CLOSING: Final = re.compile(  # the closing bracket of a sentence: a day and usually a name
    rf"[(（](?:source[:：]? ?|来源[:：]? ?)?(?:(?=[^()（）]*\d)(?=[^()（）]*(?:(?:19|20)\d\d"
    rf"|月\s*\d+\s*[日号]))(?-i:(?=[^a-z]))[^()（）]+"
    rf"|10-[kq]|8-k|20-f|(?-i:[A-Z])[a-z]\w+(?: (?-i:[A-Z])\w+)* ?(?:filings?|report)?"
    rf"|[^()（）]{{0,12}}(?:{_ORGAN}|{_KNOWN}|{_PAPER_ZH}))"
    r"[)）]\W*$|\((?:company|annual|quarterly) (?:filing|report|press release)[^)]*\)\W*$"
    r"|\([^()]*\b(?:filings?|press release|report|transcript)\b[^()]*\d{4}\)\W*$",
    re.IGNORECASE,
)
_ENGLISH: Final = _WORDS.of("en").pattern("english", re.IGNORECASE)
_CHINESE: Final = _WORDS.of("zh").pattern("chinese")


def names_source(sentence: str) -> bool:
    """Whether a sentence cites a source: who said it, the paper it is in, or a closing bracket with a name or a day."""
    return any(shape.search(sentence) for shape in (_CLOSING, _ENGLISH, _CHINESE))
