"""The product's wording for modes, preferences and tones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from pydantic import TypeAdapter

from foundation.language import Language
from foundation.lexicon import read_lexicon
from personas.types import Mode

TONE_ONLY: Final = (
    "It changes how you say things; never what is true, which evidence and risks are named, or the rules."
)

MODE_PROMPTS: Final = MappingProxyType[Mode, str](
    {
        "rational": "Speak rationally: facts, figures, steps and decisions first, without ornament.",
        "idol": "Speak warmly: encourage, set a mood, let creativity lead, and keep every figure exact.",
        "hybrid": "Speak mostly rationally, about sixty parts of a hundred, with some warmth and imagery in the rest.",
        "strict": "Speak strictly: highly structured, unemotional, as short as the matter allows.",
    }
)

_WORDS: Final = read_lexicon(__file__)
_SENTENCE: Final = TypeAdapter(dict[Language, str])


def _by_preference(name: str) -> Mapping[tuple[str, str], dict[str, str]]:
    """The texts of a mapping, by language, for each key and value of a preference."""
    texts: dict[tuple[str, str], dict[str, str]] = {}
    for language, values_by_key in _WORDS.by_language(name).items():
        for key, values in values_by_key.items():
            for value, text in values.items():
                texts.setdefault((key, value), {})[language] = text
    return MappingProxyType(texts)


PREFERENCES: Final = _by_preference("preferences")
"""The sentence of each possible preference, as the memory that stores it says it."""
MANNERS: Final = _by_preference("manners")
"""The words for each possible preference, with which the assistant says how it answers from now on."""

# The replies to a message that only says how the user wants to be answered; each says how to take that back.
LASTING, FOR_NOW, FOR_TURN, FOR_TURNS, USUAL, ONE_WAY, REMEMBERED_TOO, _BETWEEN = (
    _SENTENCE.validate_python(_WORDS.sentence(name))
    for name in ("lasting", "for_now", "for_turn", "for_turns", "usual", "one_way", "remembered_too", "between")
)
# What is noted of a conversation's mode, for the user to read.
NOTED_WISH, NOTED_SUGGESTION, NOTED_USUAL, NOTED_HERE, BETWEEN_NOTES, _ONE_MESSAGE, _MESSAGES = (
    _SENTENCE.validate_python(_WORDS.sentence(name))
    for name in (
        "noted_wish", "noted_suggestion", "noted_usual", "noted_here", "between_notes", "one_message", "messages",
    )
)  # fmt: skip

# By the tier of the organisation, and by the person's role in it.
TIER_TONES: Final = MappingProxyType(
    {
        "brand_hq": "Professional and strategic.",
        "regional_agent": "Practical, about what to do next.",
        "franchise_store": "Friendly and in everyday words.",
    }
)
ROLE_TONES: Final = MappingProxyType(
    {
        "owner": "Lay out several options to decide between.",
        "admin": "Lay out several options to decide between.",
        "editor": "Advise directly.",
        "viewer": "Advise directly.",
    }
)


def preference_sentence(key: str, value: str, language: Language) -> str:
    """The sentence that states a preference. Raises ``KeyError`` for an unknown one."""
    return PREFERENCES[key, value][language]


def manners_in_words(told: Iterable[tuple[str, str]], language: Language) -> str:
    """Several preferences in one line. Raises ``KeyError`` for an unknown one."""
    return _BETWEEN[language].join(MANNERS[pair][language] for pair in told)


def messages_in_words(turns: int, language: Language) -> str:
    """A number of messages."""
    return (_ONE_MESSAGE if turns == 1 else _MESSAGES)[language].format(turns=turns)
