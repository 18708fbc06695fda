"""Write the mean vector of questions, which the embedded multilingual model takes away from every question's.

    python -m bench.query_mean

It is taken over the 2,400 questions that stand beside statements in ``bench/paraphrased/pairs_*.tsv``, half of them
Chinese. The same file comes out each time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from foundation.encoder.e5 import QUERY_MEAN_FILE, E5Model

PAIRS: Final = Path(__file__).parent / "paraphrased"
DECIMALS: Final = 4
"""Rounded, it is hardly ever another on another processor."""


def questions() -> Iterator[str]:
    """The questions of all pairs, both languages."""
    for path in sorted(PAIRS.glob("pairs_*.tsv")):
        for line in path.read_text(encoding="utf-8").splitlines():
            _statement, question = line.split("\t")
            yield question


def main() -> None:
    """Write the file and print its hash."""
    vectors = E5Model().vectors("query: ", list(questions()))
    np.save(QUERY_MEAN_FILE, np.round(vectors.mean(axis=0), DECIMALS).astype(np.float32))
    print(QUERY_MEAN_FILE.name, hashlib.sha256(QUERY_MEAN_FILE.read_bytes()).hexdigest())


if __name__ == "__main__":
    main()
