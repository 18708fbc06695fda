"""A language model whose calls are counted, timed and priced for the organisation they are made for."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from typing import Any
from uuid import UUID

from foundation.llm.call_metering import CallMeter
from foundation.llm.ports import ModelBackend
from foundation.llm.types import NO_TOOLS, CallKind, Prompt, Reply, ToolOffer


class MeteredModel:
    """A ``LanguageModel``: each call counts for ``tenant_id``, None for users without an organisation."""

    def __init__(self, backend: ModelBackend, tenant_id: UUID | None) -> None:
        self._backend = backend
        self._tenant_id = tenant_id

    @property
    def is_offline(self) -> bool:
        return self._backend.is_offline

    def call(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        kind: CallKind,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Reply:
        """As ``LanguageModel.call``."""
        with CallMeter(self._tenant_id, kind, model_id) as meter:
            reply = self._backend.call(
                prompt, model_id, content_parts, schema=schema, max_tokens=max_tokens, tools=tools
            )
            meter.note_reply(reply)
        return reply

    def stream(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        kind: CallKind,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Generator[str, None, Reply]:
        """As ``LanguageModel.stream``. Of a stream that its reader leaves, what was read so far counts, estimated."""
        with CallMeter(self._tenant_id, kind, model_id) as meter:
            pieces = self._backend.stream(prompt, model_id, content_parts, max_tokens=max_tokens, tools=tools)
            with closing(pieces):
                reply = yield from meter.over_pieces(prompt, pieces)
            meter.note_reply(reply)
        return reply
