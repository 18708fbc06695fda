"""The model that needs no network. It quotes what stands in the prompt, and says that it can do no more."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.offline_intent import (
    Language,
    asks_for_every_question,
    asks_for_everything,
    intent_of,
    language_of,
)
from foundation.llm.offline_phrases import phrase, source_of
from foundation.llm.offline_relevance import best_standing, is_said_again, quotation, rank
from foundation.llm.offline_small_talk import small_talk_in
from foundation.llm.prompt_elements import (
    SAID_NOW,
    Statement,
    acknowledged,
    may_learn,
    preferred_language,
    statements,
    was_read,
)
from foundation.llm.types import NO_TOOLS, Prompt, Reply, ToolOffer, Usage
from foundation.llm.wire_format import part_text
from foundation.text import asked_in, asks_what_was_asked, only_speaks_of_answers, speaks_of_answers, told_in

OFFLINE_MODEL_ID: Final = "offline"
MOST_QUOTATIONS: Final = 5
_MESSAGES: Final = (SAID_NOW, "turn")

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
        tools: ToolOffer = NO_TOOLS,
    ) -> Reply:
        """As ``LanguageModel.call``; the reply is short whatever ``max_tokens`` says, and asks for no tools.

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
        tools: ToolOffer = NO_TOOLS,
    ) -> Generator[str, None, Reply]:
        """As ``LanguageModel.stream``: the text of ``call``, word by word."""
        reply = self.call(prompt, model_id, content_parts, max_tokens=max_tokens)
        yield from _PIECE.findall(reply.text)
        return reply


def answer(prompt: Prompt, question: str) -> str:
    """What can be said to ``question`` from ``prompt`` alone, in the language preferred, else the question's."""
    language = language_of(question, preferred_language(prompt))
    if asked := acknowledged(prompt, language):
        return "\n".join([asked, phrase("limits_manner", language)])
    if courtesy := small_talk_in(question):
        return phrase(courtesy, language)
    intent = intent_of(question)
    if intent == "statement":
        return phrase("statement" if may_learn(prompt) else "statement_unlearned", language)
    if intent == "forget":
        return phrase(intent, language)
    return "\n".join(_recollection(prompt, question, language, is_request=intent == "request"))


def _recollection(prompt: Prompt, question: str, language: Language, *, is_request: bool) -> list[str]:
    """Where memory could not be looked into, that comes first, and nothing is said of what it holds."""
    found = _found(prompt, question)
    unread = [] if was_read(prompt) else [phrase("unread", language)]
    return unread if unread and not found else [*unread, *_quotations(found, question, language, is_request=is_request)]


def _quotations(found: Sequence[Statement], question: str, language: Language, *, is_request: bool) -> list[str]:
    """What is remembered, then what merely stands in this conversation: that is no memory, and may never be one."""
    if not found:
        return [phrase("request" if is_request else "nothing", language)]
    remembered = [_quoted(one, question, language) for one in found if one.kind != SAID_NOW]
    said = [f"“{quotation(one.text, question)}”" for one in found if one.kind == SAID_NOW]
    lines = [phrase("request_found" if is_request else "found", language), *remembered] if remembered else []
    if said:
        lines += [phrase("request_said" if is_request and not remembered else "said", language), *said]
    return lines


def _found(prompt: Prompt, question: str) -> list[Statement]:
    """What answers: memories first, then what was said in this conversation and none of them says again, the latest
    first.
    """
    if asks_what_was_asked(question):
        return _asked(prompt, question)[:MOST_QUOTATIONS]
    candidates = [told for statement in statements(prompt) for told in _told(statement)]
    remembered = rank(question, [one for one in candidates if one.kind != SAID_NOW])
    said = rank(question, [one for one in reversed(candidates) if one.kind == SAID_NOW and _may_answer(one, question)])
    found = best_standing([*remembered, *(one for one in said if not is_said_again(one, remembered))])
    if not found and asks_for_everything(question):
        found = best_standing(sorted(candidates, key=lambda statement: -statement.confidence))
    return found[:MOST_QUOTATIONS]


def _may_answer(said: Statement, question: str) -> bool:
    """How to be answered is no answer to what else somebody likes; nobody has judged that of what was said just now."""
    return speaks_of_answers(question) or not only_speaks_of_answers(said.text)


def _asked(prompt: Prompt, question: str) -> list[Statement]:
    """The questions of the person's messages, the latest first."""
    messages = [one for one in reversed(statements(prompt)) if one.kind in _MESSAGES]
    asked = [
        replace(one, text=sentence)
        for one in messages
        for sentence in reversed(asked_in(one.text))
        if not asks_what_was_asked(sentence)
    ]
    return asked if asks_for_every_question(question) else rank(question, asked)


def _told(statement: Statement) -> list[Statement]:
    """What a message of the person's tells: without its questions, which say nothing of who asks them."""
    if statement.kind not in _MESSAGES or not asked_in(statement.text):
        return [statement]
    return [replace(statement, text=sentence) for sentence in told_in(statement.text)]


def _quoted(statement: Statement, question: str, language: Language) -> str:
    source = source_of(statement, language)
    note = f"（{source}）" if language == "zh" else f" ({source})"
    return f"“{quotation(statement.text, question)}”{note}"


def _question(prompt: Prompt, content_parts: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join([prompt.question, *filter(None, map(part_text, content_parts))])
