"""Finds statements that no rule recognises and keeps each as a sentence of its own.

The gate judges every sentence of a message. A sentence in which a rule found something keeps the rule's candidates. Any
other sentence, and any clause beside what a rule read, becomes a candidate if it teaches something lasting: in the slot
``STATEMENT`` or ``instruction``, with the words themselves as the value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from foundation.language import comparison_form, without_chat_noise
from foundation.lexicon import read_lexicon
from foundation.text import tokenize
from memory.evolution import health_statements
from memory.evolution.clauses import (
    asks_for_agreement,
    clauses_of,
    ends_in_question,
    without_lead_in,
)
from memory.evolution.gate import Judgement, judge
from memory.evolution.gate.types import Band
from memory.evolution.quoted_text import without_echoes, without_injected
from memory.evolution.references import refers_outside
from memory.evolution.resolution import CHANGES_ALONE_FROM, TEACHES_FROM
from memory.evolution.rule import Strength
from memory.evolution.rule_analyzer import analyze
from memory.evolution.slots import GATE, GATE_ANEW, INSTRUCTION, STATEMENT, USER_SUBJECT, value_key
from memory.evolution.style_commands import is_style_command
from memory.evolution.types import EpistemicType, MemoryType, StatementCandidate, Utterance
from memory.evolution.wording import SECRET, as_sentence, in_third_person

_WORDS: Final = read_lexicon(__file__)

_Judged = Sequence[tuple[Judgement, str]]
"""Judged sentences, each with its folded text for comparison."""
FEWEST_TOKENS: Final = 2
"""The fewest index tokens of a statement: a single word is understood by nobody later."""
NOT_OWN_BELOW: Final = 0.1
"""Least probability that a sentence is the speaker's own claim for a rule's finding in it to be kept.

In the open everyday voices, judged by weights that did not see them, 29 of 31 findings below .2 are wrong, against 90
of all 631. It applies to a message of several sentences: one that stands alone is not framed by others.
"""
_BANDS: Final[tuple[Band, ...]] = ("remember", "ask", "ignore")
FEWEST_BESIDE: Final = 3
"""The fewest index tokens of a clause that is kept beside one that a rule understood."""
_ONLY_DENIES: Final = _WORDS.pattern("only_denies", re.IGNORECASE)
"""The beginning of a clause that only sets off the one before it: "…, not Berlin"."""
_OWN_SHARE: Final = 0.5
"""The share of a statement's tokens that must be the speaker's own; what is mostly quoted somebody else said."""
_QUESTION_MARK: Final = re.compile(r"[?？]\W{0,8}$")
_ASKS_POLITELY: Final = _WORDS.pattern("asks_politely", re.IGNORECASE)
"""The mark of a wish that is put as a question."""
_KEEP: Final = _WORDS.pattern("keep", re.IGNORECASE)
"""A request around a statement to remember it."""


@dataclass(frozen=True, slots=True)
class _StatementForm:
    """How one kind of statement is stored."""

    memory_type: MemoryType = "observation"
    epistemic_type: EpistemicType = "fact"
    category: str = ""
    slot: str = STATEMENT
    strength: Strength = Strength.DECLARED


_FORMS: Final = {
    "preference": _StatementForm("preference", "preference", "preference"),
    "instruction": _StatementForm("preference", "preference", "instruction", INSTRUCTION, Strength.EXPLICIT),
    "plan": _StatementForm(category="goal"),
    "position": _StatementForm(category="finance"),
}
_OTHER: Final = _StatementForm()


def with_free_statements(by_rules: Sequence[StatementCandidate], utterance: Utterance) -> list[StatementCandidate]:
    """Add the candidates of sentences without a rule's finding to those of the rules.

    Each of the rules' candidates gets the probability that its sentence changes something. Call outside any
    transaction: sentences are embedded. Raises ``EmbeddingUnavailable``.
    """
    judged = _judge_sentences(utterance)
    quotes = [comparison_form(candidate.quote) for candidate in by_rules]
    around = [[judgement for judgement, sentence in judged if _overlaps(quote, sentence)] for quote in quotes]
    known = [
        replace(candidate, change=max((each.change for each in sentences), default=0.0))
        for candidate, sentences in zip(by_rules, around, strict=True)
        if len(judged) == 1 or not _is_not_own(candidate, sentences)
    ]
    return known + _free_statements(judged, quotes, utterance)


def reread_statements(utterance: Utterance) -> list[StatementCandidate]:
    """The candidates of sentences and clauses in which the rules find nothing, of a message that they have read before.

    Call outside any transaction. Raises ``EmbeddingUnavailable``.
    """
    quotes = [comparison_form(candidate.quote) for candidate in analyze(utterance)]
    return [
        replace(candidate, rule=GATE_ANEW)
        for candidate in _free_statements(_judge_sentences(utterance), quotes, utterance)
    ]


def _judge_sentences(utterance: Utterance) -> _Judged:
    return [(judgement, comparison_form(judgement.sentence)) for judgement in judge(without_injected(utterance.text))]


def _free_statements(judged: _Judged, quotes: Sequence[str], utterance: Utterance) -> list[StatementCandidate]:
    """The candidates of sentences from which no rule quotes, and of clauses beside a quote, without duplicates."""
    free: list[Judgement] = []
    for judgement, sentence in judged:
        near = [quote for quote in quotes if _overlaps(quote, sentence)]
        if not near:
            free.append(judgement)
        elif judgement.band != "ignore" and not must_not_be_kept(judgement, judgement.sentence):
            free += _clauses_beside_quotes(judgement.sentence, near)
    found = [candidate for candidate in (_candidate_of(judgement, utterance) for judgement in free) if candidate]
    surest = {
        value_key(candidate.attributes["value"]): candidate for candidate in sorted(found, key=_by_band, reverse=True)
    }
    return [candidate for candidate in found if surest[value_key(candidate.attributes["value"])] is candidate]


def _by_band(candidate: StatementCandidate) -> int:
    return _BANDS.index(candidate.band)


def _is_not_own(candidate: StatementCandidate, sentences: Sequence[Judgement]) -> bool:
    """Whether a rule's finding is hardly the speaker's own claim, and was not told on purpose."""
    is_told = candidate.replaces or candidate.corrects or candidate.provenance == "confirmed_by_user"
    return bool(sentences) and not is_told and max(judgement.own for judgement in sentences) < NOT_OWN_BELOW


def _clauses_beside_quotes(sentence: str, quotes: Sequence[str]) -> list[Judgement]:
    """The judgements of clauses between the quotes that surely teach something by themselves."""
    parts: list[str] = []
    begin = end = 0
    for clause in clauses_of(sentence):
        at = sentence.index(clause, end)
        if any(_overlaps(quote, comparison_form(clause)) for quote in quotes):
            parts.append(sentence[begin:end])
            begin = at + len(clause)
        elif begin >= end:
            begin = at
        end = at + len(clause)
    if not ends_in_question(sentence):  # else its last clause asks
        parts.append(sentence[begin:end])
    whole = (part for part in parts if len(tokenize(part)) >= FEWEST_BESIDE and not _ONLY_DENIES.match(part))
    return [judgement for part in whole for judgement in judge(part) if judgement.band == "remember"]


def _overlaps(quote: str, sentence: str) -> bool:
    """Whether a candidate's quote lies within the sentence, or spans it."""
    return quote in sentence or sentence in quote


def _candidate_of(judgement: Judgement, utterance: Utterance) -> StatementCandidate | None:
    """The sentence as a candidate; None where it is not to be kept, or not understood by itself."""
    said = without_chat_noise(judgement.sentence)
    band = _band_of(judgement, said)
    if band is None or judgement.sentence not in utterance.text or must_not_be_kept(judgement, said):
        return None
    form = _FORMS.get(judgement.kind, _OTHER)
    content = content_of(said, utterance, chinese=judgement.language == "zh", addressed=form.slot == INSTRUCTION)
    if len(tokenize(content)) < FEWEST_TOKENS:
        return None
    usual = form.strength if band == "remember" else Strength.DECLARED
    strength = Strength.EXPLICIT if band == "remember" and _is_asked_to_keep(judgement, said) else usual
    return StatementCandidate(
        memory_type=form.memory_type,
        content=content,
        epistemic_type=form.epistemic_type,
        provenance=strength.provenance,
        confidence=strength.confidence,
        category=form.category,
        rule=GATE,
        quote=judgement.sentence,
        valid_at=utterance.said_at,
        attributes={
            "subject": USER_SUBJECT,
            "slot": form.slot,
            "value": value_key(content),
            "polarity": "positive",
        },
        change=judgement.change,
        band=band,
    )


def _band_of(judgement: Judgement, said: str) -> Band | None:
    """The gate's band: raised to "remember" if the speaker asks to keep the sentence, lowered to "ask" if it cannot be
    understood by itself. None for what is never kept.

    Never kept are questions, except a wish for every answer, and ignored sentences that hardly change anything.
    """
    asks = _QUESTION_MARK.search(said) is not None or (judgement.band != "remember" and ends_in_question(said))
    if asks:
        is_wish = judgement.kind == "instruction" and _ASKS_POLITELY.search(said) is not None
        return "remember" if is_wish and judgement.band == "remember" else None
    if judgement.band == "ignore":
        may_change = judgement.teaches >= TEACHES_FROM and judgement.change >= CHANGES_ALONE_FROM
        return "ignore" if may_change else None
    if _is_asked_to_keep(judgement, said):
        return "remember"
    return "ask" if judgement.band == "remember" and refers_outside(said) else judgement.band


def _is_asked_to_keep(judgement: Judgement, said: str) -> bool:
    return _KEEP.search(judgement.sentence) is not None and _KEEP.search(said) is None


def must_not_be_kept(judgement: Judgement, said: str) -> bool:
    """Whether a sentence holds a secret, ends with a "right?", or is a style command, an everyday complaint or mostly
    quotation.
    """
    return (
        SECRET.search(judgement.sentence) is not None
        or asks_for_agreement(judgement.sentence)
        or is_style_command(said)
        or health_statements.is_everyday_complaint(said)
        or len(tokenize(without_echoes(said))) < _OWN_SHARE * len(tokenize(said))
    )


def content_of(said: str, utterance: Utterance, *, chinese: bool, addressed: bool) -> str:
    """The statement's content in the third person; what is ``addressed`` to the assistant keeps its "me"."""
    body = " ".join(without_lead_in(said, chinese=chinese).split())
    content = as_sentence(body, chinese=chinese)
    if not addressed:
        content = in_third_person(content, utterance, chinese=chinese).strip(" ,，、")
    return content[:1].upper() + content[1:]
