"""No function that reads what somebody typed runs away on it, and none is left out of the table."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Final

import pytest

import consent.sensitive
import foundation.language
import foundation.text
from consent.sensitive import (
    ascii_shadow,
    candidate_spans,
    nearby_words,
    number_cues,
    number_runs,
    policy,
    program_texts,
    secret_shapes,
    services,
)
from consent.sensitive.detectors import identity_cards, lettered_papers, phones
from consent.sensitive.names import context, foreign_spans, han_cues, han_features, latin_features, tagger
from foundation import language
from foundation.language import inflection
from foundation.text import highlights, index_tokens
from tests.hostile_text.functions import FUNCTIONS, TextFunction
from tests.hostile_text.measuring import SLACK, find_runaways

_PACKAGES: Final = (foundation.language, foundation.text, consent.sensitive)
_READ_NO_MESSAGE: Final = {
    language.answer_language: "stands in the table as language_of",
    language.character_ngrams: "stands in the table with ngram_features",
    language.word_ngrams: "stands in the table with ngram_features",
    language.chinese_numeral: "reads nine characters",
    language.leading_numeral: "reads nine characters",
    language.month_names: "reads the code of a language",
    language.month_number: "reads a name that a pattern found",
    language.month_pattern: "reads the code of a language",
    language.weekday_number: "reads a name that a pattern found",
    inflection.agree: "stands in the table with third_person",
    inflection.conjugate: "reads a verb",
    inflection.gerund: "reads a verb of the lexicon",
    inflection.in_first_person: "reads a line of a profile",
    inflection.is_common_verb: "reads a word",
    inflection.is_past_tense: "reads a word",
    inflection.participle: "reads a verb of the lexicon",
    language.is_denied: "reads the 40 characters before a position",
    language.hash_ngrams: "reads n-grams, and stands in the table with ngram_features",
    policy.policy_for: "reads the name of a field",
    nearby_words.only_digits: "reads a number that a pattern found, of at most 40 characters",
    nearby_words.stands_before: "reads 40 characters before a finding",
    nearby_words.word_pattern: "reads the alternatives that our own code writes",
    services.screen_text: "stands in the table as screen_message",
    program_texts.masked_text: "stands in the table as screen_message and redact_text",
    program_texts.screened_json: "screens each text of the JSON as screen_message",
    highlights.highlighted_pieces: "stands in the table as mark_words",
    highlights.snippet: "stands in the table as cut_snippet",
    index_tokens.token_spans: "stands in the table with mark_words",
    identity_cards.check_digit_holds: "reads eighteen characters",
    lettered_papers.find_lettered: "stands in the table with the numbers of people",
    lettered_papers.is_hkid: "reads ten characters",
    lettered_papers.is_taiwanese: "reads ten characters",
    phones.is_amount: "reads a few characters behind a number",
    ascii_shadow.ascii_shadow: "stands in the table with each detector",
    context.features_in_context: "is asked while the second look is trained",
    context.read_in_context: "stands in the table as find_names_in_context",
    tagger.name_candidates: "stands in the table with the names",
    han_cues.cues_around: "stands in the table with the names",
    han_features.han_candidates: "stands in the table with the names",
    han_features.padded_codes: "stands in the table with the names",
    foreign_spans.foreign_spans: "stands in the table with the names",
    latin_features.is_common_word: "reads a word",
    latin_features.latin_candidates: "stands in the table with the names",
    latin_features.word_place: "reads a word",
    secret_shapes.has_two_cases: "reads a word of at most 160 characters",
    secret_shapes.is_placeholder: "reads a word of at most 160 characters",
    secret_shapes.looks_chosen: "reads a word of at most 160 characters",
    secret_shapes.looks_generated: "reads a word of at most 160 characters",
    secret_shapes.looks_unmistakable: "reads a word of at most 60 characters",
    number_cues.cue_distance: "reads the characters before a number",
    number_cues.cue_distances: "reads the characters before a number",
    number_cues.stands_after: "reads the characters behind a number",
    number_runs.number_runs: "stands in the table with the numbers of people",
    candidate_spans.matches_in: "takes patterns, and stands in the table with each detector",
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)
def test_no_text_makes_it_run_away(function: TextFunction) -> None:
    assert not [str(found) for found in find_runaways(function, whole=False)]


@pytest.mark.parametrize("package", _PACKAGES, ids=lambda package: package.__name__)
def test_every_public_function_of_text_stands_in_the_table(package: ModuleType) -> None:
    measured = {function.call for function in FUNCTIONS}
    forgotten = [call for call in _functions_of_text(package) if call not in measured and call not in _READ_NO_MESSAGE]
    assert not forgotten, "add them to tests/hostile_text/functions.py"


def test_each_exception_is_still_one() -> None:
    known = {call for package in _PACKAGES for call in _functions_of_text(package)}
    assert set(_READ_NO_MESSAGE) <= known


def _quadratic(text: str) -> None:
    if "王" in text:
        for end in range(len(text)):
            text[:end].casefold()


def _endless(text: str) -> None:
    while text.startswith("..."):
        pass


@pytest.mark.parametrize("planted", [TextFunction(_quadratic, 10_000, longest=12_000), TextFunction(_endless, 5)])
def test_a_function_that_runs_away_is_found(planted: TextFunction) -> None:
    [found, *_] = find_runaways(planted, whole=False)

    assert found.seconds is None or found.growth > SLACK


def _functions_of_text(package: ModuleType) -> Iterator[Callable[..., object]]:
    """The public functions of a package whose parameters without a default begin with a ``str``."""
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        for name, call in inspect.getmembers(module, inspect.isfunction):
            if not name.startswith("_") and call.__module__ == module.__name__ and _takes_text(call):
                yield call


def _takes_text(call: Callable[..., object]) -> bool:
    return any(parameter.annotation == "str" for parameter in inspect.signature(call).parameters.values())
