"""The embedded sentence encoder: vectors of sentences, and the states of their tokens, without server or network."""

from foundation.encoder.configuration import embedded_encoder
from foundation.encoder.e5 import E5Embedder, PlacedStates

__all__ = ["E5Embedder", "PlacedStates", "embedded_encoder"]
