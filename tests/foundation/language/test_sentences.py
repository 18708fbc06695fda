"""Cutting a text into sentences."""

from __future__ import annotations

import pytest
from hypothesis import given

from foundation.language import split_sentences
from tests.foundation.text.strategies import any_text, market_text


@given(any_text | market_text)
def test_nothing_is_lost_but_white_space(text: str) -> None:
    sentences = split_sentences(text)

    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence and sentence == sentence.strip() for sentence in sentences)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("今天跌了。要卖吗？不！", ["今天跌了。", "要卖吗？", "不！"]),
        ("他说：“买吧。”然后走了。", ["他说：“买吧。”", "然后走了。"]),
        ("BRK.B rose 3.5 percent. Good.", ["BRK.B rose 3.5 percent.", "Good."]),
        ("Mr. Smith of Acme Inc. sold. He left.", ["Mr. Smith of Acme Inc. sold.", "He left."]),
        ("The U.S. market fell.", ["The U.S. market fell."]),
        ("first line\nsecond line", ["first line", "second line"]),
        ("Well... Yes.", ["Well...", "Yes."]),
        ("没有句号", ["没有句号"]),
        ("Wait...what? No....x", ["Wait...what?", "No....x"]),
        ('(He left...) And then.... "Yes."', ["(He left...)", "And then....", '"Yes."']),
    ],
)
def test_both_languages_are_cut_where_a_reader_would(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences
