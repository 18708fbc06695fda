"""Normalizes the spelling of a sentence for the boundary's patterns."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from finclaw.brain.boundary.lexicon import any_of, chinese_words, english_words
from foundation.sanitization.services import fold_for_patterns

_CAPITALS: Final = re.compile(r"(?<![A-Za-z0-9$.])[A-Z]{1,8}(?![A-Za-z])")
_ANY_SMALL: Final = re.compile(r"[a-z\u4e00-\u9fff]")


def normalize_spelling(sentence: str) -> str:
    """The sentence folded and single-spaced, with a ``$`` before what is written like a ticker: ``buy NVDA`` → ``buy
    $nvda``.

    A sentence all in capitals marks nothing.
    """
    marked = _CAPITALS.sub(_mark_ticker, sentence) if _ANY_SMALL.search(sentence) else sentence
    return " ".join(fold_for_patterns(marked).replace("’", "'").split())


def speaks_of_acting(text: str) -> bool:
    """Whether a text holds a word of acting at all; ordinary research does not, and needs no second look."""
    return _suspect_pattern().search(normalize_spelling(text)) is not None


@cache
def _suspect_pattern() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{any_of(english_words().suspects)})\b|{any_of(chinese_words().suspects)}")


def _mark_ticker(found: re.Match[str]) -> str:
    return found.group() if found.group() in english_words().not_tickers else f"${found.group()}"
