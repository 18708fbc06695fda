"""One spelling and one person for what is judged."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from foundation.language import judged_form
from tests.foundation.text.strategies import any_text, market_text


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("We've moved to Leeds lol", "i've moved to leeds"),
        ("our kids don’t eat meat", "my kids don't eat meat"),
        ("im a vet n i dont eat meat rn", "i'm a vet and i don't eat meat right now"),
        ("I soooo loooove tea", "i so love tea"),
        ("he said “hi”", 'he said "hi"'),
        ("I um live in uh Leeds", "i live in leeds"),
        ("I earn 10000 a month", "i earn 10000 a month"),
        ("我们下周搬家啦", "我下周搬家"),
        ("本人对花生过敏", "我对花生过敏"),
        ("俺是送快遞的", "我是送快递的"),
        ("咱們家養了兩隻貓", "我家养了两只猫"),
        ("ＡＢＣ，我住在成都", "abc,我住在成都"),
    ],
)
def test_spelling_and_person_are_folded(sentence: str, form: str) -> None:
    assert judged_form(sentence) == form


@settings(deadline=None)
@given(any_text | market_text)
def test_any_text_has_a_form(text: str) -> None:
    form = judged_form(text)

    assert form == " ".join(form.split())
