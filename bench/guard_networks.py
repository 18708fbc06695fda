"""Trains the guards' networks over the encoder's token states."""

from __future__ import annotations

import pickle
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from foundation.encoder.e5 import E5_DIMENSIONS, QUERY_PREFIX, E5Model
from foundation.guards.context_classifier import LAYERS, ContextNetwork
from foundation.guards.types import GuardName
from foundation.guards.weights import guard_model

WIDTH: Final = 160
HEADS: Final = 4
HIDDEN: Final = 96
EPOCHS: Final = 5
BATCH: Final = 48
RATE: Final = 1.5e-3
CONTINUED_EPOCHS: Final = 2
CONTINUED_RATE: Final = 6e-4
"""Of a network that goes on from where it is."""
DROPPED: Final = 0.2
DROPPED_POOLED: Final = 0.3
SOFT: Final = 0.02
"""How far a label is from 0 or 1, so that no network is ever sure."""
_MASKED: Final = -1e4

TokenStates = NDArray[np.float16]
"""The states of a text's tokens, shape (tokens, layers, 384)."""


class GuardNetwork(nn.Module):  # type: ignore[misc]  # torch is no dependency of the checks
    """As ``foundation.guards.context_classifier`` reads it."""

    def __init__(self) -> None:
        super().__init__()
        self.projection = nn.Linear(len(LAYERS) * E5_DIMENSIONS, WIDTH)
        self.attention = nn.Linear(WIDTH, HEADS)
        self.hidden = nn.Linear(WIDTH * (HEADS + 1), HIDDEN)
        self.output = nn.Linear(HIDDEN, 1)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """The log odds of a batch, shape (texts,)."""
        normalized = functional.layer_norm(states, (E5_DIMENSIONS,)).flatten(2)
        tokens = functional.relu(self.projection(functional.dropout(normalized, DROPPED, self.training)))
        blind = mask[..., None] == 0
        shares = self.attention(tokens).masked_fill(blind, _MASKED).softmax(dim=1)
        pooled = torch.einsum("bth,btd->bhd", shares, tokens).flatten(1)
        together = torch.cat([pooled, tokens.masked_fill(blind, _MASKED).amax(dim=1)], dim=1)
        hidden = functional.relu(self.hidden(functional.dropout(together, DROPPED_POOLED, self.training)))
        odds: Tensor = self.output(hidden).squeeze(1)
        return odds

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The weights under the names that ``read_network`` asks for."""
        named: dict[str, NDArray[Any]] = {"projection.bias": _array(self.projection.bias)}
        one, none = np.ones(E5_DIMENSIONS, dtype=np.float32), np.zeros(E5_DIMENSIONS, dtype=np.float32)
        for layer, weight in zip(LAYERS, np.split(_array(self.projection.weight).T, len(LAYERS)), strict=True):
            named |= {f"norm.{layer}.weight": one, f"norm.{layer}.bias": none, f"projection.{layer}": weight}
        named["attention"], named["attention.bias"] = _array(self.attention.weight).T, _array(self.attention.bias)
        named["hidden"], named["hidden.bias"] = _array(self.hidden.weight).T, _array(self.hidden.bias)
        named["output"], named["output.bias"] = _array(self.output.weight)[0], _array(self.output.bias)[0]
        return named


def read_states(texts: Sequence[str], cache: Path) -> list[TokenStates]:
    """The token states of each text; those made once are kept in a file."""
    known: dict[str, TokenStates] = pickle.loads(cache.read_bytes()) if cache.exists() else {}  # noqa: S301 (our own)
    missing = [text for text in dict.fromkeys(texts) if text not in known]
    if missing:
        model = E5Model()
        for text in missing:
            known[text] = np.stack(model.token_states(QUERY_PREFIX, text, LAYERS), axis=1).astype(np.float16)
        cache.write_bytes(pickle.dumps(known))
    return [known[text] for text in texts]


def shipped_network(guard: GuardName, number: int) -> GuardNetwork:
    """One of the guard's networks as they are in use."""
    return trainable(guard_model(guard).networks.networks[number])


def trainable(read: ContextNetwork) -> GuardNetwork:
    """A network of a file of weights, to be trained or asked for many texts at once."""
    matrix, bias = read.folded_projection()
    arrays: dict[str, Any] = {
        "projection.weight": matrix.T, "projection.bias": bias,
        "attention.weight": read.attention.T, "attention.bias": read.attention_bias,
        "hidden.weight": read.hidden.T, "hidden.bias": read.hidden_bias,
        "output.weight": read.output[None], "output.bias": [read.output_bias],
    }  # fmt: skip
    network = GuardNetwork()
    network.load_state_dict({name: torch.tensor(np.array(array, dtype=np.float32)) for name, array in arrays.items()})
    return network


def fit_network(
    states: Sequence[TokenStates], truth: NDArray[np.bool_], *, seed: int, start: GuardNetwork | None = None,
    epochs: int = EPOCHS, rate: float = RATE,
) -> GuardNetwork:  # fmt: skip
    """Train one network, from its beginning or from ``start``; the same seed gives the same one."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    shuffled = random.Random(seed)
    network = start or GuardNetwork()
    optimizer = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=0.05)
    steps = epochs * (len(states) // BATCH + 1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, rate, total_steps=steps + 10)
    network.train()
    for _ in range(epochs):
        for chosen in _batches(states, shuffled):
            wanted = torch.tensor(truth[chosen], dtype=torch.float32) * (1 - 2 * SOFT) + SOFT
            loss = functional.binary_cross_entropy_with_logits(network(*_padded(states, chosen)), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return network


def network_odds(network: GuardNetwork, states: Sequence[TokenStates]) -> NDArray[np.float64]:
    """The log odds of each text."""
    network.eval()
    odds = np.zeros(len(states))
    with torch.no_grad():
        for chosen in _batches(states, None):
            odds[chosen] = network(*_padded(states, chosen)).numpy()
    return odds


def _batches(states: Sequence[TokenStates], shuffled: random.Random | None) -> Iterator[list[int]]:
    """Texts of about one length together, in random order where they are shuffled."""
    lengths = [len(state) // 8 + (shuffled.random() * 3 if shuffled else 0) for state in states]
    order = sorted(range(len(states)), key=lengths.__getitem__)
    batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
    if shuffled:
        shuffled.shuffle(batches)
    yield from batches


def _padded(states: Sequence[TokenStates], chosen: Sequence[int]) -> tuple[Tensor, Tensor]:
    longest = max(len(states[i]) for i in chosen)
    batch = torch.zeros(len(chosen), longest, len(LAYERS), E5_DIMENSIONS)
    mask = torch.zeros(len(chosen), longest)
    for row, i in enumerate(chosen):
        batch[row, : len(states[i])] = torch.from_numpy(states[i].astype(np.float32))
        mask[row, : len(states[i])] = 1
    return batch, mask


def _array(tensor: Tensor) -> NDArray[np.float32]:
    return np.asarray(tensor.detach().numpy(), dtype=np.float32)
