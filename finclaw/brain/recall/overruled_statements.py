"""Removes from recalled memory what the organisation's rules overrule, in every form in which it is recalled.

A memory that gives way takes along the messages it was learned from, other messages and events that say the same, and
lines of portraits and summaries. Of a text that says something else too, the rest stays.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

from consent.permit import Permit
from finclaw.brain.prompt.memory_lines import memory_tokens
from finclaw.brain.types import CandidateDecision, PromptCandidate
from foundation.accounts.models import User
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText, SanitizationResult
from knowledge.types import Snippet
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.sentence_cuts import cut_sentences, remaining_texts
from memory.models import Session
from memory.services.item_queries import items_about, items_taught_by

KNOWLEDGE_CONFLICT: Final = "knowledge_conflict"
"""The guardrail on the receipt's line of whatever a rule of the organisation overrules, whole or in part."""
CONFLICT: Final = "conflict"
"""The receipt's reason for what is left out whole."""


@dataclass(frozen=True)
class OverruledStatements:
    """The memories that rules of the organisation overrule, the messages they were learned from, and their words."""

    items: frozenset[UUID] = frozenset()
    messages: frozenset[UUID] = frozenset()
    words: ErasedWords = NO_WORDS

    def judge(self, candidate: PromptCandidate) -> PromptCandidate:
        """The candidate without what is overruled; left out where nothing else remains. Its guardrail says so."""
        if not self.items or candidate.sanitization == SanitizationResult.BLOCKED:
            return candidate
        text = "" if candidate.id in self.items else self._text_left(candidate)
        if text == candidate.text:
            return candidate
        if not text:
            return replace(candidate, left_out=CONFLICT, guardrail=KNOWLEDGE_CONFLICT)
        cut = replace(candidate, text=text, guardrail=KNOWLEDGE_CONFLICT)
        return replace(cut, tokens=memory_tokens(cut))

    def summaries_left(self, summaries: Collection[SafeText]) -> tuple[SafeText, ...]:
        """The summaries without the sentences that say what is overruled."""
        if not self.items:
            return tuple(summaries)
        left = (sanitize(self._sentences_left(text, is_source=False)).text for text in summaries)
        return tuple(text for text in left if text)

    def _text_left(self, candidate: PromptCandidate) -> str:
        is_source = candidate.id in self.messages
        left = self._sentences_left(candidate.text, is_source=is_source)
        if is_source and left == candidate.text:
            return ""  # the memory was learned from it, but the sentence is not found: drop all of it
        return _without_empty_sections(left) if candidate.kind == "profile" else left

    def _sentences_left(self, text: str, *, is_source: bool) -> str:
        says = self.words.disclosed_by if is_source else self.words.stated_by
        lines = ([line] for line in text.split("\n"))
        left = (remaining_texts(cut_sentences(line, says), line)[0] for line in lines)
        return "\n".join(left).strip()


NOTHING_OVERRULED: Final = OverruledStatements()


def find_overruled(permit: Permit, user: User, snippets: Collection[Snippet]) -> OverruledStatements:
    """What the rules among ``snippets`` overrule: the user's memories of the same subject and slot, recalled or not.

    No model is asked. Call in a transaction acting for the user.
    """
    ruled = {(snippet.subject, snippet.slot) for snippet in snippets if snippet.kind == "rule" and snippet.slot}
    items = items_about(permit, ruled) if ruled else []
    if not items:
        return NOTHING_OVERRULED
    keys = frozenset(item.pk for item in items)
    messages = frozenset(key for item in items for key in item.message_ids)
    kept = [item.content for item in items_taught_by(permit, messages) if item.pk not in keys]
    statements = [(item.content, item.value) for item in items]
    return OverruledStatements(keys, messages, ErasedWords.of(statements, kept=kept, names=(user.name, user.username)))


def overruled_decisions(candidates: Iterable[PromptCandidate]) -> tuple[CandidateDecision, ...]:
    """Refusals of the candidates that are overruled whole, as the receipt stores them."""
    return tuple(
        CandidateDecision(replace(candidate, sanitization=""), False, CONFLICT)
        for candidate in candidates
        if candidate.left_out == CONFLICT
    )


def summary_decisions(
    session: Session, summaries: Collection[SafeText], left: Collection[SafeText]
) -> tuple[CandidateDecision, ...]:
    """One refusal for all that the conversation's summaries lose, since summaries have no rows of their own."""
    if tuple(summaries) == tuple(left):
        return ()
    lost = PromptCandidate(
        "summary", session.pk, "", 0.0, 0, session.last_active_at, left_out=CONFLICT, guardrail=KNOWLEDGE_CONFLICT
    )
    return overruled_decisions([lost])


def _without_empty_sections(portrait: str) -> str:
    """A portrait without headings under which no line is left."""
    lines: list[str] = []
    for line in portrait.split("\n"):
        if line.startswith("#") and lines and lines[-1].startswith("##"):
            lines.pop()
        if line.strip():
            lines.append(line)
    while lines and lines[-1].startswith("#"):
        lines.pop()
    return "\n".join(lines)
