"""The rules for what users state about themselves, read from ``data/rules``, ``facts`` and ``traits``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from pydantic import TypeAdapter

from foundation.lexicon import Lexicon, read_lexicon
from memory.evolution.rule import Rule

_RULE: Final = TypeAdapter(Rule)


@dataclass(frozen=True, slots=True)
class RuleBook:
    """The rules of a language, each kind in the order in which its rules are tried: the most telling first."""

    instructions: tuple[Rule, ...]
    corrections: tuple[Rule, ...]
    statements: tuple[Rule, ...]
    """For what a clause may state; the others read a whole sentence."""


def _rules(lexicon: Lexicon, *kinds: str) -> tuple[Rule, ...]:
    return tuple(_RULE.validate_python(entry) for kind in kinds for entry in lexicon.rules(kind, re.IGNORECASE))


def _rule_book(language: str) -> RuleBook:
    rules, facts, traits = (read_lexicon(__file__, table).of(language) for table in ("rules", "facts", "traits"))
    statements = (*_rules(rules, "changes", "retractions"), *_rules(facts, "facts"), *_rules(traits, "traits"))
    return RuleBook(
        _rules(rules, "instructions"), _rules(rules, "corrections"), (*statements, *_rules(rules, "tastes"))
    )


@cache
def rule_books() -> Mapping[str, RuleBook]:
    """The rules by language; compiled when they are first asked for, which takes some 0.4 s."""
    return {language: _rule_book(language) for language in ("en", "zh")}
