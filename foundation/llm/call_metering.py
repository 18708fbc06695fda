"""Measures one call of a model: whether it was answered, how long that took, and how many tokens it cost.

A call is counted once it has ended, as a metric and for the usage table, in memory only: nothing is written to the
database while a model answers.
"""

from __future__ import annotations

from collections.abc import Generator
from time import monotonic
from types import TracebackType
from typing import Final, Self
from uuid import UUID

from django.conf import settings

from foundation.llm.exceptions import MalformedReply, ModelUnavailable
from foundation.llm.types import CallKind, Prompt, Reply, TokenUsage
from foundation.model_usage.prices import price_of
from foundation.model_usage.usage_buffer import MeteredCall, usage_buffer
from foundation.telemetry.metrics import (
    MODEL_CALLS,
    MODEL_COST,
    MODEL_FIRST_TOKEN_SECONDS,
    MODEL_SECONDS,
    MODEL_TOKENS,
)

OUTCOME_ANSWERED: Final = "answered"
OUTCOME_BROKEN_OFF: Final = "broken_off"
"""The outcome of a call whose reader stopped before the end of the answer."""
_FAILED: Final = "failed"
_MALFORMED: Final = "malformed"


class CallMeter:
    """Counts the call made in its block, even a failed one. A generator may yield within the block."""

    def __init__(self, tenant_id: UUID | None, kind: CallKind, model_id: str) -> None:
        self._tenant_id, self._kind, self._model_id = tenant_id, kind, model_id
        self._usage: TokenUsage | None = None
        self._first_token_at: float | None = None

    def note_reply(self, reply: Reply) -> None:
        """Note the answer's tokens, when it began, and which model gave it (not always the one that was asked)."""
        self._model_id, self._usage = reply.model_id, reply.usage
        self._first_token_at = reply.first_token_at or self._first_token_at

    def over_pieces(self, prompt: Prompt, pieces: Generator[str, None, Reply]) -> Generator[str, None, Reply]:
        """Pass the pieces of an answer through; where their reader stops early, estimate the tokens so far."""
        said: list[str] = []
        try:
            while True:
                try:
                    piece = next(pieces)
                except StopIteration as end:
                    reply: Reply = end.value
                    return reply
                self._first_token_at = self._first_token_at or monotonic()
                said.append(piece)
                yield piece
        except GeneratorExit:
            self._usage = TokenUsage.estimated(prompt, "".join(said))
            raise

    def __enter__(self) -> Self:
        self._began = monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        outcome = _outcome_of(error)
        if isinstance(error, MalformedReply):
            self._usage = error.usage
        usage, first = self._usage, self._first_token_at
        call = MeteredCall(
            self._tenant_id,
            self._kind,
            self._model_id,
            failed=outcome not in (OUTCOME_ANSWERED, OUTCOME_BROKEN_OFF),
            seconds=None if error else monotonic() - self._began,
            first_token_seconds=None if first is None else first - self._began,
            tokens=(usage.prompt_tokens, usage.cached_tokens, usage.completion_tokens) if usage else None,
        )
        _count_metrics(call, outcome)
        if settings.OPENAI_BASE_URL:  # without a server nothing ever costs anything
            usage_buffer.add(call)


def _outcome_of(error: BaseException | None) -> str:
    """How a call ended, in one of a few words: a label of a metric must not take many values."""
    match error:
        case None:
            return OUTCOME_ANSWERED
        case GeneratorExit():
            return OUTCOME_BROKEN_OFF
        case MalformedReply():
            return _MALFORMED
        case ModelUnavailable():
            return str(error.details.get("reason", _FAILED))
        case _:
            return _FAILED


def _count_metrics(call: MeteredCall, outcome: str) -> None:
    labels = {"kind": call.kind, "model": call.model_id}
    MODEL_CALLS.labels(**labels, outcome=outcome).inc()
    if call.seconds is not None:
        MODEL_SECONDS.labels(**labels).observe(call.seconds)
    if call.first_token_seconds is not None:
        MODEL_FIRST_TOKEN_SECONDS.labels(**labels).observe(call.first_token_seconds)
    if call.tokens is not None:
        _count_tokens(call.model_id, call.tokens, labels)


def _count_tokens(model_id: str, tokens: tuple[int, int, int], labels: dict[str, str]) -> None:
    read, cached, written = tokens
    for direction, count in {"input": read - cached, "cached_input": cached, "output": written}.items():
        MODEL_TOKENS.labels(**labels, direction=direction).inc(count)
    if price := price_of(model_id):
        MODEL_COST.labels(**labels).inc(float(price.cost_of(*tokens)))
