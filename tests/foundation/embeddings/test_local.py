"""The light embedded model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foundation.embeddings import LocalEmbedder
from foundation.embeddings.hashed_vectors import hashed_vector
from tests.foundation.text.strategies import any_text, market_text


def _likeness(one: str, other: str) -> float:
    first, second = LocalEmbedder().embed_passages([one, other])
    return float(first @ second)


@settings(deadline=None)
@given(st.lists(any_text | market_text, max_size=5))
def test_any_texts_give_one_unit_row_each(texts: list[str]) -> None:
    matrix = LocalEmbedder().embed_passages(texts)

    assert matrix.shape == (len(texts), LocalEmbedder.dimensions)
    assert matrix.dtype == np.float32
    assert np.allclose(np.linalg.norm(matrix, axis=1), 1, atol=1e-5)


@pytest.mark.parametrize("text", ["", "!!", "\0", "😀", "the of and"])
def test_a_text_without_words_still_has_a_direction(text: str) -> None:
    assert np.isclose(np.linalg.norm(LocalEmbedder().embed_passages([text])), 1, atol=1e-5)


def test_queries_and_passages_are_not_told_apart() -> None:
    texts = ["I sold my shares", "我卖了股票"]

    assert np.array_equal(LocalEmbedder().embed_queries(texts), LocalEmbedder().embed_passages(texts))


def test_a_text_has_the_same_vector_alone_and_in_company() -> None:
    together = LocalEmbedder().embed_passages(["I sold my shares", "我卖了股票"])

    assert np.array_equal(together[1:], LocalEmbedder().embed_passages(["我卖了股票"]))


@pytest.mark.parametrize(
    ("question", "related", "unrelated"),
    [
        ("What is her job?", "She works as a nurse", "He painted a sunrise"),
        ("Which pets do they own?", "We got a puppy and two cats", "The bond yields fell"),
        ("我的风险偏好是什么", "用户的风险偏好为稳健型", "昨天去公园看樱花"),
        ("茅台跌了吗", "貴州茅臺今天下跌", "我喜欢弹钢琴"),
    ],
)
def test_what_is_related_is_nearer(question: str, related: str, unrelated: str) -> None:
    assert _likeness(question, related) > _likeness(question, unrelated)


def test_traditional_and_simplified_text_coincide() -> None:
    assert _likeness("貴州茅臺的股價", "贵州茅台的股价") == pytest.approx(1, abs=1e-5)


def test_hashed_tokens_are_the_same_in_every_process() -> None:
    places = {text: np.flatnonzero(hashed_vector(text)).tolist() for text in ("aapl", "股")}

    assert places == {"aapl": [139], "股": [187]}
