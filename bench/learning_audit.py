"""Audit what was learned from the conversations of people: what is wrong, doubled or outdated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TypeVar
from uuid import UUID

import numpy as np
from django.conf import settings

from consent.services import permit_for
from foundation.accounts.models import User
from foundation.database.acting_user import acting_as
from foundation.language import normalize
from foundation.outbox.models import OutboxMessage
from foundation.outbox.tasks import drain
from foundation.text import tokenize
from memory.evolution.comparison import ComparableItem, is_same_statement
from memory.evolution.rule_analyzer import analyze
from memory.evolution.slots import value_key
from memory.governance.similarity import find_clusters
from memory.governance.thresholds import Thresholds
from memory.importing.imported_people import username_of
from memory.importing.services import ConversationImporter
from memory.importing.sources import open_source
from memory.importing.types import Format, SessionPart
from memory.learning.preceding_messages import utterance_of
from memory.models import ConversationEvent, MemoryItem
from memory.services.comparable_items import comparable_items
from memory.services.item_queries import items_of

TOO_ALIKE = 0.8  # of the tokens of two items together, those they share
Said = tuple[ConversationEvent, ConversationEvent | None]
T = TypeVar("T")


@dataclass(frozen=True)
class AuditedPerson:
    """Somebody, their messages each with the one before it, every version learned from them, and the open ones as
    upkeep compares them.
    """

    user: User
    said: tuple[Said, ...]
    learned: tuple[MemoryItem, ...]
    compared: tuple[ComparableItem, ...]

    @property
    def in_force(self) -> list[MemoryItem]:
        """What stands in memory: the open versions, those that wait for their person included."""
        return [item for item in self.learned if item.superseded_at is None]

    def source_of(self, item: MemoryItem) -> Said | None:
        """The first message an item names as its source; None where it is not the person's."""
        names = [UUID(key) for key in item.provenance_detail.get("message_ids", ())]
        own = {event.pk: (event, previous) for event, previous in self.said}
        return own[names[0]] if names and set(names) <= set(own) else None

    def message_of(self, item: MemoryItem) -> str:
        """The words of that message; empty where there is none."""
        source = self.source_of(item)
        return source[0].text if source else ""


def heard(path: Path, form: Format) -> list[AuditedPerson]:
    """Import a document, drain the queue of what it brought, and read back everybody in it."""
    names: dict[str, None] = {}
    importer = ConversationImporter()
    for record in open_source(path, form).records:
        if isinstance(record, SessionPart):
            importer.add(record)
            names |= dict.fromkeys(username_of(record.conversation, person) for person in record.people)
    learn_all()
    return [_person(User.objects.get(username=name)) for name in names]


def learn_all() -> None:
    """Run every job that waits. Raises ``AssertionError`` where one did not end well: then nothing was measured."""
    drain()
    if failed := OutboxMessage.objects.exclude(state="done").count():
        raise AssertionError(f"{failed} jobs failed")


def _person(user: User) -> AuditedPerson:
    with acting_as(user.pk):
        learned = tuple(items_of(permit_for(user)).order_by("created_at", "id"))
        compared = comparable_items([item for item in learned if item.superseded_at is None])
        sessions = ConversationEvent.objects.filter(user=user).values("session")
        events = ConversationEvent.objects.filter(session__in=sessions).order_by("session", "seq")
        before = {(event.session_id, event.seq): event for event in events}
    said = tuple(
        (event, before.get((event.session_id, event.seq - 1)))
        for event in before.values()
        if event.user_id == user.pk and event.role == ConversationEvent.Role.USER
    )
    return AuditedPerson(user, said, learned, tuple(compared))


def findings(people: Iterable[AuditedPerson]) -> dict[str, float]:
    """Items in force, how many wait for their person, and how many are there twice, nearly so, or from nowhere."""
    counts: Counter[str] = Counter()
    for person in people:
        counts.update(
            {
                "items": len(person.in_force),
                "waiting": sum(item.state == MemoryItem.State.QUARANTINED for item in person.in_force),
                "exact duplicates": exact_duplicates(person.in_force),
                "near, gateway": near_by_gateway(person.compared),
                "near, governor": near_by_governor(person.compared),
                "near, Jaccard": near_by_words(person.in_force),
                "untraceable": sum(not is_traceable(person, item) for item in person.learned),
            }
        )
    return dict(counts)


def exact_duplicates(items: Sequence[MemoryItem]) -> int:
    """Items beside one of the same words, or of the same value in the same slot."""
    told = [(item.group_id, item.attributes["slot"], value_key(item.attributes["value"])) for item in items]
    words = [(item.group_id, " ".join(normalize(item.content).split())) for item in items]
    return max(_surplus(told), _surplus(words))


def _surplus(keys: Sequence[Hashable]) -> int:
    return len(keys) - len(set(keys))


def near_by_gateway(statements: Sequence[ComparableItem]) -> int:
    """Items the gateway would have had to call a restatement of an earlier one: near in meaning, the same in words."""
    return _later_ones(statements, _restates)


def _restates(first: ComparableItem, other: ComparableItem) -> bool:
    if (first.subject, first.slot, first.model_id) != (other.subject, other.slot, other.model_id):
        return False
    return _similarity(first, other) >= settings.LEARNING_NEAR_DUPLICATE and is_same_statement(first.words, other.words)


def _similarity(first: ComparableItem, other: ComparableItem) -> float:
    if first.vector is None or other.vector is None:
        return 0.0
    return float(first.vector @ other.vector / (np.linalg.norm(first.vector) * np.linalg.norm(other.vector)))


def near_by_governor(statements: Sequence[ComparableItem]) -> int:
    """Items upkeep would merge into another, if two of them were enough for it."""
    found = find_clusters(statements, Thresholds(consolidate_from=2))
    return sum(len(cluster.others) for cluster in found)


def near_by_words(items: Sequence[MemoryItem]) -> int:
    """Items that share ``TOO_ALIKE`` of their tokens with an earlier one, whatever their slots."""
    return _later_ones([frozenset(tokenize(item.content)) for item in items], _overlap)


def _overlap(first: frozenset[str], other: frozenset[str]) -> bool:
    return bool(first | other) and len(first & other) / len(first | other) >= TOO_ALIKE


def _later_ones(items: Sequence[T], alike: Callable[[T, T], bool]) -> int:
    return len({at for (_, earlier), (at, other) in combinations(enumerate(items), 2) if alike(earlier, other)})


def is_traceable(person: AuditedPerson, item: MemoryItem) -> bool:
    """Whether an item's message is there, its person's own, of a session it names, and holds the very words."""
    source = person.source_of(item)
    if source is None or source[0].session_id not in item.source_sessions:
        return False
    text = source[0].text
    found = [
        candidate for candidate in analyze(utterance_of(*source)) if candidate.rule == item.provenance_detail["rule"]
    ]
    return any(candidate.content in item.content and candidate.quote in text for candidate in found)
