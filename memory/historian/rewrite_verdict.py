"""Checks a model's rewrite: its words must be absolute, and found in what the model was given.

Structural, not semantic: a figure, a month, a name inside a sentence or a sensitive fragment must stand in what the
model was given, or in what the rules of time make of it. So a date that the rules cannot confirm is not believed. Other
words may be new: a model that says the same in other words passes, and one that says something false in words that were
given is not detected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from consent.sensitive.classifier import classify_sensitive
from foundation.language import chinese_numeral
from memory.historian.rewrite_prompt import RewriteRequest
from memory.rewriting import times_en, times_zh
from memory.rewriting.absoluteness_checks import violations
from memory.rewriting.rule_rewriter import relative_times
from memory.rewriting.time_phrases import MONTHS, chinese_date, english_date
from memory.rewriting.types import EventClock, RewrittenTexts

_FIGURE: Final = re.compile(r"\d+(?:\.\d+)?")
_THOUSANDS: Final = re.compile(r"(?<=\d)[,，](?=\d{3}(?!\d))")
_WORD: Final = re.compile(r"[^\W\d_]+")
_NAME_INSIDE: Final = re.compile(r"(?<=[a-z,;] )[A-Z][^\W\d_]+")
_NUMBER_WORDS: Final = tuple((re.compile(rf"\b{word}\b"), value) for word, value in times_en.NUMBERS.items())
_MONTH_NAMES: Final = tuple((month, re.compile(rf"\b{month}\b")) for month in MONTHS)
_MONTH_NUMBER: Final = re.compile(r"\d{4}-(\d{1,2})-\d{1,2}|(\d{1,2})月")


@dataclass(frozen=True, slots=True)
class RewriteVerdict:
    """Why a rewrite may not stand: words that are still ``relative``, and ``unfounded`` ones."""

    relative: tuple[str, ...] = ()
    unfounded: tuple[str, ...] = ()

    @property
    def is_clean(self) -> bool:
        """Whether the event may be written without a warning."""
        return not (self.relative or self.unfounded)


def judge_rewrite(answer: RewrittenTexts, request: RewriteRequest, by_rules: RewrittenTexts) -> RewriteVerdict:
    """The verdict on a model's answer; ``by_rules`` is what the offline rewriter makes of the same."""
    given = _known_text(request, by_rules)
    unfounded = [*_new_figures(answer, given), *_new_names(answer, given), *_new_sensitive_fragments(answer, given)]
    return RewriteVerdict(
        relative_words(answer, request.clock), tuple(dict.fromkeys([*unfounded, *_missing_fields(answer, request)]))
    )


def relative_words(rewritten: RewrittenTexts, clock: EventClock) -> tuple[str, ...]:
    """Every word of the three texts that the gates object to, or that the rules of time could still resolve."""
    texts = _texts_of(rewritten)
    gated = [violation.text for text in texts for violation in violations(text)]
    return tuple(dict.fromkeys([*gated, *(word for text in texts for word in relative_times(text, clock))]))


def _texts_of(rewritten: RewrittenTexts) -> tuple[str, str, str]:
    return rewritten.did_what, rewritten.new_info, rewritten.canonical_text


def _known_text(request: RewriteRequest, by_rules: RewrittenTexts) -> str:
    draft, clock = request.draft, request.clock
    day = clock.local.date()
    own = (draft.action_summary, draft.new_info, draft.sender_name, draft.assistant_name, *request.messages)
    event = (clock.location or "", f"{clock.local:%H:%M %A}", clock.time_zone)
    return "\n".join([*own, *event, english_date(day), chinese_date(day), *_texts_of(by_rules)])


def _new_figures(answer: RewrittenTexts, given: str) -> Iterator[str]:
    known = _figures_in([given]) | {str(value) for value in _spelled_numbers(given)}
    yield from sorted(_figures_in(_texts_of(answer)) - known)


def _figures_in(texts: Iterable[str]) -> set[str]:
    found = {figure for text in texts for figure in _FIGURE.findall(_THOUSANDS.sub("", text))}
    return {figure.lstrip("0") or "0" for figure in found}


def _spelled_numbers(text: str) -> Iterator[int]:
    """Numbers that stand there in words."""
    lower = text.lower()
    yield from (value for word, value in _NUMBER_WORDS if word.search(lower))
    yield from (chinese_numeral(found) or 0 for found in times_zh.NUMBER.findall(text) if not found.isdigit())


def _new_names(answer: RewrittenTexts, given: str) -> Iterator[str]:
    """Capitalised words inside English sentences that stand nowhere in what was given, months among them."""
    known = {word.casefold() for word in _WORD.findall(given)} | _months_in(given)
    for text in _texts_of(answer):
        names = [*_NAME_INSIDE.findall(text), *(month for month, name in _MONTH_NAMES if name.search(text))]
        yield from (name for name in names if name.casefold() not in known)


def _months_in(given: str) -> set[str]:
    numbers = (int(iso or chinese) for iso, chinese in _MONTH_NUMBER.findall(given))
    return {MONTHS[number - 1].casefold() for number in numbers if 1 <= number <= len(MONTHS)}


def _new_sensitive_fragments(answer: RewrittenTexts, given: str) -> Iterator[str]:
    """Sensitive fragments that the model added; those that were said are masked already."""
    for text in _texts_of(answer):
        fragments = (text[finding.start : finding.end] for finding in classify_sensitive(text))
        yield from (fragment for fragment in fragments if fragment.casefold() not in given.casefold())


def _missing_fields(answer: RewrittenTexts, request: RewriteRequest) -> Iterator[str]:
    """Fields that are empty where their source is not, or the other way about."""
    sources = {"did_what": request.draft.action_summary, "new_info": request.draft.new_info}
    yield from (name for name, source in sources.items() if bool(source.strip()) != bool(getattr(answer, name)))
    if not answer.canonical_text:
        yield "canonical_text"
