"""What a comment's words say of an earlier judgement, in both languages alike. No database."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings

from drift.lexicon import configured, stance_of
from drift.types import Keyword


def _stance(comment: str) -> str | None:
    keywords = configured().keywords_in(comment)
    return "retraction" if any(word.stance == "retraction" for word in keywords) else stance_of(keywords)


@pytest.mark.parametrize(
    ("english", "chinese", "stance"),
    [
        ("I agree.", "我同意。", "positive"),
        ("I disagree.", "我反对。", "negative"),
        ("I don't agree.", "我不同意。", "negative"),
        ("I no longer agree.", "我不再同意。", "negative"),
        ("I cannot disagree.", "我不反对。", "positive"),
        ("Very helpful!", "很有帮助！", "positive"),
        ("Not very helpful.", "没什么帮助。", "negative"),
        ("It isn't misleading.", "没有误导。", "positive"),
        ("I was wrong.", "我错了。", "retraction"),
        ("My previous judgement of it was wrong.", "我之前对它的判断错了。", "retraction"),
        ("I’ve changed my mind.", "我改變主意了。", "retraction"),
        ("Not only is it long, what went wrong is missing.", "不过篇幅很长，还错过了重点。", None),
        ("Read on the train.", "在火车上读的。", None),
        ("I agree with half of it, the rest is wrong.", "前一半我同意，后一半错了。", None),
        ("", "", None),
    ],
)
def test_both_languages_say_the_same(english: str, chinese: str, stance: str | None) -> None:
    assert (_stance(english), _stance(chinese)) == (stance, stance)


@pytest.mark.parametrize(
    ("word", "stance"),
    [
        ("thumbs_up", "positive"), ("not_helpful", "negative"), ("agree", "positive"), ("disagree", "negative"),
        ("错", "negative"), ("对", "positive"),
    ],
)  # fmt: skip
def test_the_words_that_the_seed_starts_with_are_known(word: str, stance: str) -> None:
    assert _stance(word) == stance  # seed A O-2


@pytest.mark.parametrize("comment", ["disagreeable weather", "brightest upright", "wrongdoing", "rightly"])
def test_a_part_of_a_word_is_no_word(comment: str) -> None:
    assert configured().keywords_in(comment) == ()


@pytest.mark.parametrize(
    "comment", ["对我来说", "相对强势", "对冲基金", "错峰出行", "绝对收益", "应对通胀", "针对散户"]
)
def test_a_character_inside_a_word_is_no_verdict(comment: str) -> None:
    assert configured().keywords_in(comment) == ()


def test_a_keyword_is_the_lexicons_and_told_once() -> None:
    assert configured().keywords_in("Wrong, WRONG, and not ever convincing to Zebedee") == (
        Keyword("wrong", "negative"),
        Keyword("not convincing", "negative"),
    )


def test_a_lexicon_of_ones_own_takes_the_place_of_the_shipped_one(tmp_path: Path, settings: Settings) -> None:
    file = tmp_path / "lexicon.yaml"
    language = "{positive: [%s], negative: [], retraction: [], neutral: [], negators: ['%s']}\n"
    file.write_text(f"en: {language % ('hodl', 'never')}zh: {language % ('躺平', '不')}", encoding="utf-8")
    settings.DRIFT_LEXICON_FILE = str(file)

    assert [_stance(text) for text in ("hodl", "never hodl", "躺平", "不躺平", "agree")] == [
        "positive", "negative", "positive", "negative", None,
    ]  # fmt: skip


@given(st.text(alphabet="agre wrong not i was 不对错没有看好我之前的判断…,，。'’", max_size=60))
def test_whatever_is_written_only_words_of_the_lexicon_come_out(comment: str) -> None:
    lexicon = configured()

    for keyword in lexicon.keywords_in(comment):
        assert (
            keyword.word.removeprefix("not ").removeprefix("不") in lexicon.stances or keyword.word in lexicon.stances
        )
