"""What has ended since, in the events that told of it before.

A memory that was taken back, that a newer one replaced or whose time is over takes along the sentences of events that
say the same: else a prompt denies what an event beside it tells. A sentence goes if one of its statements ended; what
else it says stands as a memory of its own. Asked about the past, sentences stay, marked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from typing import Final

from django.utils import timezone

from consent.permit import Permit
from finclaw.brain.types import PromptCandidate
from foundation.language import is_denied
from memory.erasure.sentence_cuts import cut_sentences, remaining_texts
from memory.evolution.slots import STATEMENT, USER_SUBJECT, value_key
from memory.evolution.types import StatementCandidate
from memory.mentions import core_terms
from memory.models import MemoryItem
from memory.profiles.sentence_classifier import MAX_LINE_CHARS, sentences_of, statements_about
from memory.services.item_queries import versions_beside

StatementKey = tuple[str, str, str]  # subject, slot and value
_DENIAL: Final = "negative"
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_MOST: Final = 0.75
"""The share of a statement's terms with which a sentence says it, where no rule reads either."""


@dataclass(frozen=True)
class EndedStatements:
    """When each statement ended that holds no longer, by its key.

    ``contents`` are the words of each, by which sentences are judged that no rule reads, beside those of ``in_force``,
    which hold.
    """

    name: str
    ended: Mapping[StatementKey, datetime] = field(default_factory=dict)
    contents: Sequence[tuple[str, datetime]] = ()
    in_force: Sequence[str] = ()

    def text_left(self, event: PromptCandidate) -> str:
        """The event's text without the sentences that say what ended after it."""
        told = [event.text]
        return remaining_texts(cut_sentences(told, partial(self._says_ended, event.occurred_at)), told)[0].strip()

    def _says_ended(self, said_at: datetime, sentence: str) -> bool:
        if len(sentence) > MAX_LINE_CHARS:
            return False
        found = statements_about(sentence, self.name, said_at)
        if found:
            ends = [self.ended.get(_key_of_statement(statement)) for statement in found if not _denies(statement)]
            return any(end is not None and said_at <= end for end in ends)
        said = core_terms(sentence)
        share = _largest_share(said, (terms for terms, end in self._ended_terms if said_at <= end))
        return share >= _MOST and share > _largest_share(said, self._terms_in_force) and not _denies_something(sentence)

    @cached_property
    def _ended_terms(self) -> list[tuple[frozenset[str], datetime]]:
        return [(core_terms(content), end) for content, end in self.contents]

    @cached_property
    def _terms_in_force(self) -> list[frozenset[str]]:
        return list(map(core_terms, self.in_force))


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
    ended = _find_ended(permit, events, name, known_at or timezone.now())
    return [_judge(ended, one, about_past=about_past) if one.kind == "event" else one for one in candidates]


def _judge(ended: EndedStatements, event: PromptCandidate, *, about_past: bool) -> PromptCandidate:
    left = ended.text_left(event)
    if left == event.text.strip():
        return event
    # What is left was not judged when it was stored: whoever puts it into a prompt reads it anew.
    return replace(event, past=not left) if about_past or not left else replace(event, text=left, passes=False)


def _find_ended(permit: Permit, events: Collection[PromptCandidate], name: str, known_at: datetime) -> EndedStatements:
    slots = {
        statement.attributes["slot"]
        for event in events
        for sentence in sentences_of(event.text)
        for statement in statements_about(sentence, name, event.occurred_at)
    }
    found = versions_beside(permit, slots - {STATEMENT}, [event.id for event in events])
    versions = list(found.filter(created_at__lte=known_at).exclude(state=MemoryItem.State.QUARANTINED))
    ends = {item.pk: _end_of(item) for item in versions}
    open_items = [item for item in versions if ends[item.pk] > known_at]
    hold = {_key_of_item(item) for item in open_items}
    closed = [item for item in versions if ends[item.pk] <= known_at and _key_of_item(item) not in hold]
    return EndedStatements(
        name,
        _latest((_key_of_item(item), ends[item.pk]) for item in closed),
        [(item.content, ends[item.pk]) for item in closed],
        [item.content for item in open_items],
    )


def _end_of(item: MemoryItem) -> datetime:
    """When a version was closed. The row of one never believed says from the first: then when that was decided."""
    if item.superseded_at is None:
        return _NEVER
    if item.superseded_by is not None:
        return item.superseded_by.created_at
    return item.superseded_at if item.superseded_at > item.created_at else item.updated_at


def _latest(ends: Iterable[tuple[StatementKey, datetime]]) -> dict[StatementKey, datetime]:
    latest: dict[StatementKey, datetime] = {}
    for key, at in ends:
        latest[key] = max(at, latest.get(key, at))
    return latest


def _largest_share(said: frozenset[str], statements: Iterable[frozenset[str]]) -> float:
    """The largest share (0–1) that was said of the terms of any of these statements; a single term tells nothing."""
    return max((len(said & terms) / len(terms) for terms in statements if len(terms) > 1), default=0.0)


def _denies_something(sentence: str) -> bool:
    return any(is_denied(sentence, at) for at in range(1, len(sentence)))


def _denies(statement: StatementCandidate) -> bool:
    return statement.attributes["polarity"] == _DENIAL


def _key_of_statement(statement: StatementCandidate) -> StatementKey:
    attributes = statement.attributes
    return attributes["subject"], attributes["slot"], value_key(attributes["value"])


def _key_of_item(item: MemoryItem) -> StatementKey:
    return item.attributes.get("subject", USER_SUBJECT), item.attributes.get("slot", ""), value_key(item.value)
