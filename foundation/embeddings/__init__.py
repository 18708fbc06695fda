"""Vectors behind one port: the embedded default, or any OpenAI-compatible server."""

from foundation.embeddings.configuration import configured_embedder, embedder_for
from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.embeddings.local_embedder import LocalEmbedder
from foundation.embeddings.ports import Embedder
from foundation.encoder import E5Embedder

__all__ = ["E5Embedder", "Embedder", "EmbeddingUnavailable", "LocalEmbedder", "configured_embedder", "embedder_for"]
