"""Lists the statements in force that a question about oneself asks for. Call acting for the user."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from django.utils import timezone

from consent.models import Capability
from consent.permit import Permit
from finclaw.brain.material.dates import known_time_of
from finclaw.brain.self_questions.topic_classifier import classify_topics
from finclaw.brain.self_questions.topics import ANSWERS, PLANS, SECTIONS, belongs_to_topic, section_of, topics_of
from finclaw.brain.self_questions.types import SelfQuestion
from finclaw.brain.types import Assembly, CandidateDecision, PromptCandidate
from foundation.personal_data import ConsentScope
from foundation.sanitization.services import sanitize
from foundation.sanitization.types import SanitizationResult
from foundation.text import tokenize
from memory.models import MemoryItem, ReceiptLine, Session
from memory.querysets import MemoryItemQuerySet
from memory.services.item_queries import items_of, review_queue

MOST_SHOWN: Final = 40
"""Most statements an answer quotes; the others are counted and linked to."""
MOST_OF_A_SECTION: Final = 12  # fewer where many sections share ``MOST_SHOWN``
MOST_UNSURE: Final = 3  # quoted at the end as what the assistant is not sure of
MOST_READ: Final = 400
"""Most statements that are read, latest first: an answer waits for each."""
SURE: Final = 0.8
"""The confidence from which a statement is listed without a doubt."""
_NOT_ABOUT_THEM: Final = (MemoryItem.MemoryType.AGENT_EXPERIENCE, MemoryItem.MemoryType.SUMMARY)
_PERSONA: Final = MemoryItem.MemoryType.PERSONA_PREFERENCE
_OUTDATED: Final = MemoryItem.EpistemicType.OUTDATED


@dataclass(frozen=True)
class ListedStatement:
    """A statement in the list. ``planned_for`` is the day that a plan names."""

    item: MemoryItem
    text: str
    section: str
    topics: frozenset[str]
    planned_for: datetime | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it may be said without a doubt."""
        return self.item.confidence >= SURE


@dataclass(frozen=True)
class StatementListing:
    """Every statement in force that a question asks for, by section.

    ``unsure`` ones wait for the user's confirmation. ``may_be_read`` is off without consent to remember, and while
    personalization is switched off: then ``is_stopped``, too. ``goes_on`` says that older ones were not read.
    """

    sections: tuple[tuple[str, tuple[ListedStatement, ...]], ...] = ()
    unsure: tuple[ListedStatement, ...] = ()
    may_be_read: bool = True
    is_stopped: bool = False
    topics: tuple[str, ...] = ()
    named: str = ""
    goes_on: bool = False

    @property
    def entries(self) -> tuple[ListedStatement, ...]:
        """All statements, in order."""
        return tuple(entry for _, entries in self.sections for entry in entries)

    @property
    def is_empty(self) -> bool:
        return not self.sections and not self.unsure

    @property
    def is_of_everything(self) -> bool:
        """Whether nothing in particular was asked for."""
        return not self.topics and not self.named


@dataclass(frozen=True)
class QuotedListing:
    """The part of a list that an answer quotes: sections with their statements and how many more there are."""

    sections: tuple[tuple[str, tuple[ListedStatement, ...], int], ...] = ()
    unsure: tuple[ListedStatement, ...] = ()
    unsure_more: int = 0

    @property
    def entries(self) -> tuple[ListedStatement, ...]:
        """Every quoted statement, in order."""
        return (*(entry for _, entries, _ in self.sections for entry in entries), *self.unsure)


def list_statements(permit: Permit, session: Session, question: SelfQuestion) -> StatementListing:
    """The user's statements in force that the question asks for; in a group only those they told there.

    Leaves out what is superseded, outdated or blocked for safety.
    """
    if not permit.allows(ConsentScope.MEMORY_LEARNING):
        stopped = Capability.PERSONALIZATION in permit.stopped
        return StatementListing(may_be_read=False, is_stopped=stopped, topics=question.topics, named=question.named)
    in_force = _in_session(items_of(permit), session).in_force(timezone.now()).exclude(epistemic_type=_OUTDATED)
    waiting = review_queue(permit).filter(group_id=session.group_id)
    read = list(in_force[: MOST_READ + 1])
    return StatementListing(
        sections=_group_by_section(_filter_requested(read[:MOST_READ], question)),
        unsure=tuple(_filter_requested(waiting[:MOST_READ], question)),
        topics=question.topics,
        named=question.named,
        goes_on=len(read) > MOST_READ,
    )


def _in_session(items: MemoryItemQuerySet, session: Session) -> MemoryItemQuerySet:
    """In a group what the user told there; in private all of the user's own."""
    return items.filter(group_id=session.group_id) if session.group_id else items


def quote_listing(listing: StatementListing) -> QuotedListing:
    """As much of a list as an answer quotes: the first of each section, sharing the room equally where it is short."""
    whole = len(listing.entries) <= MOST_SHOWN
    each = MOST_SHOWN if whole else max(2, min(MOST_OF_A_SECTION, MOST_SHOWN // max(1, len(listing.sections))))
    sections = tuple((name, entries[:each], max(0, len(entries) - each)) for name, entries in listing.sections)
    unsure = listing.unsure[:MOST_UNSURE]
    return QuotedListing(sections, unsure, len(listing.unsure) - len(unsure))


def assembly_of(entries: Iterable[ListedStatement], *, of_everything: bool = False) -> Assembly:
    """The quoted statements as an assembly, so that receipts show them and erasures find them.

    Of a list ``of_everything`` the latest are quoted, whatever they are about.
    """
    reason = ReceiptLine.Reason.RECENCY if of_everything else ReceiptLine.Reason.RELEVANCE
    decisions = [
        CandidateDecision(_entry_candidate(entry), True, reason, number) for number, entry in enumerate(entries, 1)
    ]
    return Assembly(tuple(decisions), {}, budget_exceeded=False)


def slot_of(item: MemoryItem) -> str:
    """The slot that learning filed a statement under; "" where it did not."""
    return str(item.attributes.get("slot", ""))


def entries_of(items: Iterable[MemoryItem]) -> list[ListedStatement]:
    """Statements as list entries in their order, without those that may not be repeated."""
    told = [item for item in items if item.memory_type not in _NOT_ABOUT_THEM and _may_be_told(item)]
    meant = classify_topics({item.pk: item.content for item in told})
    return [_make_entry(item, topics_of(item.content, slot_of(item), meant[item.pk])) for item in told]


def _may_be_told(item: MemoryItem) -> bool:
    """Whether the statement's text may be repeated."""
    return sanitize(item.content).result is not SanitizationResult.BLOCKED


def _make_entry(item: MemoryItem, topics: frozenset[str]) -> ListedStatement:
    if item.memory_type == _PERSONA:
        return ListedStatement(item, item.content, ANSWERS, frozenset({ANSWERS}))
    section = section_of(topics, slot_of(item))
    return ListedStatement(
        item, item.content, section, topics, known_time_of(item.content) if section == PLANS else None
    )


def _filter_requested(items: Iterable[MemoryItem], question: SelfQuestion) -> list[ListedStatement]:
    return [entry for entry in entries_of(items) if _is_requested(entry, question)]


def _is_requested(entry: ListedStatement, question: SelfQuestion) -> bool:
    if question.named:
        return not set(tokenize(question.named)).isdisjoint(tokenize(entry.text))
    return not question.topics or any(belongs_to_topic(topic, entry.topics) for topic in question.topics)


def _group_by_section(entries: Sequence[ListedStatement]) -> tuple[tuple[str, tuple[ListedStatement, ...]], ...]:
    by_name = {name: tuple(entry for entry in entries if entry.section == name) for name in SECTIONS}
    return tuple((name, _sort_entries(name, found)) for name, found in by_name.items() if found)


def _sort_entries(name: str, entries: Sequence[ListedStatement]) -> tuple[ListedStatement, ...]:
    """Surest and latest first; plans by their day, undated ones behind, past ones last."""
    latest = sorted(entries, key=lambda entry: (not entry.is_sure, -entry.item.valid_at.timestamp()))
    return tuple(sorted(latest, key=_plan_day_key)) if name == PLANS else tuple(latest)


def _plan_day_key(entry: ListedStatement) -> tuple[int, float]:
    if entry.planned_for is None:
        return 1, 0.0
    return (2 if is_past(entry) else 0), entry.planned_for.timestamp()


def is_past(entry: ListedStatement) -> bool:
    """Whether the day of a plan has passed."""
    return entry.planned_for is not None and entry.planned_for < timezone.now()


def _entry_candidate(entry: ListedStatement) -> PromptCandidate:
    item = entry.item
    return PromptCandidate(
        kind="item",
        id=item.pk,
        text=entry.text,
        score=1.0,
        tokens=0,
        occurred_at=item.valid_at,
        provenance=item.provenance,
        epistemic_type=item.epistemic_type,
        confidence=item.confidence,
        memory_type=item.memory_type,
        slot=slot_of(item),
        said_in=_message_ids(item),
        signals={"lexical": 0.0, "semantic": 0.0},  # chosen by rule
        sanitization=SanitizationResult.PASS.value,
    )


def _message_ids(item: MemoryItem) -> tuple[UUID, ...]:
    return tuple(UUID(key) for key in item.provenance_detail.get("message_ids", ()))
