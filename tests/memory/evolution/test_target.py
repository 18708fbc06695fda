"""Which earlier statement a change means, by its words and vectors alone."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foundation.embeddings.local_embedder import LocalEmbedder
from memory.evolution import change_target
from memory.evolution.change_target import EarlierStatement, LikelyTarget, likeliest_target, weights_of

EMBEDDER = LocalEmbedder()
EARLIER_EN = [
    "I drive an old Corsa", "our Ida is six and plays the recorder", "I hold 40 shares of Rivian",
    "I'm allergic to peanuts", "please answer in bullet points", "I row on Sundays", "my boss is called Joan",
]  # fmt: skip
EARLIER_ZH = [
    "我住在成都", "我在炒股，主要是宁德时代", "我对花生过敏", "我养了一只猫叫豆豆", "每周二晚上打羽毛球",
    "我老公在银行上班",
]  # fmt: skip


def chosen(change: str, said: Sequence[str]) -> LikelyTarget:
    vectors = EMBEDDER.embed_passages(said)
    since = range(len(said), 0, -1)
    pool = [EarlierStatement(text, vector, age) for text, vector, age in zip(said, vectors, since, strict=True)]
    found = likeliest_target(change, EMBEDDER.embed_passages([change])[0], pool, "light")
    assert found is not None
    return found


@pytest.mark.parametrize(("change", "said", "meant"), [
    ("sold all the Rivian this morning", EARLIER_EN, "I hold 40 shares of Rivian"),
    ("turns out it was never a peanut allergy", EARLIER_EN, "I'm allergic to peanuts"),
    ("Ida has turned seven", EARLIER_EN, "our Ida is six and plays the recorder"),
    ("no more bullet points for me", EARLIER_EN, "please answer in bullet points"),
    ("已经不炒股了", EARLIER_ZH, "我在炒股，主要是宁德时代"),
    ("豆豆送人了，家里没有猫了", EARLIER_ZH, "我养了一只猫叫豆豆"),
    ("羽毛球改到周四晚上了", EARLIER_ZH, "每周二晚上打羽毛球"),
])  # fmt: skip
def test_the_right_one_comes_first(change: str, said: Sequence[str], meant: str) -> None:
    assert said[chosen(change, said).place] == meant


def test_nothing_said_before_is_nothing_changed() -> None:
    assert likeliest_target("we moved", EMBEDDER.embed_passages(["we moved"])[0], [], "light") is None


def test_a_change_of_something_never_said_is_acted_upon_less_surely() -> None:
    change = "sold all the Rivian this morning"
    without = [text for text in EARLIER_EN if "Rivian" not in text]
    assert chosen(change, without).probability < chosen(change, EARLIER_EN).probability
    assert chosen(change, without).probability_changed(0.9) < chosen(change, EARLIER_EN).probability_changed(0.9)


def test_it_takes_a_change_and_a_target_to_be_sure() -> None:
    clear = LikelyTarget(0, 0.95, 3)
    assert clear.probability_changed(0.9) > clear.probability_changed(0.1)
    assert clear.probability_changed(0.9) > LikelyTarget(0, 0.3, 3).probability_changed(0.9)
    assert 0 < LikelyTarget(0, 0.0, 1).probability_changed(0.0) < LikelyTarget(0, 1.0, 1).probability_changed(1.0) < 1


def test_the_margin_grows_with_the_alternatives() -> None:
    assert LikelyTarget(0, 0.9, 1).margin < LikelyTarget(0, 0.9, 10).margin < LikelyTarget(0, 0.9, 100).margin < 1


def test_two_vector_spaces_are_never_mixed() -> None:
    assert change_target.encoder_of("multilingual-e5-small-int8-1") == "e5"
    assert change_target.encoder_of(LocalEmbedder.model_id) == "light"
    assert change_target.encoder_of("text-embedding-3-small") is None


@pytest.mark.parametrize(("encoder", "dimensions"), [("e5", 384), ("light", 640)])
def test_the_weights_are_those_that_were_fitted(encoder: change_target.Encoder, dimensions: int) -> None:
    weights = weights_of(encoder)
    assert weights.mean.shape == (dimensions,)
    assert weights.projection.shape[0] == dimensions
    assert weights.coefficients.shape == (len(change_target.FEATURES),)


@given(st.lists(st.text(max_size=80), min_size=1, max_size=8), st.text(max_size=80))
def test_whatever_is_said_the_probabilities_are_a_share_of_one(said: list[str], change: str) -> None:
    assert 0 <= chosen(change, said).probability <= 1
