"""Sorts the sentences of a user's own research material by what they say, for the parts that are made by rule.

Whether a sentence is true is not judged here. A sentence that fits no group is counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from finclaw.brain.material.brief import ResearchBrief
from finclaw.brain.material.citations import names_source
from finclaw.brain.material.dates import known_time_of, relative_day
from finclaw.brain.material.lookahead import statements_known_by
from finclaw.brain.material.polarity import side_of, speaks_against, speaks_for
from finclaw.brain.understanding.sentence_mood import (
    condition_in,
    is_precondition,
    is_request,
    opens_with_request,
)
from foundation.language import (
    is_question,
    normalize,
    split_sentences,
)
from foundation.lexicon import read_lexicon
from memory.research.types import ResearchStatement, StatementSource

_WORDS: Final = read_lexicon(__file__)

PROMPT = StatementSource("prompt")
_BULLET = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、])\s*")
_WHAT_FOLLOWS = re.compile(r"(?<=[:：])\s*(?=[^\d\s].{5})")
_STATES_OPINION = _WORDS.pattern("held", re.IGNORECASE)
_NAMES_THESIS = _WORDS.pattern("named", re.IGNORECASE)
_ENDS_THESIS = _WORDS.pattern("ended", re.IGNORECASE)
_MARKET = _WORDS.pattern("market", re.IGNORECASE)
_FIGURE = _WORDS.pattern("figure", re.IGNORECASE)


@dataclass(frozen=True)
class MaterialReading:
    """The material's statements in their order, grouped by what they say; one may stand in several groups."""

    evidence: tuple[ResearchStatement, ...]
    market: tuple[ResearchStatement, ...]
    opposing: tuple[ResearchStatement, ...]  # against the object
    counter_stance: tuple[ResearchStatement, ...]  # against the stance: for the object where the stance is against it
    conditions: tuple[ResearchStatement, ...]
    preconditions: tuple[ResearchStatement, ...]  # the conditions to be met before acting
    questions: tuple[str, ...]  # without the question that is the whole request
    ungrouped: tuple[ResearchStatement, ...]  # new statements that fit no group
    stance: str  # the latest sentence that states the user's opinion
    request: str  # what they ask for


def read_material(brief: ResearchBrief) -> MaterialReading:
    """Read the brief's material: the prompt's statements, then those of the thread that the prompt does not repeat."""
    prompt_sentences = read_statements(brief.prompt)
    statements = [
        statement
        for statement in prompt_sentences
        if not is_question(statement.text) and not is_request(statement.text)
    ]
    repeated = {normalize(statement.text) for statement in statements}
    material = [
        *statements,
        *(statement for statement in brief.earlier_statements if normalize(statement.text) not in repeated),
    ]
    request = asking_sentence(brief.prompt) if len(statements) < len(prompt_sentences) else ""
    lone_request = request if prompt_sentences and prompt_sentences[0].text == request else ""
    stance = next((statement.text for statement in reversed(statements) if _is_stance(statement.text)), "")
    return MaterialReading(
        evidence=_filter_by_text(material, _is_evidence),
        market=_filter_by_text(material, _is_market),
        opposing=_filter_by_text(material, _is_against),
        counter_stance=_opposing_statements(material, stance),
        conditions=_filter_by_text(material, condition_in),
        preconditions=_filter_by_text(material, is_precondition),
        questions=tuple(
            statement.text
            for statement in prompt_sentences
            if is_question(statement.text) and statement.text != lone_request
        ),
        ungrouped=_filter_by_text(statements, _fits_nowhere),
        stance=stance,
        request=request,
    )


def _opposing_statements(material: Sequence[ResearchStatement], stance: str) -> tuple[ResearchStatement, ...]:
    """The statements against the stance, never the stance itself; by the question's words alone, the same for
    everybody.
    """
    opposes = speaks_for if side_of(stance) == "against" else _is_against
    return _filter_by_text([statement for statement in material if statement.text != stance], opposes)


def asking_sentence(prompt: str) -> str:
    """The sentence that says what a prompt wants: its first request, else its first question, else its first sentence.

    Material pasted beside it decides nothing.
    """
    return next(iter((*request_sentences(prompt), *filter(is_question, sentences(prompt)), *sentences(prompt))), prompt)


def request_sentences(prompt: str) -> list[str]:
    """The sentences of a prompt that ask for work."""
    return list(filter(is_request, sentences(prompt)))


def read_statements(prompt: str, said_at: datetime | None = None) -> tuple[ResearchStatement, ...]:
    """The sentences of a prompt as statements, each with the time it is about; with ``said_at`` also a time that is
    given relative to the day of saying ("yesterday").
    """
    return tuple(ResearchStatement(text, _statement_time(text, said_at), (PROMPT,)) for text in sentences(prompt))


def prompt_known_by(prompt: str, as_of: datetime | None, said_at: datetime | None = None) -> str:
    """A prompt without the sentences about a time after ``as_of``; unchanged where there are none."""
    known = statements_known_by(read_statements(prompt, said_at), as_of)
    return prompt if len(known) == len(sentences(prompt)) else "\n".join(statement.text for statement in known)


def _statement_time(sentence: str, said_at: datetime | None) -> datetime | None:
    speaks_from_its_day = said_at is not None and not is_question(sentence) and not is_request(sentence)
    return known_time_of(sentence) or (relative_day(sentence, said_at) if said_at and speaks_from_its_day else None)


def sentences(text: str) -> list[str]:
    """The sentences and list entries of a text, without bullets; what follows a request's colon is one of its own."""
    unmarked = (_BULLET.sub("", part).strip() for part in split_sentences(text))
    return [piece for part in filter(None, unmarked) for piece in _split_request(part)]


def _split_request(sentence: str) -> list[str]:
    return _WHAT_FOLLOWS.split(sentence, maxsplit=1) if opens_with_request(sentence) else [sentence]


def _fits_nowhere(text: str) -> bool:
    groups = _is_evidence, _is_stance, speaks_against, _is_market, condition_in
    return not any(belongs(text) for belongs in groups)


def _is_evidence(text: str) -> bool:
    if _is_stance(text) or condition_in(text):
        return False
    return bool(_FIGURE.search(text) or names_source(text) or known_time_of(text))


def _is_market(text: str) -> bool:
    return bool(_MARKET.search(text)) and not _is_stance(text) and condition_in(text) is None


def _is_against(text: str) -> bool:
    return speaks_against(text) and condition_in(text) is None


def _is_stance(text: str) -> bool:
    """Whether a sentence states the user's own opinion: neither a quotation of others nor a condition that would end
    it.
    """
    if names_source(text):
        return False
    condition = condition_in(text)
    if condition is None:
        return bool(_STATES_OPINION.search(text) or _NAMES_THESIS.search(text))
    return condition.start() > 0 and bool(_STATES_OPINION.search(text)) and not _ENDS_THESIS.search(text)


def _filter_by_text(
    material: Sequence[ResearchStatement], belongs: Callable[[str], object]
) -> tuple[ResearchStatement, ...]:
    return tuple(statement for statement in material if belongs(statement.text))
