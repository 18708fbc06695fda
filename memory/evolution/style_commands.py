"""Commands to the assistant about how it speaks: "be warm", "back to usual", "换成严格模式".

They are no facts about the user; what is to hold for every answer is learned under a slot of its own.
"""

from __future__ import annotations

import re
from typing import Final

from foundation.language import normalize
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)

LONGEST_COMMAND: Final = 80
"""The most characters of a command; a longer sentence tells something."""

_BACK_EN: Final = _WORDS.of("en").pattern("back", re.IGNORECASE)
_COMMAND_EN: Final = _WORDS.of("en").pattern("command", re.IGNORECASE)
_BACK_ZH: Final = _WORDS.of("zh").pattern("back")
_COMMAND_ZH: Final = _WORDS.of("zh").pattern("command")


def is_return_to_default(sentence: str) -> bool:
    """Whether a sentence only asks the assistant to speak as it usually does."""
    return _matches(sentence, _BACK_EN, _BACK_ZH)


def is_style_command(sentence: str) -> bool:
    """Whether a sentence only tells the assistant how to speak."""
    return is_return_to_default(sentence) or _matches(sentence, _COMMAND_EN, _COMMAND_ZH)


def _matches(sentence: str, *commands: re.Pattern[str]) -> bool:
    words = normalize(sentence).replace("’", "'").strip(" \t.!?,;~…。！？，；～\"'“”")
    return len(words) <= LONGEST_COMMAND and any(command.fullmatch(words) for command in commands)
