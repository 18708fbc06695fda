"""A small network over the token states of the sentence encoder: which tokens matter, and what they say together."""

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
    """One network. For each layer it scales a token's states (``norm_weights``, ``norm_biases``, each (384,)) and
    projects them (``projections``, (384, d), ``projection_bias`` (d,)); four attentions (``attention`` (d, 4)) and the
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

    def odds(self, states: Sequence[Matrix]) -> float:
        """The log odds of a text by the states of its tokens, one array (tokens, 384) for each layer, as
        ``normalized_states`` gives them: several networks read the same.
        """
        layers = zip(states, self.norm_weights, self.norm_biases, self.projections, strict=True)
        projected = sum((state * weight + bias) @ matrix for state, weight, bias, matrix in layers)
        tokens = np.maximum(np.asarray(projected) + self.projection_bias, 0)
        scores = tokens @ self.attention + self.attention_bias
        shares = np.exp(scores - scores.max(axis=0))
        pooled = (shares / shares.sum(axis=0)).T @ tokens
        together = np.concatenate([pooled.ravel(), tokens.max(axis=0)])
        hidden = np.maximum(together @ self.hidden + self.hidden_bias, 0)
        return float(hidden @ self.output + self.output_bias)


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


def normalized_states(states: Sequence[Matrix]) -> list[Matrix]:
    """The states of each layer, every token's with mean 0 and variance 1."""
    return list(map(_normalized, states))


def _normalized(states: Matrix) -> Matrix:
    centred = states - states.mean(axis=1, keepdims=True)
    variance = (centred**2).mean(axis=1, keepdims=True)
    return np.asarray(centred / np.sqrt(variance + _EPSILON), dtype=np.float32)
