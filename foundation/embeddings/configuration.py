"""Makes the embedder that the settings ask for."""

from __future__ import annotations

from functools import lru_cache

from django.conf import settings

from foundation.embeddings.local_embedder import LocalEmbedder
from foundation.embeddings.ports import Embedder
from foundation.encoder import embedded_encoder


def configured_embedder() -> Embedder:
    """The embedder of this process, one instance as long as the settings stay the same."""
    return embedded_encoder() or _embedder(
        settings.EMBEDDINGS_BASE_URL,
        settings.EMBEDDINGS_API_KEY,
        settings.EMBEDDINGS_MODEL,
        settings.EMBEDDINGS_TIMEOUT_SECONDS,
    )


@lru_cache(maxsize=1)
def _embedder(base_url: str, api_key: str, model: str, timeout_seconds: float) -> Embedder:
    if not base_url:
        return LocalEmbedder()
    # Half a second of import that an offline installation never pays.
    from foundation.embeddings.openai_compatible import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(base_url=base_url, api_key=api_key, model=model, timeout_seconds=timeout_seconds)
