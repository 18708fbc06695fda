"""Loads the rules that recognize style wishes, one set for each language, from ``data/wish_rules``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from pydantic import TypeAdapter

from foundation.language import Language
from foundation.lexicon import read_lexicon
from memory.evolution.style_preferences import LASTING_EN, LASTING_ZH
from personas.types import Mode, PreferenceKey


@dataclass(frozen=True)
class WishRule:
    """A rule for a clause that wishes for a style. A ``correction`` objects to how the assistant just behaved.

    ``mode`` is the mode that fulfils the wish at once, None if the wish concerns no mode.
    """

    pattern: re.Pattern[str]
    key: PreferenceKey
    value: str
    correction: bool = False
    mode: Mode | None = None


@dataclass(frozen=True)
class ModeSuggestion:
    """A pattern of what a message is about, and the mode that fits it."""

    pattern: re.Pattern[str]
    mode: Mode


@dataclass(frozen=True)
class ClauseRules:
    """The rules for a whole clause. ``command`` captures a word of ``modes_by_word``, as
    ``mode`` ("in analyst mode") or ``trait`` ("be brief").

    ``back`` asks for the usual way again. ``back_alone`` does so only where the sentence is about nothing else, because
    "…, back to normal" may be about a market. ``as_now`` is "answer like this".
    """

    command: re.Pattern[str]
    modes_by_word: Mapping[str, Mode]
    back: re.Pattern[str]
    back_alone: re.Pattern[str]
    as_now: re.Pattern[str]
    wishes: tuple[WishRule, ...]


@dataclass(frozen=True)
class SentenceRules:
    """The patterns that divide a sentence into clauses. ``leaders`` match words that may open a clause with a wish.

    A wish is ``lasting`` if its clause, or one beside it, says so. Words for a ``habit`` also say how often something
    happens. After a clause that ``reports``, another person's words follow. ``for_turns`` finds for how many messages a
    wish is, as ``turns``: in digits, or by a word of ``counts``; without either for one.
    """

    split: re.Pattern[str]
    leaders: re.Pattern[str]
    lasting: re.Pattern[str]
    habit: re.Pattern[str]
    reports: re.Pattern[str]
    for_turns: re.Pattern[str]
    counts: Mapping[str, int]


_WORDS: Final = read_lexicon(__file__)
_WISH: Final = TypeAdapter(WishRule)
_SUGGESTION: Final = TypeAdapter(ModeSuggestion)
_MODES: Final = TypeAdapter(dict[str, Mode])


def _clause_rules(language: Language) -> ClauseRules:
    words = _WORDS.of(language)
    modes = {word: mode for mode, named in words.groups("words").items() for word in named}
    command, back, back_alone, as_now = (
        words.pattern(name, re.IGNORECASE) for name in ("command", "back", "back_alone", "as_now")
    )
    wishes = tuple(_WISH.validate_python(rule) for rule in words.rules("wishes", re.IGNORECASE))
    return ClauseRules(command, _MODES.validate_python(modes), back, back_alone, as_now, wishes)


def _sentence_rules(language: Language, lasting: re.Pattern[str]) -> SentenceRules:
    words = _WORDS.of(language)
    split, leaders, habit, reports, for_turns = (
        words.pattern(name, re.IGNORECASE) for name in ("split", "leaders", "habit", "reports", "for_turns")
    )
    return SentenceRules(split, leaders, lasting, habit, reports, for_turns, words.numbers("counts"))


CLAUSE_RULES: Final = MappingProxyType[Language, ClauseRules]({"en": _clause_rules("en"), "zh": _clause_rules("zh")})
SENTENCE_RULES: Final = MappingProxyType[Language, SentenceRules](
    {"en": _sentence_rules("en", LASTING_EN), "zh": _sentence_rules("zh", LASTING_ZH)}
)
# Suggestions and names of languages are looked for in a text of any language, so these two are for both at once.
SUGGESTIONS: Final = tuple(_SUGGESTION.validate_python(rule) for rule in _WORDS.rules("suggestions", re.IGNORECASE))
LANGUAGE_NAMES: Final[Mapping[Language, re.Pattern[str]]] = {
    "en": re.compile(rf"\ben\b|{_WORDS.phrase('english')}", re.IGNORECASE),
    "zh": re.compile(rf"\bzh\b|{_WORDS.phrase('chinese')}", re.IGNORECASE),
}
