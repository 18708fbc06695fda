"""Words that can be read in two ways are found, and only those."""

from __future__ import annotations

import pytest

from tests.patterns.ambiguity import find_ambiguous


@pytest.mark.parametrize(
    ("words", "ambiguous"),
    [
        (["总", "总是", "是"], ["总是"]),
        (["刚", "刚刚"], ["刚刚"]),
        (["ab", "c", "a", "bc"], ["abc"]),
        (["mostly ", "often ", "mostly "], ["mostly "]),
        (["谢谢", "谢谢你", "你好", "好"], ["谢谢你好"]),
    ],
)
def test_an_ambiguous_word_is_found(words: list[str], ambiguous: list[str]) -> None:
    assert find_ambiguous(words) == ambiguous


def test_words_that_are_read_in_one_way_hold_none() -> None:
    assert find_ambiguous(["总", "是", "也是不", "嗯", "哦", "对了"]) == []
