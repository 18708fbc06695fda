"""Every rule of a language holds for the sentences that stand beside it, and for no other of them. No database."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from foundation.language import asks_about_earlier_questions, courtesy_in, is_question
from foundation.language.tables import LabelledRule, LanguageTables, languages


def _labelled() -> Iterator[tuple[str, str, Callable[[str], object], LabelledRule]]:
    for tables in languages():
        yield tables.code, "questions", is_question, tables.questions
        yield tables.code, "requests_to_tell", tables.requests_to_tell.holds_for, tables.requests_to_tell
        yield tables.code, "about_questions", asks_about_earlier_questions, tables.about_questions
        yield tables.code, "denial", tables.denial.holds_for, tables.denial
        for kind, rule in tables.courtesies.items():
            yield tables.code, kind, _courtesy(kind), rule


def _courtesy(kind: str) -> Callable[[str], object]:
    return lambda text: courtesy_in(text) == kind


@pytest.mark.parametrize(
    ("decide", "sentence", "expected"),
    [
        pytest.param(decide, sentence, expected, id=f"{code} {name}: {sentence}")
        for code, name, decide, rule in _labelled()
        for sentences, expected in ((rule.holds, True), (rule.fails, False))
        for sentence in sentences
    ],
)
def test_a_rule_holds_for_its_examples(decide: Callable[[str], object], sentence: str, expected: bool) -> None:
    assert bool(decide(sentence)) is expected


def test_every_rule_has_examples() -> None:
    assert not [(code, name) for code, name, _, rule in _labelled() if rule.patterns and not rule.holds]


@pytest.mark.parametrize("tables", languages(), ids=lambda tables: tables.code)
def test_a_year_has_twelve_months_and_a_week_seven_days(tables: LanguageTables) -> None:
    assert len(tables.months) == 12
    assert len(tables.weekdays) == 7
