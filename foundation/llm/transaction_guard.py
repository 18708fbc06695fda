"""Keeps model calls out of database transactions, and frees shared resources while a model server computes.

A model takes seconds; a transaction open for as long holds its locks, its snapshot and its connection. During a call
the thread gives back its database connection, the request its place among those that compute in this web process, and
a worker's job its thread. Refusals by the model server are written down for operators (``foundation.llm.refusals``).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from django.db import connections

from foundation.compute_slot import compute_slot_released
from foundation.coroutines import call_in_thread
from foundation.database.acting_user import give_back_connection
from foundation.llm.ports import ModelBackend
from foundation.llm.refusals import noting_refusals
from foundation.llm.types import NO_TOOLS, Prompt, Reply, ToolOffer
from foundation.telemetry.spans import Attribute, set_span_attributes, traced


def refuse_inside_transaction() -> None:
    """Raise ``RuntimeError`` when a transaction is open in this thread; the one around a test case does not count."""
    for connection in connections.all(initialized_only=True):
        # Django marks the blocks its TestCase wraps around a test; ``atomic(durable=True)`` ignores them as well.
        if any(not getattr(block, "_from_testcase", False) for block in connection.atomic_blocks):
            raise RuntimeError("a model was called inside a transaction")


class GuardedModel:
    """A language model that refuses calls inside a transaction and holds no database connection while it waits."""

    def __init__(self, inner: ModelBackend) -> None:
        self._inner = inner

    @property
    def is_offline(self) -> bool:
        return self._inner.is_offline

    @traced("model")
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
        self._release_database()
        with self._compute_slot_released(), self._noting_refusals(model_id):
            reply = self._call_in_thread(
                lambda: self._inner.call(
                    prompt, model_id, content_parts, schema=schema, max_tokens=max_tokens, tools=tools
                )
            )
        _record_usage(reply)
        return reply

    @traced("model")
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
        self._release_database()
        with self._compute_slot_released(), self._noting_refusals(model_id):
            reply = yield from self._inner.stream(prompt, model_id, content_parts, max_tokens=max_tokens, tools=tools)
        _record_usage(reply)
        return reply

    def _noting_refusals(self, model_id: str) -> AbstractContextManager[None]:
        """Write down for operators that the model server refuses the call in the block, or no longer does."""
        return nullcontext() if self.is_offline else noting_refusals(model_id)

    def _call_in_thread(self, call: Callable[[], Reply]) -> Reply:
        """Make the call in another thread where a worker runs several jobs, so that the others go on meanwhile."""
        return call() if self.is_offline else call_in_thread(call)

    def _compute_slot_released(self) -> AbstractContextManager[None]:
        """Give up this request's place among those that compute in this web process, until the block ends."""
        return nullcontext() if self.is_offline else compute_slot_released()

    def _release_database(self) -> None:
        """Give the connection back while a model over the network thinks; the offline one answers at once."""
        refuse_inside_transaction()
        if not self.is_offline:
            give_back_connection()


def _record_usage(reply: Reply) -> None:
    """Record model and token counts on the span, by OpenTelemetry's conventions."""
    used: dict[str, Attribute] = {
        "gen_ai.request.model": reply.model_id,
        "gen_ai.usage.input_tokens": reply.usage.prompt_tokens,
        "gen_ai.usage.cache_read.input_tokens": reply.usage.cached_tokens,
        "gen_ai.usage.output_tokens": reply.usage.completion_tokens,
    }
    set_span_attributes(**used)
