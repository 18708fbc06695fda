"""Words of a search are marked in a text as the index reads them; nothing of the text is lost."""

from __future__ import annotations

import pytest
from hypothesis import given

from foundation.text import highlighted_pieces, snippet
from tests.foundation.text.strategies import any_text, market_text


def marked(text: str, query: str) -> list[str]:
    return [piece.text for piece in highlighted_pieces(text, query) if piece.is_match]


@pytest.mark.parametrize(
    ("text", "query", "words"),
    [
        ("Alice has two Kids, Tom and Ida", "kid TOM", ["Kids", "Tom"]),
        ("我喜欢喝咖啡，不喜欢茶", "喜欢咖啡", ["喜欢", "咖啡", "喜欢"]),
        ("我喜歡喝咖啡", "喜欢", ["喜歡"]),
        ("ＢＴＣ fell", "btc", ["ＢＴＣ"]),
        ("Alice held 600519.SH in 2023", "600519", ["600519.SH"]),
        ("The ﬁrm pays", "firm", ["ﬁrm"]),
        ("Alice follows BTC", "the of", []),
        ("Alice follows BTC", "", []),
        ("Alice follows BTC", "zzzqqq", []),
    ],
)
def test_a_word_is_marked_in_every_form_the_index_takes_for_it(text: str, query: str, words: list[str]) -> None:
    assert marked(text, query) == words


@given(any_text | market_text, any_text | market_text)
def test_the_pieces_joined_are_the_text(text: str, query: str) -> None:
    assert "".join(piece.text for piece in highlighted_pieces(text, query)) == text


def test_a_snippet_stands_around_the_first_word_found() -> None:
    text = "Alice talked about the weather. " * 20 + "Then she bought a vineyard. " + "And so on. " * 20
    cut = snippet(text, "vineyards", 120)
    assert marked(cut, "vineyards") == ["vineyard"]
    assert cut.startswith("…")
    assert cut.endswith("…")
    assert len(cut) <= 122


def test_a_short_text_is_its_own_snippet() -> None:
    assert snippet("Alice bought a vineyard", "vineyard", 120) == "Alice bought a vineyard"
    assert snippet("Alice " * 40, "vineyard", 12) == "Alice Alice…"
