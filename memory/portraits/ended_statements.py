"""Finds sentences of events and portraits that are no longer true, because a statement in them has ended since.

A statement ends when the user says so, when a newer one replaces it, or when its time is over. Such a sentence is left
out as a whole: whatever else it says is remembered as a memory of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import Final
from uuid import UUID

from consent.permit import Permit
from foundation.language import is_denied
from memory.evolution.slots import STATEMENT, USER_SUBJECT, value_key
from memory.evolution.types import StatementCandidate
from memory.mentions import core_terms
from memory.models import MemoryItem
from memory.portraits.sentence_classifier import MAX_LINE_CHARS, statements_about
from memory.services.item_queries import versions_beside

StatementKey = tuple[str, str, str]  # subject, slot and value
ToldSentence = tuple[datetime, str]
_DENIAL: Final = "negative"
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_JOINED: Final = re.compile(r",? and |[;；，] ?")
_MOST: Final = 0.75
"""The share of a statement's terms from which a sentence counts as saying it, where no rule reads the sentence."""


@dataclass(frozen=True)
class EndedStatements:
    """The statements that are no longer true: ``ended`` maps the key of each to when it ended.

    ``contents`` are the words of each, and ``in_force`` the words of statements that are still true: sentences that no
    rule reads are judged by which of these they resemble more.
    """

    name: str
    ended: Mapping[StatementKey, datetime] = field(default_factory=dict)
    contents: Sequence[tuple[str, datetime]] = ()
    in_force: Sequence[str] = ()

    def says_ended(self, said_at: datetime, sentence: str) -> bool:
        """Whether a clause of a sentence told at ``said_at`` states what ended after that."""
        if not self.contents or len(sentence) > MAX_LINE_CHARS:
            return False
        return any(self._clause_ended(said_at, clause) for clause in _readings(sentence))

    def _clause_ended(self, said_at: datetime, sentence: str) -> bool:
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


def find_ended(
    permit: Permit, told: Iterable[ToldSentence], events: Collection[UUID], name: str, known_at: datetime
) -> EndedStatements:
    """The statements in these sentences, or in the conversations of these events, that had ended by ``known_at``.

    Call in a transaction acting for the user.
    """
    slots = {
        statement.attributes["slot"]
        for said_at, sentence in told
        for clause in _readings(sentence)
        for statement in statements_about(clause, name, said_at)
    }
    found = versions_beside(permit, slots - {STATEMENT}, events)
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
    """When a version was closed.

    The row of a version that was never believed is closed from its beginning: for it, the time of that decision.
    """
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
    """The largest share (0–1) of any statement's terms that was said; statements of one term are ignored."""
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


def _readings(sentence: str) -> Iterable[str]:
    """The sentence, and each of the statements that are joined in it."""
    return dict.fromkeys([sentence, *_JOINED.split(sentence)])
