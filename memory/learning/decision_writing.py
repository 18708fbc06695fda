"""Writes what resolution decides about a candidate: adds, supersedes, retires, confirms or quarantines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from consent.permit import Permit
from memory.confidence import capped
from memory.evolution import quality_gateway
from memory.evolution.implicit_corrections import (
    PrecedingMessage,
)
from memory.evolution.resolution import changes_surely, decide, decide_named, is_open_to_change, with_change
from memory.evolution.types import EvolutionDecision
from memory.indexing import visibility
from memory.learning.earlier_statements import likely_change
from memory.learning.extraction import EmbeddedCandidate
from memory.learning.item_lookup import is_near, matching_items, named_item, similar_items
from memory.models import ConversationEvent, MemoryItem
from memory.services import contradicted_items, item_queries, items
from memory.services.history import Actor
from memory.services.versions import ItemDraft
from memory.types import ItemChange


def evolve(
    permit: Permit, found: EmbeddedCandidate, event: ConversationEvent, since: int, before: PrecedingMessage
) -> list[ItemChange]:
    """Resolve one candidate against what is known, and write the outcome; returns the changes made.

    ``since`` is the consent version from which on memories may be used, ``before`` the user's preceding message.
    """
    candidate = found.candidate
    seen = matching_items(permit, candidate, since)
    corrected = before.corrected_by(candidate, seen)
    decision = quality_gateway.without_duplicates(
        candidate, decide(candidate, seen, corrected), similar_items(found, seen)
    )
    named, meant = named_item(permit, candidate), None
    if named is not None:
        seen, decision = [*seen, named], decide_named(candidate, named)
    elif is_open_to_change(candidate, decision):
        meant = likely_change(permit, found, event, since)
        decision = with_change(candidate, decision, meant)
    if meant and changes_surely(decision, meant):
        candidate = replace(candidate, band="remember")
    if candidate.band == "ignore":
        return []
    doubt = quality_gateway.reason_to_review(candidate, decision, seen, settings.LEARNING_REVIEW_BELOW)
    if named is not None and decision.action == "SUPERSEDE" and not doubt and not is_near(permit, found, named):
        doubt = "gateway.target"
    if doubt and decision.action in ("SUPERSEDE", "RETIRE", "CONFIRM"):
        decision = _until_confirmed(decision)
    target = item_queries.item_of(permit, decision.target) if decision.target else None
    draft = _draft_item(found, decision, event, doubt, _chains_concerned(permit, decision))
    applied = _apply_decision(permit, decision, target, draft)
    if decision.too_old:
        visibility.mark_overtaken(event.pk)
    if meant and meant.message_id and meant.is_sure and not doubt:
        visibility.mark_overtaken(meant.message_id)
    if doubt or decision.too_old:
        return applied
    stands = target.content if target and decision.action in ("NONE", "CONFIRM") else draft.content
    others = [item.memory_id for item in corrected if item.memory_id != decision.target]
    return applied + _supersede_corrected(permit, others, replace(draft, content=stands, vector=None))


def _until_confirmed(decision: EvolutionDecision) -> EvolutionDecision:
    """The decision on a statement that awaits the user: what it would replace stands until they confirm it."""
    if decision.action == "SUPERSEDE":
        return EvolutionDecision("ADD", None, "waits for its person", puts_away=decision.target)
    return EvolutionDecision("NONE", None, "waits for its person")


def _supersede_corrected(permit: Permit, corrected: Sequence[UUID], draft: ItemDraft) -> list[ItemChange]:
    """Close the other corrected items in favour of the memory with ``draft``'s words."""
    gone = [item_queries.item_of(permit, key) for key in corrected]
    return [ItemChange(items.supersede(permit, item, draft).pk, "SUPERSEDE") for item in gone]


def _apply_decision(
    permit: Permit, decision: EvolutionDecision, target: MemoryItem | None, draft: ItemDraft
) -> list[ItemChange]:
    if decision.action == "ADD":
        written = items.write(permit, draft, held=True)
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
    named = {contradicted_items.MAY_CHANGE: decision.may_change, contradicted_items.PUTS_AWAY: decision.puts_away}
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
        }
        | ({"doubt": doubt} if doubt else {})
        | concerned,
        quarantined=bool(doubt),
        vector=found.vector,
        model_id=found.model_id,
    )
