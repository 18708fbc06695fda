"""The interface of language models, online and offline."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any, Protocol

from foundation.llm.types import NO_TOOLS, Prompt, Reply, ToolOffer


class LanguageModel(Protocol):
    """Anything that answers a prompt."""

    @property
    def is_offline(self) -> bool:
        """True when no language model is configured: replies only quote the prompt."""
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
        max_tokens: int | None = None,
        tools: ToolOffer = NO_TOOLS,
    ) -> Generator[str, None, Reply]:
        """Yield the answer piece by piece; the generator returns the whole reply, as ``call`` does.

        Raises ``ModelUnavailable`` at any step: what was yielded before it is not a reply and is not stored.
        """
        ...
