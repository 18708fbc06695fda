"""The quality gateway: a candidate is kept, quarantined for the user's decision, or refused. Pure.

It keeps the user's repetitions of what the assistant recalled from being learned, and near-copies from piling up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from foundation.language import comparison_form
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.confidence import PROVENANCE_RANK
from memory.evolution import health_statements
from memory.evolution.clauses import ends_in_question
from memory.evolution.comparison import TASTES, is_core_of
from memory.evolution.quoted_text import without_echoes
from memory.evolution.review_reasons import ASKED_BY_GATE
from memory.evolution.slots import OWN_SENTENCE, holds_several, value_key
from memory.evolution.types import Action, EvolutionDecision, KnownItem, StatementCandidate, Utterance
from memory.mentions import core_terms

_WORDS: Final = read_lexicon(__file__)

Refusal = Literal[
    "no_value", "too_short", "too_long", "question", "not_said", "said_by_the_assistant", "kept_as_manner",
    "said_for_now", "write_back_off", "unknown_memory", "known_already", "sensitive",
]  # fmt: skip
"""The reason not to learn a candidate. Of wishes for the style of answers, "kept_as_manner" says that it is stored as a
persona preference already, "said_for_now" that it is not meant to last, "write_back_off" that none may be learned.
"""

MAX_CANDIDATE_CHARS: Final = 500
"""The most characters of a statement about oneself; what is longer is pasted text."""
_ASKS: Final = _WORDS.of("zh").pattern("asks")
"""The mark or particle of a question at the end of a quote."""
_REQUEST: Final = _WORDS.pattern("request", re.IGNORECASE)
"""The beginning of a sentence that asks the assistant for something: "can you switch to R?"."""
SHORTEST_ECHO: Final = 8
"""The fewest characters of a repetition that is no coincidence; a Chinese character counts twice."""
_NO_VALUES: Final = frozenset(_WORDS.words("no_values"))


_BLANK: Final = re.compile(r"【[^【】]{0,20}】|_{3}|\[(?:your |the |insert )?[a-z]{2,20}\]|\bx{3,}\b", re.IGNORECASE)
"""A blank to be filled in: who pastes a form says nothing of themselves by it."""


@dataclass(frozen=True, slots=True)
class SimilarItem:
    """A known item of the candidate's own subject and slot that is near to it in meaning."""

    item: KnownItem
    similarity: float


@dataclass(frozen=True, slots=True)
class PrecedingAnswer:
    """The assistant's message just before a user's, and the memories the model was given for it."""

    answer: str = ""
    memories: tuple[str, ...] = ()


def refusal_of(candidate: StatementCandidate, utterance: Utterance, recalled: PrecedingAnswer) -> Refusal | None:
    """The reason not to learn a candidate at all, or None.

    What the user said on purpose, as a correction or an answer, is learned even if the assistant said it first.
    """
    value = value_key(candidate.attributes["value"])
    if not value or value in _NO_VALUES or _BLANK.search(value):
        return "no_value"
    if len(value) == 1 and value.isascii():
        return "too_short"
    if len(candidate.content) > MAX_CANDIDATE_CHARS:
        return "too_long"
    if not is_quoted(candidate.quote, utterance.text):
        return "not_said"
    if _is_question(candidate, utterance.text):
        return "question"
    if not _is_deliberate(candidate) and _repeats_answer(candidate, utterance, recalled):
        return "said_by_the_assistant"
    return None


def is_quoted(quote: str, text: str) -> bool:
    """Whether a message holds the quote in the user's own words."""
    return bool(_own_words(quote)) and _own_words(quote) in _own_words(text)


def restates(candidate: StatementCandidate, items: Iterable[KnownItem]) -> bool:
    """Whether an item already says what the candidate does: its value in its slot, or all its core terms."""
    slot, value = candidate.attributes["slot"], _value_tokens(candidate.attributes["value"])
    told = core_terms(candidate.content)
    return any(
        (item.slot == slot and value <= _value_tokens(item.value)) or (told and told <= core_terms(item.content))
        for item in items
    )


def reason_to_review(
    candidate: StatementCandidate, decision: EvolutionDecision, known: Iterable[KnownItem], review_below: float
) -> str:
    """The rule by which a candidate awaits the user's decision; "" where it does not.

    It awaits it if it states the user's health, if its confidence is below ``review_below``, if the gate is not sure of
    its sentence, or if a model alone would replace what is better attested or confirmed by the user.
    """
    if decision.action in ("ADD", "SUPERSEDE") and health_statements.needs_confirmation(candidate):
        return health_statements.RULE
    if candidate.band == "ask":
        return ASKED_BY_GATE
    if candidate.confidence < review_below:
        return "gateway.confidence"
    if not candidate.by_model or decision.action not in ("SUPERSEDE", "RETIRE"):
        return ""
    target = next(item for item in known if item.memory_id == decision.target)
    is_weaker = PROVENANCE_RANK[candidate.provenance] < PROVENANCE_RANK.get(target.provenance, 0)
    return "gateway.provenance" if is_weaker or target.provenance == "confirmed_by_user" else ""


def without_duplicates(
    candidate: StatementCandidate, decision: EvolutionDecision, near: Sequence[SimilarItem]
) -> EvolutionDecision:
    """The decision, unless a known item says the same in other words: then nothing is added beside it.

    Similarity only selects the items to compare; the words of the values decide. A candidate with the user's
    confirmation repeats an item only by the same words.
    """
    if decision.action not in ("ADD", "SUPERSEDE") or candidate.replaces:
        return decision
    for similar in sorted(near, key=lambda similar: similar.similarity, reverse=True):
        restated = _decide_restatement(candidate, similar.item)
        if restated is not None:
            return restated
    return decision


def _decide_restatement(candidate: StatementCandidate, item: KnownItem) -> EvolutionDecision | None:
    said, known = _value_tokens(candidate.attributes["value"]), _value_tokens(item.value)
    rank, stands = PROVENANCE_RANK[candidate.provenance], PROVENANCE_RANK.get(item.provenance, 0)
    if said == known:
        action: Action = "CONFIRM" if rank > stands else "NONE"
        return EvolutionDecision(action, item.memory_id, "said again in other words", repeats=True)
    if candidate.provenance == "confirmed_by_user" or (holds_several(item.slot) and item.slot not in TASTES):
        return None
    if is_core_of(said, known):
        return EvolutionDecision("NONE", item.memory_id, "known already, more exactly", repeats=True)
    if is_core_of(known, said) and rank >= stands and candidate.valid_at >= item.valid_at:
        return EvolutionDecision("SUPERSEDE", item.memory_id, "said again, more exactly")
    return None


def _value_tokens(value: str) -> frozenset[str]:
    return frozenset(tokenize(value_key(value)))


def _own_words(text: str) -> str:
    """The text in folded form without injected blocks and quotations."""
    return comparison_form(without_echoes(text))


def _is_deliberate(candidate: StatementCandidate) -> bool:
    return candidate.replaces or (candidate.provenance == "confirmed_by_user" and candidate.rule not in OWN_SENTENCE)


def _is_question(candidate: StatementCandidate, text: str) -> bool:
    """Whether the quote is a question, by its own form or by the mark right behind it."""
    if candidate.rule in OWN_SENTENCE or (candidate.provenance == "confirmed_by_user" and not candidate.by_model):
        return False  # the gate has judged its question mark; rules take "Could you keep it short?" for an instruction
    rest = text.partition(candidate.quote)[2].lstrip()
    said = candidate.quote + rest[:1]
    if candidate.by_model:  # a model has judged the form: only a question mark or particle counts, if it is no request
        return _ASKS.search(said) is not None and _REQUEST.match(said) is None
    return ends_in_question(said)


def _repeats_answer(candidate: StatementCandidate, utterance: Utterance, recalled: PrecedingAnswer) -> bool:
    quote, message = _own_words(candidate.quote), _own_words(utterance.text)
    if _is_long_enough(quote) and quote in comparison_form(recalled.answer):
        return True
    return any(
        _is_long_enough(memory) and memory in message and (quote in memory or memory in quote)
        for memory in map(comparison_form, recalled.memories)
    )


def _is_long_enough(words: str) -> bool:
    return len(words) + sum(not character.isascii() for character in words) >= SHORTEST_ECHO
