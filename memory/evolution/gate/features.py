"""The features of a sentence that the gate weighs: hashed n-grams and the shape of the sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log1p
from typing import Final

import numpy as np
from numpy.typing import NDArray

from foundation.language import (
    character_ngrams,
    hash_ngrams,
    judged_form,
    split_sentences,
    without_chat_noise,
    word_ngrams,
)
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

CHARACTERS: Final = 1 << 14
WORDS: Final = 1 << 14
BEFORE: Final = 1 << 12
"""The bucket counts of character n-grams, of word n-grams, and of the words of the sentence before."""
HASHED: Final = CHARACTERS + WORDS + BEFORE
LONGEST: Final = 400
"""The most characters of a sentence that are looked at; a longer one is pasted prose."""

_WORDS_LENGTH: Final = 6.0
_BEFORE_LENGTH: Final = 3.0
_SHAPE_SCALE: Final = 0.25
"""The Euclidean length of the vectors of each group of features: with equal regularisation a longer one weighs more."""
_DIGIT: Final = re.compile(r"[0-9]")
_FIRST_PERSON: Final = _WORDS.pattern("first_person")
_SECOND_PERSON: Final = _WORDS.pattern("second_person")
_THIRD_PERSON: Final = _WORDS.pattern("third_person")
_SUPPOSES: Final = _WORDS.pattern("supposes")
_ASKS: Final = _WORDS.pattern("asks")
_QUOTATION_MARKS: Final = re.compile('["“”「」『』]')


@dataclass(frozen=True, slots=True)
class GateSentence:
    """A sentence of a message with its surroundings.

    ``bare`` is its beginning without the noise of chat, ``form`` the judged form of that, ``before`` the one of the
    sentence before, empty for the first; ``quotes_in_message`` counts quotation marks.
    """

    text: str
    bare: str
    form: str
    before: str
    position: int
    of: int
    first_person_in_message: bool
    second_person_in_message: bool
    quotes_in_message: int
    lines_in_message: int


def gate_sentences(message: str) -> list[GateSentence]:
    """The sentences of a message, in order, as the gate judges them."""
    texts = split_sentences(message)
    bare = [without_chat_noise(text[:LONGEST]) for text in texts]
    forms = [judged_form(text) for text in bare]
    joined = " ".join(forms)
    first, second = _FIRST_PERSON.search(joined) is not None, _SECOND_PERSON.search(joined) is not None
    quotes, lines = len(_QUOTATION_MARKS.findall(message)), message.count("\n")
    return [
        GateSentence(text, bare[at], form, before, at, len(texts), first, second, quotes, lines)
        for at, (text, form, before) in enumerate(zip(texts, forms, ["", *forms], strict=False))
    ]


def hashed(sentence: GateSentence) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The sorted, distinct buckets of a sentence's n-grams and their values: two arrays of one length.

    Within a space all values are the same, and its vector has always the same length: a long sentence weighs no more
    than a short one.
    """
    form, before = (_DIGIT.sub("0", text) for text in (sentence.form, sentence.before))
    spaces = (
        ("c", character_ngrams(form), CHARACTERS, 0, _WORDS_LENGTH),
        ("w", word_ngrams(form), WORDS, CHARACTERS, _WORDS_LENGTH),
        ("p", word_ngrams(before), BEFORE, CHARACTERS + WORDS, _BEFORE_LENGTH),
    )
    found = [(hash_ngrams(name, grams, size) + start, weight) for name, grams, size, start, weight in spaces]
    values = [np.full(len(ids), weight / max(1, len(ids)) ** 0.5, np.float32) for ids, weight in found]
    return np.concatenate([ids for ids, _ in found]), np.concatenate(values)


def shape(sentence: GateSentence) -> NDArray[np.float32]:
    """The form of a sentence without its words: shape (25,), each entry between 0 and a half."""
    text, form = sentence.bare, sentence.form
    quotes = len(_QUOTATION_MARKS.findall(text))
    return np.array(
        [
            "?" in text or "？" in text, "!" in text or "！" in text, ":" in text or "：" in text,
            text.endswith((":", "：")), text[:1] in "\"“「『(（【", sentence.text[:1] in "-•*·", quotes > 0, quotes > 1,
            sentence.quotes_in_message > 0, sentence.lines_in_message > 0, sentence.lines_in_message > 2,
            text == text.lower(),
            *_has(form, _FIRST_PERSON, _SECOND_PERSON, _THIRD_PERSON, _SUPPOSES, _ASKS, _DIGIT),
            sentence.first_person_in_message, sentence.second_person_in_message,
            min(len(form), 200) / 100, log1p(len(form)) / 4, sentence.position == 0,
            sentence.position == sentence.of - 1, min(sentence.of, 6) / 6,
        ],
        dtype=np.float32,
    ) * np.float32(_SHAPE_SCALE)  # fmt: skip


def _has(form: str, *patterns: re.Pattern[str]) -> Sequence[bool]:
    return [pattern.search(form) is not None for pattern in patterns]
