"""What the rules make of a message, in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from finclaw.brain.understanding.finance import tickers_in
from finclaw.brain.understanding.intent import classify
from foundation.language import ParsedMessage


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hi there", "small_talk"),
        ("你好", "small_talk"),
        ("谢谢你", "small_talk"),
        ("What do you remember about me?", "memory_check"),
        ("What do I follow?", "memory_check"),
        ("你还记得我喜欢什么吗?", "memory_check"),
        ("我关注哪些股票?", "memory_check"),
        ("Actually, I live in Hamburg now", "correction"),
        ("我不再关注BTC了", "correction"),
        ("不是运动风,而是简约风", "correction"),
        ("Should I buy more 600519.SH?", "research"),
        ("分析一下贵州茅台的估值", "research"),
        ("What is a covered call?", "knowledge_question"),
        ("什么是市盈率", "knowledge_question"),
        ("I follow BTC", "statement"),
        ("我住在上海", "statement"),
        ("Weather talk", "chat"),
    ],
)
def test_intent(text: str, expected: str) -> None:
    assert classify(ParsedMessage(text)).intent_type == expected


@pytest.mark.parametrize(
    ("text", "tickers"),
    [
        ("Compare BTC with 600519.SH and $AAPL", ["BTC", "600519.SH", "AAPL"]),
        ("0700.HK和贵州茅台", ["0700.HK"]),
        ("Is the US economy OK?", []),
        ("my IBAN is DE02 1203 0000, the BIC comes by mail", []),
    ],
)
def test_tickers_are_entities(text: str, tickers: list[str]) -> None:
    assert tickers_in(text) == tickers


@given(st.text(max_size=300))
def test_any_text_has_an_intent(text: str) -> None:
    assert 0 <= classify(ParsedMessage(text)).confidence <= 1
