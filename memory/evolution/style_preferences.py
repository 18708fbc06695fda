"""Wishes for the style of answers: which statements are such wishes, and which are meant to last.

A wish for the moment holds in its conversation, where the persona keeps it, and becomes no memory. Repeated often
enough, it is written back there. Where write-back is switched off, no such wish is learned at all.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, cast

from django.conf import settings
from django.utils.module_loading import import_string

from foundation.language import split_sentences
from foundation.lexicon import read_lexicon
from foundation.text import mentions_answer_style
from memory.evolution.slots import HOW_TO_ANSWER
from memory.evolution.style_commands import is_style_command
from memory.evolution.types import StatementCandidate

_WORDS: Final = read_lexicon(__file__)

LASTING_EN: Final = _WORDS.of("en").pattern("lasting", re.IGNORECASE)
"""English words by which a wish is to hold from now on."""
LASTING_ZH: Final = _WORDS.of("zh").pattern("lasting")
"""Chinese words by which a wish is to hold from now on."""
_NEVER: Final = _WORDS.of("en").pattern("never", re.IGNORECASE)
_NAMING: Final = _WORDS.pattern("naming", re.IGNORECASE)
_WORD: Final = re.compile(r"\w")
_INSTRUCTION: Final = "instruction"
_NO_SLOT: Final = frozenset({"note", "statement"})
"""The slots of sentences that no rule has read further."""


def may_be_learned() -> bool:
    """Whether wishes for the style of answers may become memories here (``write_back`` in ``persona.yaml``)."""
    return cast("Callable[[], bool]", import_string(settings.LEARNING_STYLE_SWITCH))()


def is_style(candidate: StatementCandidate) -> bool:
    """Whether a candidate says how the user wants to be answered. What they want to be called is a name, not style."""
    slot, quote = candidate.attributes["slot"], candidate.quote
    if slot in HOW_TO_ANSWER or candidate.category == _INSTRUCTION:
        return _NAMING.search(quote) is None
    is_wish = candidate.memory_type == "preference" or slot in _NO_SLOT
    return is_style_command(quote) or (is_wish and mentions_answer_style(quote))


def is_for_now(candidate: StatementCandidate, text: str) -> bool:
    """Whether a candidate of the message ``text`` only asks for the style of the answers at hand.

    A request counts as lasting by its own words ("from now on", "always", "以后"), or by a clause beside it that says
    nothing else. What is stated as a taste ("I prefer short answers") is no request.
    """
    requests = candidate.for_now or (not _is_style_rule(candidate) and is_style_command(candidate.quote))
    return requests and is_style(candidate) and not _is_lasting(candidate.quote, text)


def _is_style_rule(candidate: StatementCandidate) -> bool:
    return not candidate.by_model and candidate.attributes["slot"] not in _NO_SLOT


def _is_lasting(quote: str, text: str) -> bool:
    if _marks(quote) or _NEVER.search(quote):
        return True
    around = (sentence.replace(quote, " ") for sentence in split_sentences(text) if quote in sentence)
    return any(_marks(rest) and not _WORD.search(_without_marks(rest)) for rest in around)


def _marks(text: str) -> bool:
    return bool(LASTING_EN.search(text) or LASTING_ZH.search(text))


def _without_marks(text: str) -> str:
    return LASTING_ZH.sub("", LASTING_EN.sub("", text))
