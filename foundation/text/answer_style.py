"""Recognizes text about the style of answers (length, form, plainness), in Chinese and English."""

from __future__ import annotations

import re
from typing import Final

from foundation.language.sentences import split_sentences

ANSWER_STYLE: Final = (
    r"\b(?:answers?|repl(?:y|ies)|responses?|explanations?|summaries|bullet points?|concise|verbose)\b"
    r"|回答|回复|答复|解释|说明|要点|简洁|简短|详细|直接一点|说重点"
)
"""By the words of answers, and of how long and how plain they are."""
_ABOUT_ANSWERS: Final = re.compile(ANSWER_STYLE, re.IGNORECASE)


def mentions_answer_style(text: str) -> bool:
    """Whether any of the text is about the style of answers."""
    return _ABOUT_ANSWERS.search(text) is not None


def is_only_about_answer_style(text: str) -> bool:
    """Whether every sentence is about the style of answers, so that it tells nothing else about its writer."""
    return all(map(mentions_answer_style, split_sentences(text) or [text]))
