"""Gives the embedded encoder where the settings ask for it."""

from __future__ import annotations

from functools import cache

from django.conf import settings

from foundation.encoder.e5 import E5Embedder


def embedded_encoder() -> E5Embedder | None:
    """The encoder of this process; None where the settings name another embedder or a server of embeddings."""
    return _encoder() if settings.EMBEDDER == "e5" and not settings.EMBEDDINGS_BASE_URL else None


@cache
def _encoder() -> E5Embedder:
    return E5Embedder()
