"""Cuts from recalled events the sentences that no longer hold, which would contradict the rest of a prompt.

For a question about the past they stay; an event that says nothing else is marked past.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from django.utils import timezone

from consent.permit import Permit
from finclaw.brain.types import PromptCandidate
from memory.erasure.sentence_cuts import cut_sentences, remaining_texts
from memory.portraits.ended_statements import EndedStatements, find_ended
from memory.portraits.sentence_classifier import sentences_of


def mark_ended(
    permit: Permit,
    candidates: Sequence[PromptCandidate],
    name: str,
    *,
    about_past: bool = False,
    known_at: datetime | None = None,
) -> list[PromptCandidate]:
    """The candidates. Events lose the sentences that no longer hold; an event with no other sentence is marked past.

    With ``about_past`` events keep their words. With ``known_at`` an end that became known only later does not count.
    Call in a transaction acting for the user.
    """
    events = [candidate for candidate in candidates if candidate.kind == "event"]
    if not events:
        return list(candidates)
    told = [(event.occurred_at, sentence) for event in events for sentence in sentences_of(event.text)]
    ended = find_ended(permit, told, [event.id for event in events], name, known_at or timezone.now())
    return [_judge(ended, one, about_past=about_past) if one.kind == "event" else one for one in candidates]


def remaining_text(ended: EndedStatements, event: PromptCandidate) -> str:
    """The event's text without the sentences that say what ended after it."""
    told = [event.text]
    return remaining_texts(cut_sentences(told, partial(ended.says_ended, event.occurred_at)), told)[0].strip()


def _judge(ended: EndedStatements, event: PromptCandidate, *, about_past: bool) -> PromptCandidate:
    left = remaining_text(ended, event)
    if left == event.text.strip():
        return event
    # The stored verdict was on the whole text: what is left is sanitized again before it enters a prompt.
    return (
        replace(event, is_past=not left) if about_past or not left else replace(event, text=left, is_prechecked=False)
    )
