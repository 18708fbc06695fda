"""What a person says that no rule knows a slot for: kept as their own sentence, understood by itself.

The gate judges every sentence of a message. One in which a rule found something keeps the rule's reading; of the others
those that teach something lasting become candidates of the slot ``STATEMENT``, or of ``instruction``, whose value are
the words themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from foundation.language import without_chat_noise
from foundation.text import normalize, tokenize
from memory.evolution import health
from memory.evolution.addressed import says_how_to_speak
from memory.evolution.analysis import analyze
from memory.evolution.clauses import asks_for_agreement, body_of, is_question, without_echoes, without_injected
from memory.evolution.gate import Judgement, judge
from memory.evolution.rule import Strength
from memory.evolution.slots import GATE, GATE_ANEW, INSTRUCTION, STATEMENT, USER_SUBJECT, value_key
from memory.evolution.types import Candidate, EpistemicType, MemoryType, Utterance
from memory.evolution.wording import SECRET, as_sentence, of_speaker

_Judged = Sequence[tuple[Judgement, str]]
"""Sentences as they were judged, each with its words as they are compared."""
FEWEST_TOKENS: Final = 2
"""Index tokens of a statement. A single word is understood by nobody later."""
_OWN_SHARE: Final = 0.5
"""Of a statement's tokens: what is mostly quoted is what somebody else said."""
_QUESTION_MARK: Final = re.compile(r"[?？]\W{0,8}$")
_KEEP: Final = re.compile(
    r"\b(?:remember|keep (?:that|this|it) in mind|(?:make a )?note(?: that| this| of that)?|don'?t forget)\b"
    r"|记住|记一下|记着|别忘了",
    re.IGNORECASE,
)
"""Around a statement, not within it: its speaker wants it kept."""


@dataclass(frozen=True, slots=True)
class _Form:
    """How a kind of statement is kept."""

    memory_type: MemoryType = "observation"
    epistemic_type: EpistemicType = "fact"
    category: str = ""
    slot: str = STATEMENT
    strength: Strength = Strength.DECLARED


_FORMS: Final = {
    "preference": _Form("preference", "preference", "preference"),
    "instruction": _Form("preference", "preference", "instruction", INSTRUCTION, Strength.EXPLICIT),
    "plan": _Form(category="goal"),
    "position": _Form(category="finance"),
}
_OTHER: Final = _Form()


def with_statements(by_rules: Sequence[Candidate], utterance: Utterance) -> list[Candidate]:
    """The rules' candidates, each with how likely its sentence changes something, and those of the other sentences.

    To be called outside any transaction: sentences are embedded. Raises ``EmbeddingUnavailable``.
    """
    judged = _judged(utterance)
    quotes = [_folded(one.quote) for one in by_rules]
    changes = [
        max((one.change for one, sentence in judged if _overlap(quote, sentence)), default=0.0) for quote in quotes
    ]
    known = [replace(one, change=change) for one, change in zip(by_rules, changes, strict=True)]
    return known + _free_statements(judged, quotes, utterance)


def statements_anew(utterance: Utterance) -> list[Candidate]:
    """Of a message that rules have read before: the candidates of the sentences in which they find nothing.

    To be called outside any transaction. Raises ``EmbeddingUnavailable``.
    """
    quotes = [_folded(one.quote) for one in analyze(utterance)]
    return [replace(one, rule=GATE_ANEW) for one in _free_statements(_judged(utterance), quotes, utterance)]


def _judged(utterance: Utterance) -> _Judged:
    return [(one, _folded(one.sentence)) for one in judge(without_injected(utterance.text))]


def _free_statements(judged: _Judged, quotes: Sequence[str], utterance: Utterance) -> list[Candidate]:
    """The candidates of the sentences from which no rule quotes, one for each thing said."""
    free = (one for one, sentence in judged if not any(_overlap(quote, sentence) for quote in quotes))
    found = [one for one in (_statement(judgement, utterance) for judgement in free) if one]
    return list({value_key(one.attributes["value"]): one for one in reversed(found)}.values())[::-1]


def _overlap(quote: str, sentence: str) -> bool:
    """Whether a candidate's words stand in the sentence, or in several of which it is one."""
    return quote in sentence or sentence in quote


def _folded(text: str) -> str:
    return " ".join(normalize(text).split())


def _statement(judgement: Judgement, utterance: Utterance) -> Candidate | None:
    """The sentence as a candidate; None for one that is not to be kept, or not to be understood by itself."""
    said = without_chat_noise(judgement.sentence)
    if judgement.band == "ignore" or judgement.sentence not in utterance.text or _must_not_be_kept(judgement, said):
        return None
    form = _FORMS.get(judgement.kind, _OTHER)
    content = content_of(said, utterance, chinese=judgement.language == "zh", addressed=form.slot == INSTRUCTION)
    if len(tokenize(content)) < FEWEST_TOKENS:
        return None
    is_wished = _KEEP.search(judgement.sentence) is not None and _KEEP.search(said) is None
    unsure = judgement.band == "ask" and not is_wished
    strength = Strength.EXPLICIT if is_wished else Strength.DECLARED if unsure else form.strength
    return Candidate(
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
        unsure=unsure,
    )


def _must_not_be_kept(judgement: Judgement, said: str) -> bool:
    """Whether it is a secret, asks, tells the assistant how to speak, complains of a bad night, or is mostly quoted."""
    return (
        SECRET.search(judgement.sentence) is not None
        or _QUESTION_MARK.search(said) is not None
        or asks_for_agreement(judgement.sentence)
        or (judgement.band == "ask" and is_question(said))
        or says_how_to_speak(said)
        or health.only_complains(said)
        or len(tokenize(without_echoes(said))) < _OWN_SHARE * len(tokenize(said))
    )


def content_of(said: str, utterance: Utterance, *, chinese: bool, addressed: bool) -> str:
    """The speaker's words as they are kept; what is ``addressed`` to the assistant keeps its "me"."""
    body = " ".join(body_of(said, chinese=chinese).split())
    content = as_sentence(body, chinese=chinese)
    if not addressed:
        content = of_speaker(content, utterance, chinese=chinese).strip(" ,，、")
    return content[:1].upper() + content[1:]
