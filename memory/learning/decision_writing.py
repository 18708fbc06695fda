"""Writes what was decided about a candidate: adds, supersedes, retires, confirms or quarantines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.utils import timezone

from consent.permit import Permit
from memory.confidence import limit_confidence
from memory.evolution.types import EvolutionDecision
from memory.indexing import visibility
from memory.learning.decisions import ReviewedDecision
from memory.learning.extraction import EmbeddedCandidate
from memory.models import ConversationEvent, MemoryItem
from memory.services import contradicted_items, item_queries, items
from memory.services.history import Actor
from memory.services.versions import ItemDraft, program_detail
from memory.types import ItemChange


def write_decision(
    permit: Permit, found: EmbeddedCandidate, event: ConversationEvent, reviewed: ReviewedDecision
) -> list[ItemChange]:
    """Write what was decided about a candidate of this message; returns the changes made."""
    decision, doubt, change = reviewed.decision, reviewed.doubt, reviewed.change
    target = item_queries.item_of(permit, decision.target) if decision.target else None
    draft = _draft_item(found, decision, event, doubt, _chains_concerned(permit, decision))
    applied = _apply_decision(permit, decision, target, draft)
    if decision.too_old:
        visibility.mark_overtaken(event.pk)
    if change and change.message_id and change.is_sure and not doubt:
        visibility.mark_overtaken(change.message_id)
    if doubt or decision.too_old:
        return applied
    stands = target.content if target and decision.action in ("NONE", "CONFIRM") else draft.content
    others = [item.memory_id for item in reviewed.corrected if item.memory_id != decision.target]
    return applied + _supersede_corrected(permit, others, replace(draft, content=stands, vector=None))


def _supersede_corrected(permit: Permit, corrected: Sequence[UUID], draft: ItemDraft) -> list[ItemChange]:
    """Close the other corrected items in favour of the memory with ``draft``'s words."""
    gone = [item_queries.item_of(permit, key) for key in corrected]
    return [ItemChange(items.supersede(permit, item, draft).pk, "SUPERSEDE") for item in gone]


def _apply_decision(
    permit: Permit, decision: EvolutionDecision, target: MemoryItem | None, draft: ItemDraft
) -> list[ItemChange]:
    if decision.action == "ADD":
        written = items.write(permit, draft, is_permit_held=True)
        return [ItemChange(written.item.pk, written.event)]
    if target is None:
        return []
    if decision.action == "NONE":
        if decision.repeats and (not draft.quarantined or target.state == MemoryItem.State.QUARANTINED):
            items.repeat_statement(permit, target, draft)
        return []
    if decision.action == "SUPERSEDE":
        return [ItemChange(items.supersede(permit, target, draft).pk, "SUPERSEDE")]
    if decision.action == "CONFIRM":
        said_in = draft.message_ids
        confirmed = items.confirm(
            permit, target.pk, actor=Actor.PIPELINE, rule=draft.rule, said_in=said_in, sessions=draft.source_sessions
        )
        return [ItemChange(confirmed.pk, "UPDATE")]
    items.retire(permit, target, at=draft.valid_at or timezone.now(), rule=draft.rule, said_in=draft.message_ids)
    return [ItemChange(target.pk, "UPDATE")]


def _chains_concerned(permit: Permit, decision: EvolutionDecision) -> dict[str, list[str]]:
    """The chains that a new item names as perhaps changed or replaced. Chains outlive versions."""
    named = {
        contradicted_items.MAY_CHANGE: decision.may_change,
        contradicted_items.PUTS_AWAY: decision.replaces_if_confirmed,
    }
    return {name: [str(item_queries.item_of(permit, key).chain_id)] for name, key in named.items() if key}


def _draft_item(
    found: EmbeddedCandidate,
    decision: EvolutionDecision,
    event: ConversationEvent,
    doubt: str,
    concerned: dict[str, list[str]],
) -> ItemDraft:
    candidate = found.candidate
    return ItemDraft(
        content=candidate.content,
        memory_type=candidate.memory_type,
        epistemic_type=candidate.epistemic_type,
        provenance=candidate.provenance,
        confidence=limit_confidence(candidate.confidence, candidate.provenance),
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
        }
        | ({"doubt": doubt} if doubt else {})
        | program_detail(event.program)
        | concerned,
        quarantined=bool(doubt),
        vector=found.vector,
        model_id=found.model_id,
    )
