"""The mood of a sentence: question, request or condition; Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_MARKED = re.compile(r"[?？]\W{0,40}$")
_ASKED_EN = _WORDS.of("en").pattern("asked", re.IGNORECASE)
_ASKED_ZH = _WORDS.of("zh").pattern("asked")
_NOT_ASKED_ZH = _WORDS.of("zh").pattern("not_asked")
_REQUEST = _WORDS.pattern("request", re.IGNORECASE)
_CONDITION = _WORDS.pattern("condition", re.IGNORECASE)
_PRECONDITION = _WORDS.pattern("precondition", re.IGNORECASE)


def is_question(sentence: str) -> bool:
    """Whether a sentence is a question, with or without a question mark."""
    if _MARKED.search(sentence) or _ASKED_EN.search(sentence):
        return True
    return _ASKED_ZH.search(sentence) is not None and _NOT_ASKED_ZH.search(sentence) is None


def is_request(sentence: str) -> bool:
    """Whether a sentence asks for work to be done."""
    return _REQUEST.search(sentence) is not None


def opens_with_request(sentence: str) -> bool:
    """Whether a sentence begins with a request: then what follows its colon is material."""
    return _REQUEST.match(sentence) is not None


def condition_in(sentence: str) -> re.Match[str] | None:
    """The match of a condition in the sentence, None without one."""
    return _CONDITION.search(sentence)


def is_precondition(sentence: str) -> bool:
    """Whether a condition must be met before acting, rather than end what was thought."""
    return condition_in(sentence) is not None and _PRECONDITION.search(sentence) is not None
