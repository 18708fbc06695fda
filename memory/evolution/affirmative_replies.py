"""Turns a "yes" to the assistant's question into the statement that the question asks about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from foundation.language import (
    language_of,
    split_sentences,
)
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

_YES = re.compile(
    rf"^\s*(?:(?:{_WORDS.phrase('yes_1')})[\s,.!，。！、]*+)+(?!{_WORDS.phrase('yes_2')})(?:$|(?<=[,.!，。！、\s]))",
    re.IGNORECASE,
)
_RECALLS = _WORDS.pattern("recalls", re.IGNORECASE)
_AS_STATEMENT_EN = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"^(?:ok(?:ay)?|so|and|then|got it|understood)[,.\s]+", ""),
        (
            r"^(?:should|shall|can|may) I (?:please )?|^(?:do you want|would you like) me to |"
            r"^is it (?:right|true|correct) that ",
            "",
        ),
        (r",? (?:right|correct|is that right|is that correct|don't you|aren't you|yes)$", ""),
    )
)
_AS_THEIRS_EN = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"^(?:do|did) you (?:still )?", "I "),
        (r"^are you\b", "I am"),
        (r"^have you\b", "I have"),
        (r"\byou are\b|\byou're\b", "I am"),
        (r"\byour\b", "my"),
        (r"\byou\b", "I"),
    )
)
_AS_STATEMENT_ZH = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^(?:好的?|那么?|所以|也就是说|明白了?)[,，\s]*", ""),
        (r"您", "你"),
        (
            r"^(?:要不要|需不需要|需要|要|是否需要|可以|你?希望|你?想要?)(?:让)?我(?=记|以后|今后|用|"
            r"都|每)",
            "",
        ),
        (r"[,，]?(?:对吗|是吗|对吧|是吧|没错吧|对不对|是不是|吗|吧)$", ""),
    )
)
_AS_THEIRS_ZH = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"你(?:是不是|是否)", "你"),
        (r"你", "我"),
    )
)


_OF_ITSELF = _WORDS.pattern("of_itself")
"""What the assistant says of itself, which a yes does not make a statement of the user's."""


def confirmed_statement(reply: str, asked: str) -> str | None:
    """The assistant's last question as the user's statement, if ``reply`` opens with a plain yes.

    A reply that repeats the question itself is a copy of what the assistant said, and no answer to it.
    """
    questions = [sentence for sentence in split_sentences(asked) if sentence.rstrip('"”」 ').endswith(("?", "？"))]
    if not questions or _RECALLS.match(questions[-1]) or not _YES.match(reply) or questions[-1] in reply:
        return None
    question = questions[-1].rstrip('?？"”」 ').strip()
    chinese = language_of(question) == "zh"
    statement = _replaced(question, _AS_STATEMENT_ZH if chinese else _AS_STATEMENT_EN)
    if _OF_ITSELF.search(statement):
        return None
    return _replaced(statement, _AS_THEIRS_ZH if chinese else _AS_THEIRS_EN)


def _replaced(text: str, replacements: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, replacement in replacements:
        text = pattern.sub(replacement, text)
    return text
