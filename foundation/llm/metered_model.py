"""A language model whose calls are counted, timed and priced for the organisation they are made for, and which a
monthly ceiling may turn into a smaller one.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from foundation.llm.call_metering import CallMeter
from foundation.llm.ports import ModelBackend
from foundation.llm.types import NO_TOOLS, CallKind, Prompt, Reply, ToolOffer
from foundation.model_usage.ceilings import CeilingStage
from foundation.telemetry.degradations import note_degraded, report_degraded

CEILING_SMALL_MODEL: Final = "model_ceiling_small_model"
"""The reason a receipt gives where the small model answers since the month's ceiling is reached."""
CEILING_OFFLINE: Final = "model_ceiling_offline"
"""The reason a receipt gives where the offline model answers since the month's ceiling is far behind."""
_REASONS: Final = {CeilingStage.SMALL_MODEL: CEILING_SMALL_MODEL, CeilingStage.OFFLINE: CEILING_OFFLINE}


class MeteredModel:
    """A ``LanguageModel``: each call counts for ``tenant_id``, None for users without an organisation.

    ``stage`` is that of their monthly ceiling. Where the small model stands in for the large one, and where the offline
    one does for either, the reply says so.
    """

    def __init__(self, backend: ModelBackend, tenant_id: UUID | None, stage: CeilingStage = CeilingStage.OPEN) -> None:
        self._backend = backend
        self._tenant_id = tenant_id
        self._stage = stage
        if stage == CeilingStage.OFFLINE:  # where a rule does a step in the model's place, no reply could say so
            note_degraded([CEILING_OFFLINE])

    @property
    def is_offline(self) -> bool:
        return self._backend.is_offline

    def effective_id(self, model_id: str) -> str:
        """As ``LanguageModel.effective_id``."""
        return settings.MODEL_SMALL if self._stage == CeilingStage.SMALL_MODEL else model_id

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
        allowed, lowered = self._lower(model_id)
        with CallMeter(self._tenant_id, kind, allowed) as meter:
            reply = self._backend.call(
                prompt, allowed, content_parts, schema=schema, max_tokens=max_tokens, tools=tools
            )
            meter.note_reply(reply)
        return replace(reply, degraded=(*lowered, *reply.degraded))

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
        allowed, lowered = self._lower(model_id)
        with CallMeter(self._tenant_id, kind, allowed) as meter:
            pieces = self._backend.stream(prompt, allowed, content_parts, max_tokens=max_tokens, tools=tools)
            with closing(pieces):
                reply = yield from meter.over_pieces(prompt, pieces)
            meter.note_reply(reply)
        return replace(reply, degraded=(*lowered, *reply.degraded))

    def _lower(self, model_id: str) -> tuple[str, tuple[str, ...]]:
        """The model that may be asked in place of this one, and why it is another, where it is."""
        reason, allowed = _REASONS.get(self._stage), self.effective_id(model_id)
        if reason is None or (self._stage == CeilingStage.SMALL_MODEL and allowed == model_id):
            return model_id, ()
        report_degraded(reason)
        return allowed, (reason,)
