"""Cuts out of recalled events what has ended since: else a prompt denies what an event beside it tells.

Asked about the past, sentences stay, marked.
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
from memory.profiles.ended_statements import EndedStatements, find_ended
from memory.profiles.sentence_classifier import sentences_of


def mark_ended(
    permit: Permit,
    candidates: Sequence[PromptCandidate],
    name: str,
    *,
    about_past: bool = False,
    known_at: datetime | None = None,
) -> list[PromptCandidate]:
    """The candidates, of which events lose what has ended since; one that says nothing else is marked past.

    With ``about_past`` they keep their words; with ``known_at`` nothing ended that was known to end later. Call in a
    transaction acting for the user.
    """
    events = [candidate for candidate in candidates if candidate.kind == "event"]
    if not events:
        return list(candidates)
    told = [(event.occurred_at, sentence) for event in events for sentence in sentences_of(event.text)]
    ended = find_ended(permit, told, [event.id for event in events], name, known_at or timezone.now())
    return [_judge(ended, one, about_past=about_past) if one.kind == "event" else one for one in candidates]


def text_left(ended: EndedStatements, event: PromptCandidate) -> str:
    """The event's text without the sentences that say what ended after it."""
    told = [event.text]
    return remaining_texts(cut_sentences(told, partial(ended.says_ended, event.occurred_at)), told)[0].strip()


def _judge(ended: EndedStatements, event: PromptCandidate, *, about_past: bool) -> PromptCandidate:
    left = text_left(ended, event)
    if left == event.text.strip():
        return event
    # What is left was not judged when it was stored: whoever puts it into a prompt reads it anew.
    return replace(event, past=not left) if about_past or not left else replace(event, text=left, passes=False)
