"""Arithmetic of unit vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def unit_rows(matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """``matrix`` with every row scaled to length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(matrix, axis=-1, keepdims=True)
    lengths[lengths == 0] = 1
    scaled: NDArray[np.float32] = (matrix / lengths).astype(np.float32, copy=False)
    return scaled
