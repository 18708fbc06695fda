"""The one place that keeps a model call out of database transactions.

A model takes seconds; a transaction open for as long holds its locks, its snapshot and its connection.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from django.db import connections

from foundation.llm.ports import LanguageModel
from foundation.llm.types import NO_TOOLS, Prompt, Reply, ToolOffer


def refuse_inside_transaction() -> None:
    """Raise ``RuntimeError`` when a transaction is open in this thread, a test case's own put aside."""
    for connection in connections.all(initialized_only=True):
        # Django marks the blocks its TestCase wraps around a test; durable blocks look past them likewise.
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise RuntimeError("a model was called inside a transaction")


class GuardedModel:
    """A language model that refuses to be called inside a transaction."""

    def __init__(self, inner: LanguageModel) -> None:
        self._inner = inner

    @property
    def is_offline(self) -> bool:
        return self._inner.is_offline

    def call(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Reply:
        """As ``LanguageModel.call``; raises ``RuntimeError`` inside a transaction."""
        refuse_inside_transaction()
        return self._inner.call(prompt, model_id, content_parts, schema=schema, max_tokens=max_tokens, tools=tools)

    def stream(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Generator[str, None, Reply]:
        """As ``LanguageModel.stream``; raises ``RuntimeError`` when its first piece is asked for."""
        refuse_inside_transaction()
        return (yield from self._inner.stream(prompt, model_id, content_parts, max_tokens=max_tokens, tools=tools))
