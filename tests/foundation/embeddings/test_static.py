"""The table of static vectors that comes with FinClaw."""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import foundation.embeddings
from foundation.embeddings.static_vectors import static_vectors

_DATA = Path(foundation.embeddings.__file__).parent / "data"
_NOTICED = re.findall(r"^\| `([\w.-]+)` .* `([0-9a-f]{64})` \|$", (_DATA / "NOTICE.md").read_text(), re.MULTILINE)


def test_the_notice_names_every_file() -> None:
    assert {name for name, _ in _NOTICED} == {file.name for file in _DATA.iterdir()} - {"NOTICE.md"}


@pytest.mark.parametrize(("name", "digest"), _NOTICED)
def test_every_file_is_the_one_in_the_notice(name: str, digest: str) -> None:
    assert sha256((_DATA / name).read_bytes()).hexdigest() == digest


def test_the_notice_names_licence_and_recipe() -> None:
    notice = (_DATA / "NOTICE.md").read_text()

    assert "Apache License 2.0" in notice
    assert "bench/distill_embeddings.py" in notice
    assert "MIT" in notice
    assert "bench/build_e5.py" in notice


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
