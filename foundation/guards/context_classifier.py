"""Small networks over the token states of the sentence encoder: which tokens matter, and what they say together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

LAYERS: Final = (5, 7, 9, 11)
"""The encoder's layers, counted from 0, whose states are read: earlier ones tell of form, later ones of topic."""
_EPSILON: Final = 1e-5

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class ContextNetwork:
    """One network. For each layer a token's states are scaled (``norm_weights``, ``norm_biases``, each (384,)) and
    projected (``projections``, (384, d), ``projection_bias`` (d,)); four attentions (``attention`` (d, 4)) and the
    maximum pool the tokens; two layers (``hidden`` (5 d, h), ``output`` (h,)) give the log odds.
    """

    norm_weights: Sequence[Matrix]
    norm_biases: Sequence[Matrix]
    projections: Sequence[Matrix]
    projection_bias: Matrix
    attention: Matrix
    attention_bias: Matrix
    hidden: Matrix
    hidden_bias: Matrix
    output: Matrix
    output_bias: float

    def folded_projection(self) -> tuple[Matrix, Matrix]:
        """Scaling and projection of all layers as one matrix (layers * 384, d), and what is added, (d,)."""
        layers = list(zip(self.norm_weights, self.norm_biases, self.projections, strict=True))
        matrix = np.concatenate([weight[:, None] * projection for weight, _, projection in layers])
        return matrix, self.projection_bias + sum(bias @ projection for _, bias, projection in layers)

    def odds(self, tokens: Matrix) -> float:
        """The log odds of a text by its projected tokens, shape (tokens, d)."""
        scores = tokens @ self.attention + self.attention_bias
        shares = np.exp(scores - scores.max(axis=0))
        pooled = (shares / shares.sum(axis=0)).T @ tokens
        together = np.concatenate([pooled.ravel(), tokens.max(axis=0)])
        hidden = np.maximum(together @ self.hidden + self.hidden_bias, 0)
        return float(hidden @ self.output + self.output_bias)


class NetworkEnsemble:
    """Networks that read the same text, each with its own say. Their projections stand side by side in one matrix:
    one product for all takes half the time of one for each layer and network (measured).
    """

    def __init__(self, networks: Sequence[ContextNetwork]) -> None:
        self.networks = networks
        matrices, biases = zip(*(network.folded_projection() for network in networks), strict=True)
        self._projection = np.concatenate(matrices, axis=1)
        self._bias = np.concatenate(biases)

    def odds(self, states: Matrix) -> float:
        """The mean of the networks' log odds, by the text's ``normalized_states``."""
        tokens = np.maximum(states @ self._projection + self._bias, 0)
        parts = np.split(tokens, len(self.networks), axis=1)
        return float(np.mean([network.odds(part) for network, part in zip(self.networks, parts, strict=True)]))


def read_network(arrays: Mapping[str, NDArray[Any]], prefix: str) -> ContextNetwork:
    """The network whose arrays have names that begin with ``prefix``."""

    def named(name: str) -> Matrix:
        return np.asarray(arrays[prefix + name], dtype=np.float32)

    return ContextNetwork(
        norm_weights=[named(f"norm.{layer}.weight") for layer in LAYERS],
        norm_biases=[named(f"norm.{layer}.bias") for layer in LAYERS],
        projections=[named(f"projection.{layer}") for layer in LAYERS],
        projection_bias=named("projection.bias"),
        attention=named("attention"),
        attention_bias=named("attention.bias"),
        hidden=named("hidden"),
        hidden_bias=named("hidden.bias"),
        output=named("output"),
        output_bias=float(named("output.bias")),
    )


def normalized_states(states: Sequence[Matrix]) -> Matrix:
    """The states of every token, shape (tokens, layers * 384), each layer's with mean 0 and variance 1."""
    return np.concatenate(list(map(_normalized, states)), axis=1)


def _normalized(states: Matrix) -> Matrix:
    centred = states - states.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + _EPSILON), dtype=np.float32)
