"""Judges what users state about themselves in a field that asks for it, where a position, limit or plan is no order.

In a free text "long 200 NVDA at 95" and 止损1400 are orders, for they begin with a verb. In the field that asks what
one holds they are the answer. There a sentence is an order only where a free text would be refused for it and it also
addresses a reader: it asks ("please", 帮我), is to be done for its writer ("for me"), at once ("right now", 市价), or
commands over what is the writer's ("close my position"). The words are in ``data/statements``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from finclaw.brain.boundary import asks_to_execute, refuse_fields
from finclaw.brain.boundary.exceptions import BoundaryRefused
from finclaw.brain.boundary.spelling import normalize_spelling
from foundation.language import split_sentences
from foundation.lexicon import read_lexicon

_WORDS: Final = read_lexicon(__file__)
_ADDRESSED: Final = _WORDS.pattern("addressed")
_HURRIED: Final = _WORDS.pattern("hurried")
_SOON: Final = _WORDS.pattern("soon")
_COMMAND: Final = _WORDS.pattern("command")
_STANDING: Final = _WORDS.pattern("standing")
_RULE: Final = _WORDS.pattern("rule")
_CLAUSE: Final = re.compile(r"[,;:。!?…—]|\.(?= |$)")


def refuse_statements(statements: Iterable[str]) -> None:
    """Raise ``BoundaryRefused`` where somebody's statements about themselves order something of a reader, or hold a
    forbidden execution field.
    """
    for statement in statements:
        if statement_asks_to_execute(statement):
            raise BoundaryRefused()
        refuse_fields(statement)


def statement_asks_to_execute(text: str) -> bool:
    """Whether what somebody states about themselves holds an order to its reader, or claims one was executed."""
    return any(
        _turns_to_reader(normalize_spelling(sentence)) and asks_to_execute(sentence)
        for sentence in split_sentences(text)
    )


def _turns_to_reader(sentence: str) -> bool:
    """Whether a folded sentence asks, hurries or commands somebody."""
    if _ADDRESSED.search(sentence) or _HURRIED.search(sentence):
        return True
    return any(map(_commands, map(str.strip, _CLAUSE.split(sentence))))


def _commands(clause: str) -> bool:
    """Whether a clause wants something done soon, or commands over what is the writer's, and states no rule or standing
    position instead.
    """
    if _STANDING.match(clause) or _RULE.search(clause):
        return False
    return _SOON.search(clause) is not None or _COMMAND.match(clause) is not None
