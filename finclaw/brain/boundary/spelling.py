"""Normalizes the spelling of a sentence for the boundary's patterns."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from finclaw.brain.boundary.lexicon import any_of, chinese_words, english_words
from foundation.language import split_sentences
from foundation.sanitization.services import fold_for_patterns, fold_lines

_CAPITALS: Final = re.compile(r"[A-Z](?<![A-Za-z0-9$.][A-Z])[A-Z]{0,7}(?![A-Za-z])")
_ANY_SMALL: Final = re.compile(r"[a-z\u4e00-\u9fff]")


def normalize_spelling(sentence: str) -> str:
    """The sentence folded and single-spaced, with a ``$`` before what is written like a ticker: ``buy NVDA`` → ``buy
    $nvda``.

    A sentence all in capitals marks nothing.
    """
    return _single_spaced(fold_for_patterns(_mark_tickers(sentence)))


def normalize_sentences(text: str) -> list[str]:
    """The sentences of a text, each as ``normalize_spelling`` writes it."""
    return list(map(_single_spaced, fold_lines(map(_mark_tickers, split_sentences(text)))))


def _single_spaced(folded: str) -> str:
    return " ".join(folded.replace("’", "'").split())


def speaks_of_acting(text: str) -> bool:
    """Whether a text holds a word of acting at all; ordinary research does not, and needs no second look."""
    return _suspect_pattern().search(normalize_spelling(text)) is not None


@cache
def _suspect_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_of(english_words().suspects)})\b|{any_of(chinese_words().suspects)}")


def _mark_tickers(sentence: str) -> str:
    return _CAPITALS.sub(_mark_ticker, sentence) if _ANY_SMALL.search(sentence) else sentence


def _mark_ticker(found: re.Match[str]) -> str:
    return found.group() if found.group() in _not_tickers() else f"${found.group()}"


@cache
def _not_tickers() -> frozenset[str]:
    return english_words().not_tickers
