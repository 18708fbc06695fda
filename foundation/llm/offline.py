"""The model that needs no network. It quotes what stands in the prompt, and says that it can do no more."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.offline_phrases import phrase, source_of
from foundation.llm.offline_reading import Language, asks_for_everything, intent_of, language_of
from foundation.llm.prompt_elements import Statement, stated_language, statements
from foundation.llm.relevance import best_standing, quotation, rank
from foundation.llm.types import Prompt, Reply, Usage
from foundation.llm.wire import part_text

OFFLINE_MODEL_ID: Final = "offline"
MOST_QUOTATIONS: Final = 3

_PIECE: Final = re.compile(r"[^\s\u3000-\u9fff\uff00-\uffef]+\s*|[\u3000-\u9fff\uff00-\uffef]{1,4}|\s+")


class OfflineModel:
    """Answers only from the prompt. Every reply is marked ``model_offline``."""

    is_offline = True

    def call(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """As ``LanguageModel.call``; the reply is short whatever ``max_tokens`` says.

        Raises ``ModelUnavailable`` when a ``schema`` is given: filling one takes understanding.
        """
        if schema is not None:
            raise ModelUnavailable(
                "No language model is configured, and the offline model gives no structured answers.",
                {"reason": "offline"},
            )
        text = answer(prompt, _question(prompt, content_parts or ()))
        return Reply(text, OFFLINE_MODEL_ID, Usage.estimated(prompt, text), ("model_offline",))

    def stream(
        self,
        prompt: Prompt,
        model_id: str,
        content_parts: Sequence[Mapping[str, Any]] | None = None,
        *,
        max_tokens: int | None = None,
    ) -> Generator[str, None, Reply]:
        """As ``LanguageModel.stream``: the text of ``call``, word by word."""
        reply = self.call(prompt, model_id, content_parts, max_tokens=max_tokens)
        yield from _PIECE.findall(reply.text)
        return reply


def answer(prompt: Prompt, question: str) -> str:
    """What can be said to ``question`` from ``prompt`` alone, in the language of the question."""
    language = language_of(question, stated_language(prompt))
    intent = intent_of(question)
    if intent in ("greeting", "thanks", "statement"):
        return "\n".join([phrase(intent, language), phrase("limits", language)])
    found = _found(prompt, question)
    introduction = _introduction(intent == "request", bool(found), language)
    quotations = [_quoted(statement, question, language) for statement in found]
    return "\n".join([introduction, *quotations, phrase("limits", language)])


def _introduction(is_request: bool, is_found: bool, language: Language) -> str:
    if is_request:
        return phrase("request_found" if is_found else "request", language)
    return phrase("found" if is_found else "nothing", language)


def _found(prompt: Prompt, question: str) -> list[Statement]:
    candidates = statements(prompt)
    found = rank(question, candidates)
    if not found and asks_for_everything(question):
        found = best_standing(sorted(candidates, key=lambda statement: -statement.confidence))
    return found[:MOST_QUOTATIONS]


def _quoted(statement: Statement, question: str, language: Language) -> str:
    source = source_of(statement, language)
    note = f"（{source}）" if language == "zh" else f" ({source})"
    return f"“{quotation(statement.text, question)}”{note}"


def _question(prompt: Prompt, content_parts: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join([prompt.question, *filter(None, map(part_text, content_parts))])
