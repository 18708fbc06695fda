"""The table of static vectors that comes with FinClaw."""

from __future__ import annotations

import numpy as np
import pytest

from foundation.embeddings.static_vectors import static_vectors


def test_a_word_that_is_not_in_the_table_is_read_in_pieces() -> None:
    whole, pieces = map(static_vectors().vector, ("chromatograph", "chromatography equipment"))

    assert np.linalg.norm(whole) == pytest.approx(1, abs=1e-5)
    assert whole @ pieces > whole @ static_vectors().vector("puppy")


@pytest.mark.parametrize("unknown", ["x" * 101, "\U0001f9ff"])
def test_unknown_words_are_left_out(unknown: str) -> None:
    known = static_vectors().vector("my favourite stock")

    assert np.allclose(static_vectors().vector(f"my favourite {unknown} stock"), known)


def test_accents_do_not_matter() -> None:
    assert np.allclose(static_vectors().vector("Café"), static_vectors().vector("cafe"))
