"""The form of a chat sentence in which statements are judged: one spelling, one person, no noise."""

from __future__ import annotations

import re
from typing import Final

from foundation.language import words_en, words_zh
from foundation.language.chat_noise import without_chat_noise
from foundation.text import cjk_characters, normalize

_REPEATED: Final = re.compile(r"([^\W\d_])\1\1++")
_WORD: Final = re.compile(r"[a-z0-9]++(?:'[a-z]++)?+|[^a-z0-9]")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "「": '"', "」": '"', "『": '"', "』": '"'})
_WORDS: Final = words_en.SPELLINGS | words_en.FIRST_PERSON | dict.fromkeys(words_en.FILLERS, "")


def judged_form(sentence: str) -> str:
    """The sentence as judges of statements read it, never as it is stored or shown.

    Beyond ``without_chat_noise``: width, case and script folded, straight quotes, letters said thrice or more once
    ("soooo"), hasty spellings written out, fillers left out, the first person singular throughout ("we", 我们, 本人).
    Linear in the length of the sentence.
    """
    text = normalize(without_chat_noise(sentence)).translate(_QUOTES)
    text = _REPEATED.sub(r"\1", text)
    text = "".join(_WORDS.get(token, token) for token in _WORD.findall(text))
    if cjk_characters(text):
        for filler in words_zh.FILLERS:
            text = text.replace(filler, "")
        for other, singular in words_zh.FIRST_PERSON:
            text = text.replace(other, singular)
    return " ".join(text.split())
