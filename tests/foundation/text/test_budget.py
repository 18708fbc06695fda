"""How much of a model's window a text takes."""

from __future__ import annotations

import pytest
from hypothesis import given

from foundation.text import estimate_tokens
from tests.foundation.text.strategies import any_text, market_text


@given(any_text | market_text, any_text | market_text)
def test_joining_texts_never_costs_more_than_the_parts(one: str, other: str) -> None:
    assert max(map(estimate_tokens, (one, other))) <= estimate_tokens(one + other)
    assert estimate_tokens(one + other) <= estimate_tokens(one) + estimate_tokens(other)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("   \n", 0),
        ("a" * 400, 100),
        ("贵州茅台", 4),
        ("hello, world", 5),
        ("123456", 2),
        ("😀é", 2),
    ],
)
def test_the_rule_is_the_documented_one(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens
