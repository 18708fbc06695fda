"""Weights of our own small models: a file of arrays, used only where it is the one that its data card describes."""

from __future__ import annotations

import io
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class DamagedWeights(RuntimeError):
    """The file of the weights is not the one that its data card describes."""


def read_weights(file: Path, card: str) -> dict[str, NDArray[Any]]:
    """The arrays of a file by name. Raises ``DamagedWeights`` where its SHA-256 does not stand in the text of its
    ``card``.
    """
    content = file.read_bytes()
    if sha256(content).hexdigest() not in card:
        raise DamagedWeights(file.name)
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)
