"""Names inner values of an ONNX model as outputs, without a library for the format.

A serialized protocol buffer that stands behind another is merged into it: a model of nothing but outputs adds them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_GRAPH: Final = 7
"""Fields of ``onnx.proto``: ``ModelProto.graph``; ``GraphProto.output``; ``ValueInfoProto.name`` and ``.type``;
``TypeProto.tensor_type``, whose ``elem_type`` is ``FLOAT``.
"""
_OUTPUT: Final = 12
_NAME: Final = 1
_TYPE: Final = 2
_TENSOR: Final = 1
_FLOATS: Final = b"\x08\x01"
_BYTES: Final = 2  # the wire type of strings and messages
_LOW: Final = 0x7F


def with_outputs(model: bytes, names: Iterable[str]) -> bytes:
    """The serialized model whose values of these names, arrays of float32, are outputs, too."""
    return model + _field(_GRAPH, b"".join(map(_output, names)))


def _output(name: str) -> bytes:
    return _field(_OUTPUT, _field(_NAME, name.encode()) + _field(_TYPE, _field(_TENSOR, _FLOATS)))


def _field(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > _LOW:
        written.append(value & _LOW | _LOW + 1)
        value >>= 7
    return bytes([*written, value])
