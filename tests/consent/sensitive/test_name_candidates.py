"""What may be a name is weighed by the words around it: in small letters, of other languages, of two characters."""

from __future__ import annotations

import pytest

from consent.sensitive.names.tagger import name_candidates


def _candidates(text: str) -> dict[str, str]:
    return {text[found.start : found.end]: found.script for found in name_candidates(text)}


@pytest.mark.parametrize(
    ("text", "name", "script"),
    [
        ("my cousin tariq shabazz made varsity", "tariq shabazz", "latin"),
        ("the plumber is Kekoa Kealoha, ask for the discount", "Kekoa Kealoha", "latin"),
        ("客户安娜·伊万诺娃要发票", "安娜·伊万诺娃", "han"),
        ("住客小林直树要加一床被子", "小林直树", "han"),
        ("邻居乌云塔娜在旗里", "乌云塔娜", "han"),
        ("有事找我儿子邹凯，我耳朵背", "邹凯", "short"),
    ],
)
def test_a_name_is_among_the_candidates(text: str, name: str, script: str) -> None:
    assert _candidates(text)[name] == script


@pytest.mark.parametrize(
    "text", ["", "may or june, whatever", "sweet and delicious food", "a fresh start tomorrow", "业主张某已到场"]
)
def test_common_words_and_stand_ins_are_none(text: str) -> None:
    assert not _candidates(text)
