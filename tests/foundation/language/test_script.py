"""Which script a text is written in."""

from __future__ import annotations

import pytest
from hypothesis import given

from foundation.language import cjk_characters, cjk_share
from tests.foundation.text.strategies import any_text, market_text


@given(any_text | market_text)
def test_a_share_lies_between_nothing_and_all(text: str) -> None:
    assert 0.0 <= cjk_share(text) <= 1.0
    assert (cjk_share(text) > 0) == bool(cjk_characters(text))


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0),
        ("123, 456!", 0.0),
        ("only English, 2023", 0.0),
        ("全是中文，2023。", 1.0),
        ("我有AB", 0.5),
        ("ひらがな", 1.0),
        ("한국어", 1.0),
    ],
)
def test_digits_and_punctuation_do_not_count(text: str, share: float) -> None:
    assert cjk_share(text) == share


def test_characters_come_in_order_and_with_repeats() -> None:
    assert cjk_characters("天x天、好") == ["天", "天", "好"]
