"""Reads the weights of the name taggers once: hashed linear weights and character statistics."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from foundation.model_weights import read_weights

WEIGHTS_FILE: Final = Path(__file__).parent / "data" / "names.npz"
"""Its data card, ``README.md``, stands beside it."""
BUCKET_BITS: Final = 20
WORD_BITS: Final = 20
"""Sizes, as powers of two, of a tagger's table of weights and of each set of words."""


@cache
def name_weights() -> dict[str, NDArray[Any]]:
    """The arrays of the taggers, by name. Raises ``DamagedWeights`` where the file is not the one of its data card."""
    card = WEIGHTS_FILE.with_name("README.md").read_text(encoding="utf-8")
    arrays = read_weights(WEIGHTS_FILE, card)
    return arrays | {
        name: np.unpackbits(array).astype(bool) for name, array in arrays.items() if name.startswith("words.")
    }
