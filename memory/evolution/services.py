"""From what was said to what is remembered: observation → analysis → evolution → write (seed B §2.3)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from pgvector import HalfVector
from pgvector.django import CosineDistance

from consent.permit import Permit
from consent.services import held_since
from foundation.outbox import services as outbox
from foundation.outbox.models import OutboxMessage, Priority
from foundation.personal_data import Scope
from foundation.telemetry.metrics import CANDIDATES_REFUSED
from foundation.text import split_sentences
from memory.evolution import gateway
from memory.evolution.analysis import analyze, is_correction
from memory.evolution.confidence import capped
from memory.evolution.gateway import Recalled, Similar
from memory.evolution.history import Actor
from memory.evolution.reading import Found, Reading
from memory.evolution.resolve import decide
from memory.evolution.slots import met_by, value_key
from memory.evolution.types import Candidate, Decision, KnownItem, Utterance
from memory.indexing.vectors import may_be_vectors
from memory.models import ConversationEvent, MemoryItem, SearchEntry
from memory.services import items, versions
from memory.services.remembered import Remembered, traces_of
from memory.services.sessions import message_before
from memory.services.versions import ItemDraft
from memory.types import ItemChange

OBSERVE_TOPIC = "memory.observe"


@dataclass(frozen=True)
class Learned:
    """What a message changed, and why the rest of what was found in it was refused."""

    changes: tuple[ItemChange, ...] = ()
    refused: tuple[str, ...] = ()


def observe(
    permit: Permit,
    events: Sequence[ConversationEvent],
    *,
    priority: Priority = Priority.NORMAL,
    wake: bool = True,
) -> OutboxMessage | None:
    """Queue messages for indexing and analysis; nothing where learning is not allowed, or the queue is full.

    Whatever corrects goes before all else that waits (seed B §2.3.0.1 A), but for imports, which nobody waits for.
    """
    learnable = [event for event in events if event.learnable]
    if not learnable or not permit.allows(Scope.MEMORY_LEARNING) or not outbox.has_room(priority):
        return None
    if priority == Priority.NORMAL and any(_corrects(event) for event in learnable):
        priority = Priority.URGENT
    return outbox.enqueue(
        OBSERVE_TOPIC,
        user_id=permit.user_id,
        payload={"session": str(learnable[0].session_id), "messages": [str(event.pk) for event in learnable]},
        scope=Scope.MEMORY_LEARNING.value,
        priority=priority,
        wake=wake,
    )


def _corrects(event: ConversationEvent) -> bool:
    return event.role == ConversationEvent.Role.USER and is_correction(event.text)


def learn(
    permit: Permit,
    event: ConversationEvent,
    previous: ConversationEvent | None,
    read: Mapping[Utterance, Sequence[Found]],
) -> Learned:
    """What one message teaches about its speaker: each candidate inserted, superseding, retiring or confirming.

    ``read`` was found before the transaction; a message that is another by now is read again, by rules. To be called
    while the permit is held, so one message of a person at a time: two about the same slot, learned side by side,
    would both win.
    """
    utterance = utterance_of(event, previous)
    found = read[utterance] if utterance in read else [Found(one) for one in analyze(utterance)]
    return _learned(permit, found, event, utterance, previous) if found else Learned()


def _learned(
    permit: Permit,
    found: Sequence[Found],
    event: ConversationEvent,
    utterance: Utterance,
    previous: ConversationEvent | None,
) -> Learned:
    recalled = _recalled(permit, previous or message_before(event))
    since = held_since(permit.user_id, Scope.MEMORY_LEARNING)
    changes: list[ItemChange] = []
    refused: list[str] = []
    for one in found:
        reason = gateway.refusal(one.candidate, utterance, recalled)
        if reason is not None:
            CANDIDATES_REFUSED.labels(reason=reason).inc()
            refused.append(reason)
        else:
            changes += _evolve(permit, one, event, since)
    return Learned(tuple(changes), tuple(refused))


def utterance_of(event: ConversationEvent, previous: ConversationEvent | None) -> Utterance:
    """What a message says, with what the assistant had said to this very person just before."""
    return Utterance(
        text=event.text,
        speaker=event.speaker,
        said_at=event.occurred_at,
        addressed_by_assistant=previous.text if previous and _asked(previous, event) else "",
    )


def _asked(previous: ConversationEvent, event: ConversationEvent) -> bool:
    """Whether the assistant spoke to this very person: in a group, one's "yes" answers no one else's question."""
    return previous.role == ConversationEvent.Role.ASSISTANT and previous.user_id == event.user_id


def _recalled(permit: Permit, before: ConversationEvent | None) -> Recalled:
    """What the assistant said just before, an answer that only repeats memories included, and what it was given."""
    if before is None or before.role != ConversationEvent.Role.ASSISTANT or before.user_id != permit.user_id:
        return Recalled()
    given = [one for trace in traces_of(permit, [before.pk]).values() for one in trace.memories]
    return Recalled(before.text, tuple(text for one in given for text in _not_their_words(one)))


def _not_their_words(given: Remembered) -> list[str]:
    """What of a memory put before the model its person did not say so: our sentences, and each of another speaker's."""
    if given.kind == "turn":
        return [] if given.mine else split_sentences(given.text)
    return [given.text] if given.kind in ("item", "event") else []


def _evolve(permit: Permit, found: Found, event: ConversationEvent, since: int) -> list[ItemChange]:
    candidate = found.candidate
    seen = _known(permit, candidate, since)
    decision = gateway.settled(candidate, decide(candidate, seen), _similar(found, seen))
    doubtful = gateway.is_doubtful(candidate, decision, seen, settings.LEARNING_REVIEW_BELOW)
    if doubtful and decision.action in ("SUPERSEDE", "RETIRE", "CONFIRM"):
        decision = Decision("ADD" if decision.action == "SUPERSEDE" else "NONE", None, "waits for its person")
    target = items.item_of(permit, decision.target) if decision.target else None
    return _apply(permit, decision, target, _draft(found, decision, event, quarantined=doubtful))


def _apply(permit: Permit, decision: Decision, target: MemoryItem | None, draft: ItemDraft) -> list[ItemChange]:
    if decision.action == "ADD":
        written = items.write(permit, draft, held=True)
        return [ItemChange(written.item.pk, written.event)]
    if target is None:
        return []
    if decision.action == "NONE":
        if decision.repeats and not draft.quarantined:
            versions.note_said(target, draft.detail["message_ids"])
        return []
    if decision.action == "SUPERSEDE":
        return [ItemChange(items.supersede(permit, target, draft).pk, "SUPERSEDE")]
    if decision.action == "CONFIRM":
        said_in = draft.detail["message_ids"]
        confirmed = items.confirm(permit, target.pk, actor=Actor.PIPELINE, rule=draft.rule, said_in=said_in)
        return [ItemChange(confirmed.pk, "UPDATE")]
    items.retire(permit, target, at=draft.valid_at or timezone.now(), rule=draft.rule)
    return [ItemChange(target.pk, "UPDATE")]


def known_items(permit: Permit, limit: int) -> list[KnownItem]:
    """The memories of the person that a model is shown, those last said or confirmed first."""
    latest = items.items_of(permit).filter(superseded_at=None, state=MemoryItem.State.ACTIVE)
    return [_as_known(row) for row in latest.order_by("-last_validated_at", "-id").values(*_KNOWN)[:limit]]


_KNOWN: Final = ("pk", "state", "attributes", "content", "memory_type", "provenance", "confidence", "valid_at")


# Values, not rows: somebody may like a thousand things. By hand, as it stands behind every candidate (measured).
_MET = """
    SELECT id, state, attributes, content, memory_type, provenance, confidence, valid_at FROM memory_memoryitem
    WHERE user_id = %s AND superseded_at IS NULL AND tombstone_id IS NULL AND consent_version >= %s
      AND attributes ->> 'subject' = %s AND attributes ->> 'slot' = ANY(%s)
"""


def _known(permit: Permit, candidate: Candidate, since: int) -> list[KnownItem]:
    """The open items that a candidate may meet: of its subject, in its slot or one that it may concern.

    What was stored under a consent before ``since`` only waits for its purge. One set aside is met only by its own
    value: it is not believed yet.
    """
    slot, value = candidate.attributes["slot"], value_key(candidate.attributes["value"])
    with connection.cursor() as cursor:
        cursor.execute(_MET, [permit.user_id, since, candidate.attributes["subject"], list(met_by(slot))])
        rows = [dict(zip(_KNOWN, row, strict=True)) for row in cursor.fetchall()]
    found = [(row["state"], _as_known(row | {"attributes": json.loads(row["attributes"])})) for row in rows]
    waits = MemoryItem.State.QUARANTINED
    return [item for state, item in found if state != waits or value_key(item.value) == value]


def _similar(found: Found, seen: Sequence[KnownItem]) -> list[Similar]:
    """The known items of the candidate's slot whose sentences are near to its own, by the vectors search holds.

    None where the database fails on vectors: then the same words alone are the same. Nor of a correction, which is
    none of what it corrects, however near.
    """
    slot = found.candidate.attributes["slot"]
    alike = {item.memory_id: item for item in seen if item.slot == slot}
    if found.vector is None or found.candidate.replaces or not alike:
        return []
    near = SearchEntry.objects.filter(pk__in=alike, model_id=found.model_id).annotate(
        distance=CosineDistance("vector", HalfVector(list(found.vector)))
    )
    within = near.filter(distance__lte=1 - settings.LEARNING_NEAR_DUPLICATE)
    try:
        with transaction.atomic():
            return [Similar(alike[key], 1 - distance) for key, distance in within.values_list("pk", "distance")]
    except DatabaseError as error:
        if not may_be_vectors(error):
            raise
        return []


def _as_known(row: Mapping[str, Any]) -> KnownItem:
    told = row["attributes"]
    return KnownItem(
        memory_id=row["pk"],
        subject=str(told.get("subject", "")),
        slot=str(told.get("slot", "")),
        value=str(told.get("value", "")),
        content=row["content"],
        memory_type=row["memory_type"],
        provenance=row["provenance"],
        confidence=row["confidence"],
        valid_at=row["valid_at"],
    )


def _draft(found: Found, decision: Decision, event: ConversationEvent, *, quarantined: bool) -> ItemDraft:
    candidate = found.candidate
    return ItemDraft(
        content=candidate.content,
        memory_type=candidate.memory_type,
        epistemic_type=candidate.epistemic_type,
        provenance=candidate.provenance,
        confidence=capped(candidate.confidence, candidate.provenance),
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
        quarantined=quarantined,
        vector=found.vector,
        model_id=found.model_id,
    )


def result_of(learned: Sequence[Learned], readings: Iterable[Reading]) -> dict[str, Any]:
    """What a job's row keeps of it: ids, verbs and reasons, no text."""
    changes = [change for one in learned for change in one.changes]
    told = {
        "refused": [reason for one in learned for reason in one.refused],
        "degraded": sorted({reason for reading in readings for reason in reading.degraded}),
    }
    results = [{"memory_id": str(change.memory_id), "event": change.event} for change in changes]
    return {"results": results} | {name: reasons for name, reasons in told.items() if reasons}
