"""A language is added by a folder of tables alone: German, whose folder stands beside this test. No database."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from foundation.language import (
    answer_language,
    asks_something,
    calendar_words,
    chat_noise,
    courtesies,
    courtesy_in,
    judged_form,
    language_of,
    languages_in,
    month_names,
    month_number,
    tables,
    tables_of,
    weekday_number,
)
from foundation.language.questions import is_question

GERMAN = Path(__file__).parent / "german"
_BUILT_OF_ALL: tuple[Callable[[], object], ...] = (
    tables.languages.cache_clear,
    tables.tables_of.cache_clear,
    tables.written_in.cache_clear,
    courtesies._courtesy_patterns.cache_clear,
    courtesies._opening_pattern.cache_clear,
    courtesies._filler_pattern.cache_clear,
    calendar_words._month_numbers.cache_clear,
    calendar_words._weekday_numbers.cache_clear,
    chat_noise._chat_words.cache_clear,
)


@pytest.fixture(autouse=True)
def german(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folders of the product, and that of German among them."""
    for folder in (tables.FOLDERS / "en", tables.FOLDERS / "zh"):
        shutil.copytree(folder, tmp_path / folder.name)
    shutil.copytree(GERMAN, tmp_path / "de")
    monkeypatch.setattr(tables, "FOLDERS", tmp_path)
    _forget_what_was_read()
    yield
    monkeypatch.undo()
    _forget_what_was_read()


def _forget_what_was_read() -> None:
    for forget in _BUILT_OF_ALL:
        forget()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Ich wohne in Köln und habe eine Katze.", "de"),
        ("I live in Cologne and have a cat.", "en"),
        ("我住在科隆。", "zh"),
        ("Ich halte 贵州茅台 für teuer", "de"),
        ("BTC 60k", "en"),
    ],
)
def test_a_text_is_known_by_its_script_and_its_grammar_words(text: str, code: str) -> None:
    assert languages_in(text)[0].code == code


def test_what_is_not_written_in_german_is_answered_in_english() -> None:
    assert language_of("Ich wohne in Köln und habe eine Katze.") == "en"
    assert answer_language("Ich wohne in Köln.", "zh") == "zh"


def test_each_rule_holds_for_its_examples() -> None:
    german = tables_of("de")
    for rule, decide in (
        (german.questions, is_question),
        (german.requests_to_tell, asks_something),
        (german.denial, german.denial.holds_for),
    ):
        assert [sentence for sentence in rule.holds if not decide(sentence)] == []
        assert [sentence for sentence in rule.fails if decide(sentence)] == []


def test_greetings_and_thanks_are_small_talk() -> None:
    for kind, rule in tables_of("de").courtesies.items():
        assert [text for text in rule.holds if courtesy_in(text) != kind] == []
        assert [text for text in rule.fails if courtesy_in(text)] == []
    assert courtesy_in("Hello, guten Tag!") == "greeting"


def test_months_and_weekdays_have_their_names() -> None:
    assert (month_number("März"), month_number("Dez."), month_number("may"), month_number("五月")) == (3, 12, 5, 5)
    assert (weekday_number("Sonnabend"), weekday_number("Saturday"), weekday_number("周六")) == (5, 5, 5)
    assert month_names("de")[4] == "Mai"


def test_english_and_chinese_are_read_as_before() -> None:
    assert is_question("where do I live")
    assert is_question("我住在哪里")
    assert courtesy_in("你好") == "greeting"
    assert judged_form("so we live in Leeds lol") == "i live in leeds"
