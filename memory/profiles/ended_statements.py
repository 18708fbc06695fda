"""What has ended since it was told: by its person's word, by a newer statement, or because its time is over.

Events and portraits keep what was told. A sentence of theirs goes if one of its statements ended later; what else it
says stands as a memory of its own.
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
from memory.profiles.sentence_classifier import MAX_LINE_CHARS, statements_about
from memory.services.item_queries import versions_beside

StatementKey = tuple[str, str, str]  # subject, slot and value
ToldSentence = tuple[datetime, str]
_DENIAL: Final = "negative"
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_JOINED: Final = re.compile(r",? and |[;；，] ?")
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

    def says_ended(self, said_at: datetime, sentence: str) -> bool:
        """Whether a sentence told then says, in one of its clauses, what ended after it."""
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
    """What had ended by ``known_at`` of what these sentences and the conversations of these events may have told.

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


def _readings(sentence: str) -> Iterable[str]:
    """The sentence, and each of the statements that are joined in it."""
    return dict.fromkeys([sentence, *_JOINED.split(sentence)])
