"""Finds what a correction replaces that names no old value: something the user said in the message before. Pure.

"I like tea", then "No, I like coffee": without the "No" both would be kept in the list of likes. Such a correction
reaches only the message before, and one with a "too" replaces nothing. "I meant coffee" is read as the message before
with one word replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from foundation.lexicon import read_lexicon
from memory.evolution.clauses import may_answer
from memory.evolution.rule import Strength
from memory.evolution.rule_analyzer import analyze
from memory.evolution.slots import holds_several, value_key
from memory.evolution.types import KnownItem, StatementCandidate, Utterance
from memory.mentions import core_terms

_WORDS: Final = read_lexicon(__file__)

_INSTEAD: Final = _WORDS.pattern("instead", re.IGNORECASE)
"""A message that replaces one word and says nothing else: "No, I meant coffee.", "不对，应该是咖啡"."""
LONGEST_CORRECTION: Final = 120
"""The most characters of a message that only replaces one word."""


@dataclass(frozen=True, slots=True)
class PrecedingMessage:
    """The user's message before another one of the same conversation; without an id there is none.

    ``asked`` is the assistant's question if the "no" of the later message may just answer it, else empty. ``kept`` are
    the values that the later message repeats, each with its slot.
    """

    message_id: str = ""
    asked: str = ""
    kept: frozenset[tuple[str, str]] = field(default_factory=frozenset)

    def corrected_by(self, candidate: StatementCandidate, known: Iterable[KnownItem]) -> list[KnownItem]:
        """The known items that the candidate replaces, the latest first."""
        if not self.message_id or not is_implicit_correction(candidate):
            return []
        found = (item for item in known if self.message_id in item.said_in and self._is_corrected(item, candidate))
        return sorted(found, key=lambda item: item.valid_at, reverse=True)

    def _is_corrected(self, item: KnownItem, candidate: StatementCandidate) -> bool:
        told = candidate.attributes
        in_its_place = (item.subject, item.slot) == (told["subject"], told["slot"])
        if not in_its_place or item.valid_at > candidate.valid_at or (item.slot, value_key(item.value)) in self.kept:
            return False
        return not self.asked or not core_terms(item.value).isdisjoint(core_terms(self.asked))


def preceding_message(message_id: str, text: str, answer: str, said: Sequence[StatementCandidate]) -> PrecedingMessage:
    """The message that ``text`` may correct: the one before it, to which ``answer`` was given."""
    kept = frozenset((candidate.attributes["slot"], value_key(candidate.attributes["value"])) for candidate in said)
    return PrecedingMessage(message_id, answer if may_answer(text, answer) else "", kept)


def replacement_word(text: str) -> str:
    """The word that a message puts in place of one in the message before; "" where it says anything else."""
    found = _INSTEAD.match(text) if len(text) <= LONGEST_CORRECTION else None
    return (found["en"] or found["zh"]) if found else ""


def corrected_statement(before: str, old: KnownItem, utterance: Utterance) -> StatementCandidate | None:
    """The statement of the message ``before`` with its value replaced; None where it would state something else.

    ``before`` taught ``old``, whose value is the one replaced.
    """
    value = replacement_word(utterance.text)
    read = analyze(replace(utterance, text=before.replace(old.value, value))) if before.count(old.value) == 1 else []
    same = (candidate for candidate in read if candidate.attributes["slot"] == old.slot)
    new = next((candidate for candidate in same if value_key(candidate.attributes["value"]) == value_key(value)), None)
    if new is None:
        return None
    return replace(
        new,
        rule=f"instead:{new.rule}",
        quote=utterance.text.strip(),
        provenance=Strength.EXPLICIT.provenance,
        confidence=Strength.EXPLICIT.confidence,
        corrects=True,
        replaces=True,
    )


def is_implicit_correction(candidate: StatementCandidate) -> bool:
    """Whether a candidate corrects without naming the old value, in a slot that holds several values."""
    is_positive = candidate.attributes["polarity"] == "positive"
    several = holds_several(candidate.attributes["slot"])
    return candidate.corrects and is_positive and several and candidate.replaced_value is None
