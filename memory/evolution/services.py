"""From what was said to what is remembered: observation → analysis → evolution → write (seed B §2.3)."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from consent.permit import Permit
from foundation.accounts.services import lock_user
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage, Priority
from foundation.personal_data import Scope
from memory.evolution.analysis import analyze
from memory.evolution.confidence import cap
from memory.evolution.resolve import decide
from memory.evolution.types import Candidate, Decision, KnownItem, Utterance
from memory.models import ConversationEvent, MemoryItem
from memory.services import items
from memory.services.items import ItemDraft
from memory.types import ItemChange

OBSERVE_TOPIC = "memory.observe"


def observe(
    permit: Permit,
    events: Sequence[ConversationEvent],
    *,
    priority: Priority = Priority.NORMAL,
    wake: bool = True,
) -> OutboxMessage | None:
    """Queue messages for indexing and analysis; nothing where learning is not allowed, or the queue is full."""
    learnable = [event for event in events if event.learnable]
    if not learnable or not permit.allows(Scope.MEMORY_LEARNING) or not outbox.has_room(priority):
        return None
    return outbox.enqueue(
        OBSERVE_TOPIC,
        user_id=permit.user_id,
        payload={"session": str(learnable[0].session_id), "messages": [str(event.pk) for event in learnable]},
        scope=Scope.MEMORY_LEARNING.value,
        priority=priority,
        wake=wake,
    )


def learn(permit: Permit, event: ConversationEvent, previous: ConversationEvent | None) -> list[ItemChange]:
    """What one message teaches about its speaker: each candidate inserted, superseding, retiring or confirming.

    One message of a person at a time: two about the same slot, learned side by side, would both win.
    """
    utterance = Utterance(
        text=event.text,
        speaker=event.speaker,
        said_at=event.occurred_at,
        addressed_by_assistant=previous.text if previous and _asked(previous, event) else "",
    )
    candidates = analyze(utterance)
    if not candidates:
        return []
    with transaction.atomic():
        lock_user(permit.user_id)
        return [change for candidate in candidates for change in _evolve(permit, candidate, event)]


def _asked(previous: ConversationEvent, event: ConversationEvent) -> bool:
    """Whether the assistant spoke to this very person: in a group, one's "yes" answers no one else's question."""
    return previous.role == ConversationEvent.Role.ASSISTANT and previous.user_id == event.user_id


def _evolve(permit: Permit, candidate: Candidate, event: ConversationEvent) -> list[ItemChange]:
    known = _known(permit, candidate)
    decision = decide(candidate, [_as_known(item) for item in known])
    target = next((item for item in known if item.pk == decision.target), None)
    draft = _draft(candidate, decision, event)
    if decision.action == "ADD":
        return [ItemChange(items.add_item(permit, draft).pk, "ADD")]
    if target is None or decision.action == "NONE":
        return []
    if decision.action == "SUPERSEDE":
        return [ItemChange(items.supersede(permit, target, draft).pk, "SUPERSEDE")]
    if decision.action == "CONFIRM":
        return [ItemChange(items.confirm(permit, target.pk).pk, "UPDATE")]
    items.retire(target, at=candidate.valid_at)
    return [ItemChange(target.pk, "UPDATE")]


def _known(permit: Permit, candidate: Candidate) -> list[MemoryItem]:
    """The open items about the same subject."""
    open_items = MemoryItem.objects.owned_by(permit.user_id).filter(superseded_at=None)
    return list(open_items.filter(attributes__subject=candidate.attributes["subject"]))


def _as_known(item: MemoryItem) -> KnownItem:
    return KnownItem(
        memory_id=item.pk,
        subject=str(item.attributes.get("subject", "")),
        slot=str(item.attributes.get("slot", "")),
        value=str(item.attributes.get("value", "")),
        content=item.content,
        memory_type=item.memory_type,
        provenance=item.provenance,
        confidence=item.confidence,
        valid_at=item.valid_at,
    )


def _draft(candidate: Candidate, decision: Decision, event: ConversationEvent) -> ItemDraft:
    return ItemDraft(
        content=candidate.content,
        memory_type=candidate.memory_type,
        epistemic_type=candidate.epistemic_type,
        provenance=candidate.provenance,
        confidence=min(candidate.confidence, cap(candidate.provenance, declarative=True)),
        category=candidate.category,
        attributes=dict(candidate.attributes),
        valid_at=candidate.valid_at,
        source_sessions=(event.session_id,),
        group_id=event.group_id,
        detail={
            "rule": candidate.rule,
            "message_ids": [str(event.pk)],
            "change": decision.action.lower(),
            "why": decision.reason,
        },
    )


def result_of(changes: Sequence[ItemChange]) -> list[dict[str, str]]:
    """What a job's row keeps of the changes: ids and verbs, no text."""
    return [{"memory_id": str(change.memory_id), "event": change.event} for change in changes]
