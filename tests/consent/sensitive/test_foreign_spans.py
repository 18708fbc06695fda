"""Names of other languages in Chinese characters are told from the words beside them."""

from __future__ import annotations

import pytest

from consent.sensitive.names.foreign_spans import DOTTED, JOINED, foreign_spans


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("客户安娜·伊万诺娃要发票", "安娜·伊万诺娃", DOTTED),
        ("联系人是阿卜杜拉·买买提。", "阿卜杜拉·买买提", DOTTED),
        ("让-皮埃尔·杜布瓦", "让-皮埃尔·杜布瓦", DOTTED),
        ("学生格桑平措请假", "格桑平措", JOINED),
        ("邻居乌云塔娜在旗里", "乌云塔娜", JOINED),
        ("区经巴特尔明早开会", "巴特尔", JOINED),
    ],
)
def test_a_name_is_told_from_the_words_beside_it(text: str, name: str, kind: int) -> None:
    start = text.index(name)
    assert foreign_spans(text) == [(start, start + len(name), kind)]


@pytest.mark.parametrize("text", ["", "·", "甲", "次仁来了", "价格涨到三·五元 · 收盘", "Anna·Ivanova", "a·b·c"])
def test_what_is_no_such_name_is_left_alone(text: str) -> None:
    assert all(kind == DOTTED and "·" in text[start:end] for start, end, kind in foreign_spans(text))
    assert not any(kind == JOINED for *_, kind in foreign_spans(text))
