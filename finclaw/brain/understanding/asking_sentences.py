"""The sentences of a message that ask or request something, and whether they say by themselves what about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from finclaw.brain.understanding.sentence_mood import is_request
from finclaw.brain.understanding.work_requests import outer_sentences, requests_politely
from foundation.language import (
    ParsedMessage,
    asks_something,
    courtesy_in,
    ends_with_question_mark,
    is_question,
    normalize,
    straighten_apostrophes,
)
from foundation.lexicon import read_lexicon
from foundation.text import estimate_tokens, tokenize
from memory.historian.anaphora import references
from memory.rewriting.absoluteness_checks import violations

_CLAUSE: Final = re.compile("[,;，；]")
_WORDS: Final = read_lexicon(__file__)
_BIDDEN: Final = _WORDS.pattern("bidden")
_GOES_ON: Final = _WORDS.pattern("goes_on")
_SPEAKER: Final = _WORDS.pattern("speaker")
_QUESTION_WORD: Final = _WORDS.pattern("question_words")
_THAT: Final = _WORDS.of("en").pattern("that", re.IGNORECASE)
_THIRD_PERSON: Final = _WORDS.pattern("third_person")
NAMED_THING_TERMS: Final = 4
"""Index terms before a word such as "it": with so many the message itself has named what it stands for."""
FRAGMENT_TERMS: Final = 4  # index terms; a longer question is no fragment
SHORT_TOKENS: Final = 40
"""A message of at most so many tokens names too little to search for by its own words alone."""


def asking_sentences(message: ParsedMessage) -> list[str]:
    """The first and last sentences of a message that ask or request something; none of one that only tells."""
    return [sentence for sentence in outer_sentences(message) if asks_something(sentence) or is_asked_for(sentence)]


def is_asked_for(sentence: str) -> bool:
    """Whether a sentence requests something, with a verb that bids or politely."""
    said = straighten_apostrophes(normalize(sentence))
    return is_request(sentence) or requests_politely(sentence) or _BIDDEN.match(said) is not None


def relies_on_history(message: ParsedMessage, asking: Sequence[str]) -> bool:
    """Whether what a message asks is only understood after what was said before it: "the other one?", "那上海呢？".

    Where the message itself named enough before a word such as "it", the word stands for that.
    """
    told = ""
    for sentence in outer_sentences(message):
        if courtesy_in(sentence):
            continue
        if sentence in asking and (_points_back(sentence, told) or (not told and _is_fragment(sentence))):
            return True
        told += f"{sentence} "
    return False


def is_brief(message: ParsedMessage) -> bool:
    """Whether a message is so short that its own words find little of what an answer needs."""
    return estimate_tokens(message.text) <= SHORT_TOKENS


def is_about_speaker(sentence: str) -> bool:
    """Whether what a sentence asks is about its speaker; being told or given something does not make it so."""
    clauses = _CLAUSE.split(sentence)
    asking = [clause for clause in clauses if asks_something(clause) or is_asked_for(clause)]
    return any(_SPEAKER.search(normalize(clause)) for clause in asking or clauses)


def _points_back(sentence: str, before: str) -> bool:
    said = sentence.rstrip("?？!！。. ")
    places = [found.start() for found in references(said) if not _QUESTION_WORD.match(found.group().casefold())]
    places += [found.start() for found in _THAT.finditer(said)]
    places += [word.start for word in violations(said) if _THIRD_PERSON.match(word.text.casefold())]
    return bool(places) and len(tokenize(f"{before} {said[: min(places)]}")) < NAMED_THING_TERMS


def _is_fragment(sentence: str) -> bool:
    """Whether a question goes on from another, or is one by its mark alone: "And Berlin?", "Tuesday?"."""
    if _GOES_ON.match(normalize(sentence)):
        return True
    is_short = len(tokenize(sentence)) <= FRAGMENT_TERMS
    return is_short and ends_with_question_mark(sentence) and not is_question(sentence.rstrip("?？!！ "))
