"""The interfaces of language models: the one that steps of the product call, and the one behind it."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Protocol

from foundation.llm.types import NO_TOOLS, CallKind, Prompt, Reply, ToolOffer


class LanguageModel(Protocol):
    """Anything that answers a prompt. ``kind`` says what a call is for: calls are counted, timed and priced by it."""

    @property
    def is_offline(self) -> bool:
        """True when no language model is configured: replies only quote the prompt."""
        ...

    def effective_id(self, model_id: str) -> str:
        """The id of the model that is really asked for ``model_id``: a ceiling may put a smaller one in its place."""
        ...

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
        """Answer ``prompt``.

        ``content_parts`` join the user's last message. With ``schema`` the reply's text is one JSON object
        that satisfies it. ``max_tokens`` may lower the configured limit of the answer, never raise it. Where
        ``tools`` are offered the reply may ask for some instead of answering.
        Raises ``ModelUnavailable``, and ``MalformedReply`` when a structured answer cannot be used.
        """
        ...

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
        """Yield the answer piece by piece; the generator returns the whole reply, as ``call`` does.

        Raises ``ModelUnavailable`` at any step: what was yielded before it is not a reply and is not stored.
        """
        ...


class ModelBackend(Protocol):
    """What answers behind a ``LanguageModel``: a server or the offline model. It does not know what a call is for."""

    @property
    def is_offline(self) -> bool:
        """As ``LanguageModel.is_offline``."""
        ...

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
        """As ``LanguageModel.call``."""
        ...

    def stream(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Generator[str, None, Reply]:
        """As ``LanguageModel.stream``."""
        ...
