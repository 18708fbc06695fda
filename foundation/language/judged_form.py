"""Rewrites a chat sentence for the classifiers of statements: uniform spelling, first person singular, no noise."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from foundation.language.chat_noise import without_chat_noise
from foundation.language.normalization import normalize
from foundation.language.script import cjk_characters
from foundation.language.tables import Script, written_in

_REPEATED: Final = re.compile(r"([^\W\d_])\1\1++")
_WORD: Final = re.compile(r"[a-z0-9]++(?:'[a-z]++)?+|[^a-z0-9]")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"'})


def judged_form(sentence: str) -> str:
    """The sentence as classifiers of statements (sentences that tell a fact) read it; never stored or shown.

    Beyond ``without_chat_noise``: width, case and script folded, straight quotes, letters said thrice or more once
    ("soooo"), hasty spellings written out, fillers left out, the first person singular throughout ("we", 我们, 本人).
    Linear in the length of the sentence.
    """
    text = normalize(without_chat_noise(sentence)).translate(_QUOTES)
    text = _REPEATED.sub(r"\1", text)
    words = _replacements("alphabetic")
    text = "".join(words.get(token, token) for token in _WORD.findall(text))
    if cjk_characters(text):
        for other, usual in _replacements("cjk").items():
            text = text.replace(other, usual)
    return " ".join(text.split())


@cache
def _replacements(script: Script) -> Mapping[str, str]:
    """What the words of a script's languages are replaced by, in the order of the tables."""
    replaced: dict[str, str] = {}
    for tables in written_in(script):
        replaced |= {**dict.fromkeys(tables.fillers, ""), **tables.spellings, **tables.first_person}
    return replaced
