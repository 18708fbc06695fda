"""The embedded sentence encoder: vectors of sentences and hidden states of their tokens, without a server."""

from foundation.encoder.configuration import embedded_encoder
from foundation.encoder.e5 import E5Embedder, PlacedStates

__all__ = ["E5Embedder", "PlacedStates", "embedded_encoder"]
