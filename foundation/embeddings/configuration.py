"""Makes the embedder that the settings ask for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from django.conf import settings

from foundation.embeddings.local_embedder import LocalEmbedder
from foundation.embeddings.ports import Embedder
from foundation.encoder import E5Embedder, embedded_encoder


def configured_embedder() -> Embedder:
    """The embedder of this process, one instance as long as the settings stay the same."""
    return embedded_encoder() or _embedder(
        settings.EMBEDDINGS_BASE_URL,
        settings.EMBEDDINGS_API_KEY,
        settings.EMBEDDINGS_MODEL,
        settings.EMBEDDINGS_TIMEOUT_SECONDS,
    )


def embedder_for(model_id: str) -> Embedder | None:
    """The embedder of a model that may be configured no more; None where it cannot be had.

    Both embedded models can, and any model of the server that the settings name.
    """
    configured = configured_embedder()
    if configured.model_id == model_id:
        return configured
    if model_id in _EMBEDDED:
        return _embedded(model_id)
    if not settings.EMBEDDINGS_BASE_URL:
        return None
    return _embedder(
        settings.EMBEDDINGS_BASE_URL, settings.EMBEDDINGS_API_KEY, model_id, settings.EMBEDDINGS_TIMEOUT_SECONDS
    )


_EMBEDDED: Final[Mapping[str, type[Embedder]]] = {each.model_id: each for each in (LocalEmbedder, E5Embedder)}


@lru_cache(maxsize=1)
def _embedded(model_id: str) -> Embedder:
    return _EMBEDDED[model_id]()


@lru_cache(maxsize=2)
def _embedder(base_url: str, api_key: str, model: str, timeout_seconds: float) -> Embedder:
    if not base_url:
        return LocalEmbedder()
    # Half a second of import that an offline installation never pays.
    from foundation.embeddings.openai_compatible import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(base_url=base_url, api_key=api_key, model=model, timeout_seconds=timeout_seconds)
