"""Reads negated clauses: "I follow ETH, not BTC", "I don't drink tea any more", "I never said that I drink tea"."""

from __future__ import annotations

import re
from typing import Final

from foundation.lexicon import read_lexicon
from memory.evolution.clauses import RuleInput

_WORDS: Final = read_lexicon(__file__)

_NOT_THAT = _WORDS.pattern("not_that", re.IGNORECASE)
_NEVER_SAID = _WORDS.pattern("never_said", re.IGNORECASE)
_STOPPED = _WORDS.pattern("stopped", re.IGNORECASE)


def negated_statement(clause: RuleInput, stated: RuleInput, value: tuple[int, int]) -> RuleInput | None:
    """The statement that ``clause`` denies, in the words of the clause before it.

    "I follow BTC" for "not BTC" after ``stated`` "I follow ETH", whose value stands at ``value``. None where the clause
    denies nothing of the kind.
    """
    found = _NOT_THAT.fullmatch(clause.text)
    if found is None:
        return None
    begin, end = value
    denied = found["en"] or found["zh"]
    return RuleInput(stated.text[:begin] + denied + stated.text[end:], stated.chinese, whole=False)


def disowned_statement(clause: RuleInput) -> RuleInput | None:
    """The statement that ``clause`` says was never made: "I hold TSLA" of "I never said that I hold TSLA"."""
    found = _NEVER_SAID.fullmatch(clause.text)
    return RuleInput(found["en"] or found["zh"], clause.chinese, whole=False) if found else None


def is_given_up(clause: str) -> bool:
    """Whether a clause says that what it denies was true before: "any more", 不…了."""
    return _STOPPED.search(clause) is not None
