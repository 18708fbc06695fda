"""Counts, times and prices the calls of a language model for the organisation they are made for.

Where the organisation's monthly ceiling is reached, a smaller model or the offline one answers instead.
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
"""The degradation that a receipt shows where the small model answers because the monthly ceiling is reached."""
CEILING_OFFLINE: Final = "model_ceiling_offline"
"""The degradation that a receipt shows where the offline model answers because the ceiling is far exceeded."""
_REASONS: Final = {CeilingStage.SMALL_MODEL: CEILING_SMALL_MODEL, CeilingStage.OFFLINE: CEILING_OFFLINE}


class MeteredModel:
    """A ``LanguageModel``: each call counts for ``tenant_id``, None for users without an organisation.

    ``stage`` says how far their monthly ceiling is used up. Where the small model stands in for the large one, or the
    offline model for either, ``degraded`` of the reply says so.
    """

    def __init__(self, backend: ModelBackend, tenant_id: UUID | None, stage: CeilingStage = CeilingStage.OPEN) -> None:
        self._backend = backend
        self._tenant_id = tenant_id
        self._stage = stage
        if stage == CeilingStage.OFFLINE:  # a step may use rules and never call the model: no reply would say so
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
        """As ``LanguageModel.stream``. Where the reader stops early, the tokens so far are estimated."""
        allowed, lowered = self._lower(model_id)
        with CallMeter(self._tenant_id, kind, allowed) as meter:
            pieces = self._backend.stream(prompt, allowed, content_parts, max_tokens=max_tokens, tools=tools)
            with closing(pieces):
                reply = yield from meter.over_pieces(prompt, pieces)
            meter.note_reply(reply)
        return replace(reply, degraded=(*lowered, *reply.degraded))

    def _lower(self, model_id: str) -> tuple[str, tuple[str, ...]]:
        """The id of the model to ask instead of this one, and the reasons if it is another (none if it is the same)."""
        reason, allowed = _REASONS.get(self._stage), self.effective_id(model_id)
        if reason is None or (self._stage == CeilingStage.SMALL_MODEL and allowed == model_id):
            return model_id, ()
        report_degraded(reason)
        return allowed, (reason,)
