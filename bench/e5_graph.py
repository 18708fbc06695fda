"""The encoder of multilingual-e5-small as an ONNX graph of onnxruntime's fused operators."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from bench.e5_source import BLOCK, Blocks, ModelSource

OPSET = 17
IR_VERSION = 9
MICROSOFT = "com.microsoft"
WEIGHT_RANGE = 63
TOKEN_RANGE = 127
MIDDLE = 7
"""Of the layers 0 to 11. Of 3, 5, 7 and 9 the one that helps the gate of learning most, on voices left out."""


class _Graph:
    """Nodes and initializers, each named by what it computes."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []

    def constant(self, name: str, values: NDArray[Any] | np.generic) -> str:
        self.initializers.append(numpy_helper.from_array(np.array(values, order="C"), name))
        return name

    def half(self, name: str, values: NDArray[Any]) -> str:
        """A constant kept in 16 bits and widened when the model is loaded."""
        return self.node("Cast", [self.constant(f"{name}.half", values.astype(np.float16))], name, to=TensorProto.FLOAT)

    def node(self, operator: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def linear(self, given: str, name: str, matrix: NDArray[np.float32], bias: NDArray[np.float32]) -> str:
        """``given`` by the transpose of ``matrix``, in int8: a scale for each token and for each row of ``matrix``.

        The rows take 7 bits of the 8. So a sum of two products stays within 16 bits, and processors with and without
        instructions for longer sums (VNNI) give the same integers.
        """
        scales = np.abs(matrix).max(axis=1) / WEIGHT_RANGE
        weights = np.rint(matrix / scales[:, None]).astype(np.int8)
        largest = self.node("ReduceMax", [self.node("Abs", [given], f"{name}.abs")], f"{name}.max", axes=[-1])
        stretch = self.node(
            "Div", ["token_range", self.node("Max", [largest, "tiny"], f"{name}.some")], f"{name}.stretch"
        )
        stretched = self.node("Mul", [given, stretch], f"{name}.stretched")
        tokens = self.node("QuantizeLinear", [stretched, "unit", "token_zero"], f"{name}.tokens")
        columns = self.constant(f"{name}.weights", weights.T)
        product = self.node("MatMulInteger", [tokens, columns, "token_zero", "weight_zero"], f"{name}.integers")
        product = self.node(
            "Div", [self.node("Cast", [product], f"{name}.floats", to=TensorProto.FLOAT), stretch], f"{name}.shrunk"
        )
        product = self.node("Mul", [product, self.constant(f"{name}.scales", scales)], f"{name}.scaled")
        return self.node("Add", [product, self.constant(f"{name}.bias", bias)], name)


def encoder(source: ModelSource, table: Blocks, positions: int, mean: NDArray[np.float32], tokenizer: bytes) -> bytes:
    """A model from ``ids``, shape (texts, tokens), to ``vectors``, shape (texts, hidden), ``mean`` taken away and of
    length 1. Its other outputs are ``middle``, the mean of the tokens after layer ``MIDDLE``, of the same shape, and
    ``tokenizer``, SentencePiece's model.

    The texts of one call have the same number of tokens: there is no padding, and so no mask.
    """
    graph = _Graph()
    graph.constant("token_range", np.float32(TOKEN_RANGE))
    graph.constant("token_zero", np.uint8(TOKEN_RANGE + 1))
    graph.constant("weight_zero", np.int8(0))
    graph.constant("unit", np.float32(1))
    graph.constant("tiny", np.float32(1e-9))
    state = _embedded(graph, source, table, positions)
    for layer in range(source.layers):
        state = _layer(graph, source, f"l{layer}", state)
        if layer == MIDDLE:
            graph.node("ReduceMean", [state], "middle", axes=[1], keepdims=0)
    pooled = graph.node("ReduceMean", [state], "pooled", axes=[1], keepdims=0)
    direction = graph.node("LpNormalization", [pooled], "direction", axis=-1, p=2)
    centred = graph.node("Sub", [direction, graph.constant("mean", mean)], "centred")
    graph.node("LpNormalization", [centred], "vectors", axis=-1, p=2)
    graph.constant("tokenizer", np.frombuffer(tokenizer, np.uint8))
    shape: list[str | int] = ["texts", "tokens"]
    made = helper.make_graph(
        graph.nodes,
        "multilingual-e5-small",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, shape)],
        [
            helper.make_tensor_value_info("vectors", TensorProto.FLOAT, ["texts", source.hidden]),
            helper.make_tensor_value_info("middle", TensorProto.FLOAT, ["texts", source.hidden]),
            helper.make_tensor_value_info("tokenizer", TensorProto.UINT8, [len(tokenizer)]),
        ],
        graph.initializers,
    )
    operators = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(made, opset_imports=operators, ir_version=IR_VERSION)
    serialized: bytes = model.SerializeToString(deterministic=True)
    return serialized


def _embedded(graph: _Graph, source: ModelSource, table: Blocks, positions: int) -> str:
    """Word, position and type vectors together, normalized."""
    words = graph.node(
        "GatherBlockQuantized",
        [
            graph.constant("words.weights", table.weights.reshape(len(table.weights), -1)),
            "ids",
            graph.constant("words.scales", table.scales),
        ],
        "words.half",
        MICROSOFT,
        gather_axis=0,
        quantize_axis=1,
        block_size=BLOCK,
        bits=4,
    )
    words = graph.node("Cast", [words], "words", to=TensorProto.FLOAT)
    of_positions = source.floats("emb.pos").reshape(-1, source.hidden)[:positions]
    of_type = source.floats("emb.type")[: source.hidden]  # there is only one text, which is of the first type
    zero, one = graph.constant("zero", np.array([0])), graph.constant("one", np.array([1]))
    two = graph.constant("two", np.array([2]))
    length = graph.node("Slice", [graph.node("Shape", ["ids"], "shape"), one, two], "length")
    places = graph.node("Slice", [graph.half("position", of_positions + of_type), zero, length, zero], "places")
    return _normalized(graph, source, "emb.ln", graph.node("Add", [words, places], "embedded"))


def _normalized(graph: _Graph, source: ModelSource, name: str, given: str, skip: str = "") -> str:
    """Layer normalization, of ``given + skip`` where there is one."""
    inputs = [
        graph.constant(f"{name}.w", source.floats(f"{name}.w")),
        graph.constant(f"{name}.b", source.floats(f"{name}.b")),
    ]
    if skip:
        return graph.node("SkipLayerNormalization", [given, skip, *inputs], name, MICROSOFT, epsilon=source.epsilon)
    return graph.node("LayerNormalization", [given, *inputs], name, axis=-1, epsilon=source.epsilon)


def _layer(graph: _Graph, source: ModelSource, name: str, state: str) -> str:
    """Attention and feed-forward, each added to what it was given."""
    kinds = ("q", "k", "v")
    parts = [f"{name}.{kind}" for kind in kinds]
    matrix = np.concatenate([source.blocks(f"{part}.w").dequantized() for part in parts])
    joined = graph.linear(state, f"{name}.qkv", matrix, np.concatenate([source.floats(f"{part}.b") for part in parts]))
    graph.nodes.append(helper.make_node("Split", [joined], parts, name=f"{name}.split", axis=-1))
    attended = graph.node("MultiHeadAttention", parts, f"{name}.heads", MICROSOFT, num_heads=source.heads)
    state = _normalized(graph, source, f"{name}.aln", _linear(graph, source, f"{name}.ao", attended), state)
    wide = graph.node("Gelu", [_linear(graph, source, f"{name}.fi", state)], f"{name}.gelu", MICROSOFT)
    return _normalized(graph, source, f"{name}.oln", _linear(graph, source, f"{name}.fo", wide), state)


def _linear(graph: _Graph, source: ModelSource, name: str, given: str) -> str:
    return graph.linear(given, name, source.blocks(f"{name}.w").dequantized(), source.floats(f"{name}.b"))
