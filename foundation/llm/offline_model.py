"""The offline model: answers by quoting what the prompt holds, and says that it can do no more."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from foundation.language import (
    Language,
    answer_language,
    asks_about_earlier_questions,
    courtesy_in,
    questions_in,
    statements_in,
)
from foundation.llm.exceptions import ModelUnavailable
from foundation.llm.offline_intent import asks_for_every_question, asks_for_everything, intent_of
from foundation.llm.offline_phrases import fixed_phrase, source_of
from foundation.llm.offline_relevance import best_quotation, is_repeated_in, prefer_reliable, rank_by_relevance
from foundation.llm.prompt_elements import (
    THIS_CONVERSATION,
    PromptStatement,
    acknowledgement_in,
    known_statements,
    learning_is_on,
    learning_waits,
    memory_was_read,
    preferred_language,
    remembered_statements,
)
from foundation.llm.types import NO_TOOLS, Prompt, Reply, TokenUsage, ToolOffer
from foundation.llm.wire_format import part_text
from foundation.text import is_only_about_answer_style, mentions_answer_style

OFFLINE_MODEL_ID: Final = "offline"
MODEL_OFFLINE: Final = "model_offline"
"""The degraded reason of every reply of the offline model."""
MOST_QUOTATIONS: Final = 5
_MESSAGES: Final = (THIS_CONVERSATION, "turn")  # the kinds of statements that are messages; the others are memories

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
        text = compose_answer(prompt, _question_text(prompt, content_parts or ()))
        return Reply(text, OFFLINE_MODEL_ID, TokenUsage.estimated(prompt, text), (MODEL_OFFLINE,))

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


def _acknowledgement_of_statement(prompt: Prompt) -> str:
    """The name of the phrase that says whether the fact the user told will be remembered."""
    if learning_waits(prompt):
        return "statement_waits"
    return "statement" if learning_is_on(prompt) else "statement_unlearned"


def compose_answer(prompt: Prompt, question: str) -> str:
    """The answer to ``question`` from ``prompt`` alone, in the preferred language, else in that of the question."""
    language = answer_language(question, preferred_language(prompt))
    if acknowledgement := acknowledgement_in(prompt, language):  # the message only asks for another style of answers
        return "\n".join([acknowledgement, fixed_phrase("style_not_supported", language)])
    if courtesy := courtesy_in(question):
        return fixed_phrase(courtesy, language)
    intent = intent_of(question)
    if intent == "statement":
        return fixed_phrase(_acknowledgement_of_statement(prompt), language)
    if intent == "forget":
        return fixed_phrase(intent, language)
    return "\n".join(_recollection_lines(prompt, question, language, is_request=intent == "request"))


def _recollection_lines(prompt: Prompt, question: str, language: Language, *, is_request: bool) -> list[str]:
    """The lines of an answer: what the organisation knows, which holds over memory, then what is remembered. If memory
    could not be searched, that is said first, and no claim about it follows.
    """
    known = _knowledge_lines(prompt, question, language)
    found = _answering_statements(prompt, question)
    unread = [] if memory_was_read(prompt) else [fixed_phrase("unread", language)]
    if known and is_request:
        known = [fixed_phrase("request", language), *known]
    if not found and (known or unread):
        return [*unread, *known]
    return [*unread, *known, *_quotation_lines(found, question, language, is_request=is_request and not known)]


def _knowledge_lines(prompt: Prompt, question: str, language: Language) -> list[str]:
    """Lines that quote the rules and facts of the organisation that answer; none where none does."""
    if asks_about_earlier_questions(question):
        return []
    found = rank_by_relevance(question, known_statements(prompt))[:MOST_QUOTATIONS]
    quoted = [f"“{best_quotation(statement.text, question)}”" for statement in found]
    return [fixed_phrase("knowledge", language), *quoted] if quoted else []


def _quotation_lines(
    found: Sequence[PromptStatement], question: str, language: Language, *, is_request: bool
) -> list[str]:
    """Lines that quote memories, then earlier messages of this conversation, which are not memories."""
    if not found:
        return [fixed_phrase("request" if is_request else "nothing", language)]
    remembered = [
        _quotation_with_source(statement, question, language)
        for statement in found
        if statement.kind != THIS_CONVERSATION
    ]
    said = [
        f"“{best_quotation(statement.text, question)}”" for statement in found if statement.kind == THIS_CONVERSATION
    ]
    lines = [fixed_phrase("request_found" if is_request else "found", language), *remembered] if remembered else []
    if said:
        lines += [fixed_phrase("request_said" if is_request and not remembered else "said", language), *said]
    return lines


def _answering_statements(prompt: Prompt, question: str) -> list[PromptStatement]:
    """The statements that answer: memories first, then earlier messages that add something, the latest first."""
    if asks_about_earlier_questions(question):
        return _earlier_questions(prompt, question)[:MOST_QUOTATIONS]
    candidates = [part for statement in remembered_statements(prompt) for part in _without_questions(statement)]
    remembered = rank_by_relevance(
        question, [candidate for candidate in candidates if candidate.kind != THIS_CONVERSATION]
    )
    said = rank_by_relevance(
        question,
        [
            candidate
            for candidate in reversed(candidates)
            if candidate.kind == THIS_CONVERSATION and _may_answer(candidate, question)
        ],
    )
    found = prefer_reliable(
        [*remembered, *(statement for statement in said if not is_repeated_in(statement, remembered))]
    )
    if not found and asks_for_everything(question):
        found = prefer_reliable(sorted(candidates, key=lambda statement: -statement.confidence))
    return found[:MOST_QUOTATIONS]


def _may_answer(message: PromptStatement, question: str) -> bool:
    """Whether to quote an earlier message: one about the style of answers fits only questions about that style."""
    return mentions_answer_style(question) or not is_only_about_answer_style(message.text)


def _earlier_questions(prompt: Prompt, question: str) -> list[PromptStatement]:
    """The questions of the user's messages, the latest first."""
    messages = [statement for statement in reversed(remembered_statements(prompt)) if statement.kind in _MESSAGES]
    asked = [
        replace(message, text=sentence)
        for message in messages
        for sentence in reversed(questions_in(message.text))
        if not asks_about_earlier_questions(sentence)
    ]
    return asked if asks_for_every_question(question) else rank_by_relevance(question, asked)


def _without_questions(statement: PromptStatement) -> list[PromptStatement]:
    """The statement without its questions, which tell nothing about the user; only messages are changed."""
    if statement.kind not in _MESSAGES or not questions_in(statement.text):
        return [statement]
    return [replace(statement, text=sentence) for sentence in statements_in(statement.text)]


def _quotation_with_source(statement: PromptStatement, question: str, language: Language) -> str:
    source = source_of(statement, language)
    note = f"（{source}）" if language == "zh" else f" ({source})"
    return f"“{best_quotation(statement.text, question)}”{note}"


def _question_text(prompt: Prompt, content_parts: Sequence[Mapping[str, Any]]) -> str:
    return "\n".join([prompt.question, *filter(None, map(part_text, content_parts))])
