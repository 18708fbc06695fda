"""The mood of a sentence: request or condition; Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_REQUEST = _WORDS.pattern("request", re.IGNORECASE)
_CONDITION = _WORDS.pattern("condition", re.IGNORECASE)
_PRECONDITION = _WORDS.pattern("precondition", re.IGNORECASE)


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
