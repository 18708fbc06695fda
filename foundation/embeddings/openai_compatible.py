"""Any server that speaks OpenAI's embeddings protocol, through the official client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final

import numpy as np
import openai
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from foundation.embeddings.exceptions import EmbeddingUnavailable
from foundation.embeddings.unit_vectors import unit_rows
from foundation.llm.call_limits import Deadline, with_retries
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.failures import no_json, translated_failures, unavailable
from foundation.llm.types import CallLimits

BATCH_SIZE: Final = 128
"""Texts in one request: well under OpenAI's 2,048, and what small servers hold in memory."""


class OpenAICompatibleEmbedder:
    """The model ``model`` behind ``base_url``. Safe to share between threads."""

    is_local = False

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str,
        model: str,
        timeout_seconds: float,
        dimensions: int | None = None,
        max_retries: int = 2,
    ) -> None:
        """``timeout_seconds`` bounds each request, its retries included.

        ``dimensions`` asks the server for shorter vectors; without it the server's first answer decides.
        """
        self.model_id = model if dimensions is None else f"{model}:{dimensions}"
        self._model = model
        self._asked_dimensions = dimensions
        self._dimensions = dimensions
        self._limits = CallLimits(
            timeout_seconds=timeout_seconds,
            first_token_timeout_seconds=timeout_seconds,
            max_retries=max_retries,
            max_output_tokens=0,  # an embedding model writes nothing
        )
        # The client's own retries know no deadline. It insists on a key; local servers have none.
        self._client = openai.OpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0)

    @property
    def dimensions(self) -> int:
        """As ``Embedder.dimensions``; asks the server once when nothing was embedded yet."""
        if self._dimensions is None:
            self._dimensions = self.embed_passages(["dimensions"]).shape[1]
        return self._dimensions

    def embed_passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As ``Embedder.embed_passages``, in requests of at most ``BATCH_SIZE`` texts."""
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        try:
            return np.vstack([self._batch(batch) for batch in _batches(texts)])
        except ModelUnavailable as error:
            raise EmbeddingUnavailable(details=error.details) from None

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors the same texts have as passages: the protocol knows no difference."""
        return self.embed_passages(texts)

    def _batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        deadline = Deadline(self._limits.timeout_seconds)
        return self._checked(with_retries(lambda: self._request(texts, deadline), self._limits, deadline))

    def _request(self, texts: Sequence[str], deadline: Deadline) -> list[list[float]]:
        # Base64, the client's default, is unknown to many compatible servers.
        request: dict[str, Any] = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        if self._asked_dimensions is not None:
            request["dimensions"] = self._asked_dimensions
        create = self._client.embeddings.with_streaming_response.create
        with translated_failures(), create(**request, timeout=deadline.timeout()) as response:
            deadline.bound(response.http_response)
            parsed: object = response.parse()
            if isinstance(parsed, str):
                raise no_json()
            answer = _EmbeddingsResponse.model_validate(parsed)
        vectors = {item.index: item.embedding for item in answer.data}
        if sorted(vectors) != list(range(len(texts))) or len(answer.data) != len(texts):
            raise unavailable("unusable_answer")
        return [vectors[index] for index in range(len(texts))]

    def _checked(self, vectors: list[list[float]]) -> NDArray[np.float32]:
        expected = self._dimensions or len(vectors[0])
        if any(len(vector) != expected for vector in vectors):
            raise EmbeddingUnavailable(details={"reason": "dimension_mismatch"})
        matrix = unit_rows(np.asarray(vectors, dtype=np.float32))
        if not matrix.any(axis=1).all():
            raise EmbeddingUnavailable(details={"reason": "unusable_answer"})
        self._dimensions = expected
        return matrix


class _EmbeddingItem(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    index: int
    embedding: Annotated[list[FiniteFloat], Field(min_length=1)]


class _EmbeddingsResponse(BaseModel):
    """The fields we read of an embeddings response."""

    model_config = ConfigDict(from_attributes=True)

    data: list[_EmbeddingItem]


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    # Servers refuse an empty input, and one empty text must not fail its whole batch.
    given = [text if text.strip() else "." for text in texts]
    return (given[start : start + BATCH_SIZE] for start in range(0, len(given), BATCH_SIZE))
