"""One spelling for the many ways the same text can be typed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.language import is_blank, normalize
from tests.foundation.text.strategies import any_text, market_text

_ASCII_AS_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


@given(any_text | market_text)
def test_normalizing_twice_changes_nothing(text: str) -> None:
    once = normalize(text)

    assert normalize(once) == once


@given(any_text)
def test_any_text_becomes_text_that_can_be_stored_as_utf_8(text: str) -> None:
    assert normalize(text).encode().decode() == normalize(text)


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E)))
def test_full_width_and_half_width_meet(text: str) -> None:
    assert normalize(text.translate(_ASCII_AS_FULL_WIDTH)) == normalize(text)


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("貴州茅臺的股價跌了", "贵州茅台的股价跌了"),
        ("我看著匯率", "我看着汇率"),
        ("乾燥的天氣裡", "干燥的天气里"),
        ("皇后在後面", "皇后在后面"),
        ("請記住我的風險偏好", "请记住我的风险偏好"),
    ],
)
def test_traditional_and_simplified_meet(traditional: str, simplified: str) -> None:
    assert normalize(traditional) == normalize(simplified) == simplified


def test_a_chain_of_variants_is_followed_to_its_end() -> None:
    assert normalize("薴") == normalize("苧") == normalize("苎")


def test_case_is_folded_beyond_ascii() -> None:
    assert normalize("STRASSE") == normalize("Straße")


@pytest.mark.parametrize("text", ["", " \n\t", "\u3000", "\u200b", "\u2060\ufeff \u00ad", "\u3164\u2800", "\ufe0f"])
def test_what_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


@pytest.mark.parametrize("text", ["a", "\u200b茅台\u200b", ".", "👍\ufe0f", "0"])
def test_what_shows_anything_is_not(text: str) -> None:
    assert not is_blank(text)


def test_no_character_becomes_a_phrase() -> None:
    assert max(len(normalize(character)) for character in "ﷺﷻ㌖㍿ﬃ⑳ΐ") == 8
    assert normalize("ﷺ") == normalize("صلعم")
