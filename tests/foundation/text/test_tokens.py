"""What the index holds of a text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.text import MAX_TOKEN_LENGTH, tokenize
from tests.foundation.text.strategies import any_text, market_text

_UNSAFE = re.compile(r"""[\s'"\\:\x00]""")


@given(any_text | market_text)
def test_every_token_is_a_clean_lexeme(text: str) -> None:
    for token in tokenize(text):
        assert 0 < len(token) <= MAX_TOKEN_LENGTH
        assert not _UNSAFE.search(token)
        assert token.encode()


@given(any_text | market_text)
def test_case_does_not_matter(text: str) -> None:
    assert tokenize(text.casefold()) == tokenize(text)


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=2))
def test_a_run_of_chinese_gives_a_bigram_for_each_pair(text: str) -> None:
    assert len(tokenize(text)) == len(text) - 1


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("600519.SH", ["600519.sh", "600519"]),
        ("0700.HK", ["0700.hk", "0700"]),
        ("BRK.B", ["brk.b", "brk"]),
        ("$BRK.B", ["brk.b", "brk"]),
        ("BTC/USDT", ["btc/usdt", "btc"]),
        ("1,234.5", ["1234.5"]),
        ("12.5%", ["12.5%", "12.5"]),
        ("￥1,200", ["¥1200", "1200"]),
        ("$500", ["$500", "500"]),
        ("2023-05-08", ["2023-05-08", "05-08", "2023", "5月"]),
        ("Q3 5G iPhone15", ["q3", "5g", "iphone15"]),
        ("A股", ["a股"]),
        ("股", ["股"]),
        ("买600519.SH吧", ["买", "600519.sh", "600519", "吧"]),
        ("贵州茅台", ["贵州", "州茅", "茅台"]),
    ],
)
def test_tickers_numbers_and_dates_stay_whole(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$AAPL", "aapl"),
        ("ＡＡＰＬ", "AAPL"),
        ("$TSLAS", "TSLAS"),
        ("２０２３年５月８日", "2023-05-08"),
        ("2023/5/8", "2023-05-08"),
        ("5月4号", "05月04日"),
        ("1,234.5", "1234.5"),
        ("￥500", "¥500"),
        ("貴州茅臺", "贵州茅台"),
        ("Caroline’s stories", "caroline's story"),
    ],
)
def test_two_spellings_of_the_same_give_the_same_tokens(one: str, other: str) -> None:
    assert tokenize(one) == tokenize(other) != []


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("600519", "买了 600519.SH"),
        ("btc", "做多 BTC/USDT"),
        ("12.5", "up 12.5%"),
        ("5月8号", "2023-05-08 Alice: hello"),
        ("5月份", "2023-05-08 Alice: hello"),
        ("running", "she runs"),
        ("IT", "the IT sector"),
        ("US equities", "sold my US shares"),
    ],
)
def test_a_bare_part_finds_the_whole(question: str, statement: str) -> None:
    assert set(tokenize(question)) & set(tokenize(statement))


def test_order_and_repeats_are_kept() -> None:
    assert tokenize("buy sell buy") == ["buy", "sell", "buy"]


def test_stop_words_are_dropped_and_negations_are_not() -> None:
    assert tokenize("I do not want the shares, I don't!") == ["not", "want", "share"]


def test_what_only_looks_like_a_date_is_read_as_numbers() -> None:
    assert tokenize("2023-13-45") == ["2023", "13", "45"]


def test_a_number_inside_a_longer_one_is_no_month() -> None:
    assert "3月" not in tokenize("123月")
