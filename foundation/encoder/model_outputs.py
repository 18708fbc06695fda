"""Makes inner values of an ONNX model readable as outputs, without a library for the format.

Two serialized protocol buffers of one type, concatenated, read as one merged message. So it is enough to append the
bytes of a model that declares nothing but the added outputs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

# Numbers of fields in ``onnx.proto``:
_GRAPH: Final = 7  # ModelProto.graph
_OUTPUT: Final = 12  # GraphProto.output
_NAME: Final = 1  # ValueInfoProto.name
_TYPE: Final = 2  # ValueInfoProto.type
_TENSOR: Final = 1  # TypeProto.tensor_type
_FLOATS: Final = b"\x08\x01"  # a serialized TypeProto.Tensor whose elem_type (field 1) is FLOAT (1)
_BYTES: Final = 2  # the wire type of strings and messages
_LOW: Final = 0x7F  # the seven bits of a varint's byte that hold the number; the eighth says that more follow


def with_outputs(model: bytes, names: Iterable[str]) -> bytes:
    """The serialized model with the inner values of these names, arrays of float32, among its outputs."""
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
