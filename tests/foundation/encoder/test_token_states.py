"""The encoder tells the states of a text's tokens, and what it made with them it makes once."""

from __future__ import annotations

import numpy as np
import pytest

from foundation.encoder.e5 import E5_DIMENSIONS, PASSAGE_PREFIX, QUERY_PREFIX, E5Model
from foundation.encoder.model_outputs import with_outputs


@pytest.fixture(scope="module")
def model() -> E5Model:
    return E5Model()


def test_states_are_of_each_token_and_layer(model: E5Model) -> None:
    early, late = model.token_states(QUERY_PREFIX, "Sell my shares at noon", (5, 9))

    assert early.shape == late.shape
    assert early.shape[1] == E5_DIMENSIONS
    assert len(early) > len(["Sell", "my", "shares", "at", "noon"])
    assert not np.allclose(early, late)


def test_the_vector_made_with_them_is_the_one_made_alone(model: E5Model) -> None:
    alone = model.vectors(QUERY_PREFIX, ["What do I hold?"])
    model.token_states(QUERY_PREFIX, "What do I hold?", (9,))

    assert np.array_equal(model.vectors(QUERY_PREFIX, ["What do I hold?"]), alone)
    assert np.array_equal(model.vectors(QUERY_PREFIX, ["What do I hold?"]), alone)  # the kept one is gone by now


def test_the_vector_made_with_a_sentences_form_is_the_one_made_alone_and_costs_nothing(model: E5Model) -> None:
    alone = model.vectors(PASSAGE_PREFIX, ["I hold TSLA"])
    waiting = len(model._vector_cache)
    model.vectors_with_form(PASSAGE_PREFIX, ["I hold TSLA"])
    assert len(model._vector_cache) == waiting + 1

    assert np.array_equal(model.vectors(PASSAGE_PREFIX, ["I hold TSLA"]), alone)
    assert len(model._vector_cache) == waiting  # taken, not made anew


def test_few_vectors_wait_and_the_oldest_goes(model: E5Model) -> None:
    for number in range(70):
        model.token_states(QUERY_PREFIX, f"Question {number}", (5,))

    assert len(model._vector_cache) <= 65


def test_outputs_are_appended_to_a_serialized_model() -> None:
    assert with_outputs(b"model", []) == b"model\x3a\x00"
    assert with_outputs(b"", ["a"]).endswith(b"\x0a\x01a\x12\x04\x0a\x02\x08\x01")
