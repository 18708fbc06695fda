"""Removes from recalled memory what the organisation's knowledge overrules, in every form in which it is recalled.

A rule overrules the memories of its subject and slot. A memory that gives way takes along the messages it was learned
from, other messages and events that say the same, and lines of portraits and summaries. Rules and facts, with a slot or
without, overrule the sentences that contradict them by their words. Of a text that says something else too, the rest
stays.
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
from foundation.language import split_sentences
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SafeText, SanitizationResult
from knowledge.types import Snippet
from memory.erasure.disclosure import NO_WORDS, ErasedWords
from memory.erasure.sentence_cuts import cut_sentences, remaining_texts
from memory.evolution.contrary_sentences import ComparedSentence, contradicts_any, parse_sentence
from memory.models import Session
from memory.services.item_queries import items_about, items_taught_by

KNOWLEDGE_CONFLICT: Final = "knowledge_conflict"
"""The guardrail on the receipt's line of whatever knowledge of the organisation overrules, whole or in part."""
CONFLICT: Final = "conflict"
"""The receipt's reason for what is left out whole."""
STATING: Final = frozenset({"rule", "fact"})
"""The kinds of knowledge that say what is so; a tone only says how to speak."""


@dataclass(frozen=True)
class OverruledStatements:
    """The memories that rules of the organisation overrule, the messages they were learned from, and their words; and
    the sentences of its knowledge, which overrule whatever contradicts them.
    """

    items: frozenset[UUID] = frozenset()
    messages: frozenset[UUID] = frozenset()
    words: ErasedWords = NO_WORDS
    known: tuple[ComparedSentence, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items or self.known)

    def judge(self, candidate: PromptCandidate) -> PromptCandidate:
        """The candidate without what is overruled; left out where nothing else remains. Its guardrail says so."""
        if not self or candidate.sanitization == SanitizationResult.BLOCKED:
            return candidate
        text = "" if candidate.id in self.items else self._text_left(candidate)
        if text == candidate.text.strip():
            return candidate
        if not text:
            return replace(candidate, left_out=CONFLICT, guardrail=KNOWLEDGE_CONFLICT)
        cut = replace(candidate, text=text, guardrail=KNOWLEDGE_CONFLICT)
        return replace(cut, tokens=memory_tokens(cut))

    def summaries_left(self, summaries: Collection[SafeText]) -> tuple[SafeText, ...]:
        """The summaries without the sentences that say what is overruled."""
        if not self:
            return tuple(summaries)
        left = (sanitize(self._sentences_left(text, is_source=False)).text for text in summaries)
        return tuple(text for text in left if text)

    def _text_left(self, candidate: PromptCandidate) -> str:
        is_source = candidate.id in self.messages
        left = self._sentences_left(candidate.text, is_source=is_source)
        if left == candidate.text.strip():
            # a source of which no sentence is found is dropped whole
            return "" if is_source else left
        return _without_empty_sections(left) if candidate.kind == "profile" else left

    def _sentences_left(self, text: str, *, is_source: bool) -> str:
        def is_overruled(sentence: str) -> bool:
            return self._gives_way(sentence, is_source=is_source) or contradicts_any(sentence, self.known)

        lines = ([line] for line in text.split("\n"))
        left = (remaining_texts(cut_sentences(line, is_overruled), line)[0] for line in lines)
        return "\n".join(left).strip()

    def _gives_way(self, sentence: str, *, is_source: bool) -> bool:
        """Whether a sentence says what a memory says that a rule overrules."""
        says = self.words.disclosed_by if is_source else self.words.stated_by
        return bool(self.items) and says(sentence)


NOTHING_OVERRULED: Final = OverruledStatements()


def find_overruled(permit: Permit, user: User, snippets: Collection[Snippet]) -> OverruledStatements:
    """What ``snippets`` overrule: by rules, the user's memories of the same subject and slot, recalled or not; by rules
    and facts, what contradicts them.

    No model is asked. Call in a transaction acting for the user.
    """
    known = tuple(
        parse_sentence(sentence)
        for snippet in snippets
        if snippet.kind in STATING
        for sentence in split_sentences(snippet.text)
    )
    ruled = {(snippet.subject, snippet.slot) for snippet in snippets if snippet.kind == "rule" and snippet.slot}
    items = items_about(permit, ruled) if ruled else []
    if not items:
        return OverruledStatements(known=known)
    keys = frozenset(item.pk for item in items)
    messages = frozenset(key for item in items for key in item.message_ids)
    kept = [item.content for item in items_taught_by(permit, messages) if item.pk not in keys]
    statements = [(item.content, item.value) for item in items]
    return OverruledStatements(
        keys, messages, ErasedWords.of(statements, kept=kept, names=(user.name, user.username)), known
    )


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
