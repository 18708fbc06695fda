"""Exceptions of embedding. Messages and details never hold the text that was to be embedded."""

from __future__ import annotations

from foundation.llm.exceptions import ProviderFailure


class EmbeddingUnavailable(ProviderFailure):
    """No usable vectors."""

    code = "vector_unavailable"
    default_message = "The embedding model did not answer. Search goes on with words alone."
