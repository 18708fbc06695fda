"""Extractive summaries: the sentences of a text that term statistics choose, quoted letter for letter.

They stand in for a model's summary. The choice is statistical: it takes the sentences that together cover most of the
terms of the text, in Chinese and English alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heapreplace
from typing import Final

from foundation.language import split_sentences
from foundation.text import estimate_tokens, tokenize
from memory.models import ConversationEvent
from memory.types import TranscriptLine

SENTENCE_CHARS: Final = 160
"""The most characters of a quoted sentence; of a longer one its beginning is quoted."""

ASSISTANT_VOICE: Final = 0.5
"""The weight of the assistant's sentences, beside 1 for users': the assistant can say its own again."""


@dataclass(frozen=True, slots=True)
class ExtractSentence:
    """A sentence that may be chosen.

    ``written`` is its text in the summary, ``size`` the length of that in the unit of the available room, ``terms`` are
    the index terms it contains, and ``voice`` is a factor of its weight.
    """

    written: str
    size: int
    terms: frozenset[str]
    voice: float = 1.0


def extract(lines: Iterable[TranscriptLine], room: int) -> str:
    """The best sentences of these messages within ``room`` tokens, in order, each behind its speaker's name."""
    return _written_extract([sentence for line in lines for sentence in _spoken_sentences(line)], room)


def select_best_lines(texts: Iterable[str], room: int) -> str:
    """The best lines of these texts within ``room`` tokens, in order."""
    return _written_extract([extract_sentence(line) for text in texts for line in text.split("\n")], room)


def sentences_of(text: str) -> list[str]:
    """The sentences of a text, each in one line of at most ``SENTENCE_CHARS``."""
    return [_beginning(sentence) for sentence in split_sentences(text)]


def extract_sentence(sentence: str, written: str = "", voice: float = 1.0) -> ExtractSentence:
    """A sentence to choose from, ``written`` as it stands unless told otherwise, and sized by its tokens."""
    written = written or sentence
    return ExtractSentence(written, estimate_tokens(written), frozenset(tokenize(sentence)), voice)


def best_sentences(passages: Sequence[ExtractSentence], room: int) -> list[int]:
    """The places of the sentences that together cover the most weight of terms within ``room``, in order.

    Greedy: each step takes the sentence that adds the most weight for the square root of its length. A term counts
    once, and a sentence that adds nothing is never taken. By the length itself the shortest would always win.
    """
    weights = _weights(passages)
    chosen, covered = set[int](), set[str]()
    # What a sentence adds can only shrink as others are chosen: an earlier value is an upper bound for it.
    most = [
        (-_gain(sentence, weights, covered), at) for at, sentence in enumerate(passages) if 0 < sentence.size <= room
    ]
    heapify(most)
    while most:
        gain, at = most[0]
        now = -_gain(passages[at], weights, covered) if passages[at].size <= room else 0.0
        if not now:
            heappop(most)
        elif now > gain:
            heapreplace(most, (now, at))
        else:
            heappop(most)
            chosen.add(at)
            covered |= passages[at].terms
            room -= passages[at].size
    return sorted(chosen)


def _written_extract(passages: Sequence[ExtractSentence], room: int) -> str:
    return "\n".join(passages[at].written for at in best_sentences(passages, room))


def _weights(passages: Sequence[ExtractSentence]) -> Mapping[str, float]:
    """The weight of each term: the logarithm of its frequency times that of its inverse frequency over the passages.

    So repeated terms matter, and terms that occur everywhere do not.
    """
    frequency = Counter(term for passage in passages for term in passage.terms)
    return {term: math.log1p(held) * math.log1p(len(passages) / held) for term, held in frequency.items()}


def _gain(passage: ExtractSentence, weights: Mapping[str, float], covered: set[str]) -> float:
    added = passage.voice * sum(weights[term] for term in passage.terms - covered)
    return added / math.sqrt(passage.size)


def _spoken_sentences(line: TranscriptLine) -> list[ExtractSentence]:
    voice = ASSISTANT_VOICE if line.role == ConversationEvent.Role.ASSISTANT else 1.0
    return [extract_sentence(sentence, f"{line.speaker}: “{sentence}”", voice) for sentence in sentences_of(line.text)]


def _beginning(sentence: str) -> str:
    sentence = " ".join(sentence.split())
    return sentence if len(sentence) <= SENTENCE_CHARS else sentence[: SENTENCE_CHARS - 1].rstrip() + "…"
